import type { Components } from './components.ts';

export interface Limits {
  /** Sets of this many components are kept for those who reach them later. */
  readonly largeSet: number;
  /** How many such sets are kept; each takes a bit for every component. */
  readonly maxSets: number;
}

const usualLimits: Limits = { largeSet: 2000, maxSets: 128 };

/** How many nodes of each environment; environments without any are left out. */
export type Counts = ReadonlyMap<number, number>;

/**
 * How many of the counted nodes a node reaches, itself included, by environment. One search for each distinct
 * component that is asked about; a search that comes upon a large set it knows does not walk it again.
 */
export class ReachCounts {
  readonly #components: Components;
  readonly #weights: Weights;
  readonly #limits: Limits;
  readonly #answers = new Map<number, Counts>();
  readonly #sets = new Map<number, { readonly bits: Uint32Array; readonly counts: Counts }>();
  readonly #seen: Int32Array;
  readonly #queue: Int32Array;

  /** `environmentOf` is the number of a counted node's environment, -1 for a node that does not count. */
  constructor(components: Components, environmentOf: Int32Array, limits = usualLimits) {
    this.#components = components;
    this.#limits = limits;
    this.#weights = weigh(this.#components, environmentOf);
    this.#seen = new Int32Array(this.#components.count).fill(-1);
    this.#queue = new Int32Array(this.#components.count);
  }

  counts(node: number): Counts {
    const start = this.#components.of[node] as number;
    let answer = this.#answers.get(start);
    if (answer === undefined) {
      answer = this.#search(start);
      this.#answers.set(start, answer);
    }
    return answer;
  }

  #search(start: number): Counts {
    const { offsets, next } = this.#components.adjacency;
    let known: { readonly bits: Uint32Array; readonly counts: Counts } | undefined;
    let [length, done] = [0, 0];
    const visit = (component: number) => {
      if (this.#seen[component] === start) return;
      if (known !== undefined && hasBit(known.bits, component)) return;
      this.#seen[component] = start;
      this.#queue[length++] = component;
    };
    visit(start);
    while (done < length) {
      const component = this.#queue[done++] as number;
      // The first set answers for all that is in it. A second one could overlap with it, and is walked.
      if (known === undefined && this.#sets.has(component)) {
        known = this.#sets.get(component);
        continue;
      }
      for (let edge = offsets[component] as number; edge < (offsets[component + 1] as number); edge++)
        visit(next[edge] as number);
    }
    const counts = new Map(known?.counts);
    for (let at = 0; at < length; at++) {
      const component = this.#queue[at] as number;
      if (known === undefined || !hasBit(known.bits, component)) addWeights(this.#weights, component, counts);
    }
    const { largeSet, maxSets } = this.#limits;
    if (length >= largeSet && this.#sets.size < maxSets) {
      const bits = known?.bits.slice() ?? new Uint32Array((this.#components.count + 31) >>> 5);
      for (let at = 0; at < length; at++) setBit(bits, this.#queue[at] as number);
      this.#sets.set(start, { bits, counts });
    }
    return counts;
  }
}

/** Of each component, how many counted nodes of which environment it has. */
interface Weights {
  readonly offsets: Int32Array;
  readonly environments: Int32Array;
  readonly counts: Int32Array;
}

function weigh({ of, count }: Components, environmentOf: Int32Array): Weights {
  const counted: number[] = [];
  for (let node = 0; node < of.length; node++) if ((environmentOf[node] as number) >= 0) counted.push(node);
  const sorted = Int32Array.from(counted).sort(
    (one, two) =>
      (of[one] as number) - (of[two] as number) ||
      (environmentOf[one] as number) - (environmentOf[two] as number),
  );
  const offsets = new Int32Array(count + 1);
  const environments = new Int32Array(sorted.length);
  const counts = new Int32Array(sorted.length);
  let [length, lastComponent, lastEnvironment] = [0, -1, -1];
  for (const node of sorted) {
    const [component, environment] = [of[node] as number, environmentOf[node] as number];
    if (component !== lastComponent || environment !== lastEnvironment) {
      offsets[component + 1] = (offsets[component + 1] as number) + 1;
      environments[length++] = environment;
      [lastComponent, lastEnvironment] = [component, environment];
    }
    counts[length - 1] = (counts[length - 1] as number) + 1;
  }
  for (let at = 0; at < count; at++) offsets[at + 1] = (offsets[at + 1] as number) + (offsets[at] as number);
  return { offsets, environments: environments.slice(0, length), counts: counts.slice(0, length) };
}

function addWeights(weights: Weights, component: number, to: Map<number, number>): void {
  const { offsets, environments, counts } = weights;
  for (let at = offsets[component] as number; at < (offsets[component + 1] as number); at++) {
    const environment = environments[at] as number;
    to.set(environment, (to.get(environment) ?? 0) + (counts[at] as number));
  }
}

function hasBit(bits: Uint32Array, at: number): boolean {
  return ((bits[at >>> 5] as number) & (1 << (at & 31))) !== 0;
}

function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
}
