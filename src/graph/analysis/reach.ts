import { type Adjacency, componentsOf } from './adjacency.ts';
import { BitSet } from './bits.ts';

/** What is reached from one node: a list while that is shorter, otherwise bits. */
export interface Reached {
  readonly size: number;
  /** There where it is short. */
  readonly list: Int32Array | undefined;
  has(node: number): boolean;
  addTo(bits: BitSet): void;
  /** Ascending; not to be changed. */
  toArray(): Int32Array;
}

interface Kept extends Reached {
  readonly bytes: number;
}

/** A component with many followers that others lead through again is worth keeping for itself. */
const manyFollowers = 64;

/**
 * Everything that follows a node in one step or more; the node itself only where it is in a circle. Nodes in the same
 * circles have the same answer, which is worked out once and kept as long as the memory allowed suffices.
 */
export class Reach {
  readonly #adjacency: Adjacency;
  readonly #nodeCount: number;
  readonly #budgetBytes: number;
  readonly component: Int32Array;
  readonly #kept = new Map<number, Kept>();
  #keptBytes = 0;
  readonly #passed: Uint8Array;
  readonly #marked: BitSet;

  constructor(adjacency: Adjacency, budgetBytes: number) {
    this.#adjacency = adjacency;
    this.#nodeCount = adjacency.offsets.length - 1;
    this.#budgetBytes = budgetBytes;
    const components = componentsOf(adjacency);
    this.component = components.of;
    this.#passed = new Uint8Array(components.count);
    this.#marked = new BitSet(this.#nodeCount);
  }

  ends(node: number): boolean {
    return this.#adjacency.offsets[node] === this.#adjacency.offsets[node + 1];
  }

  /** Only what is at hand already. */
  known(node: number): Reached | undefined {
    return this.ends(node) ? nothing : this.#recall(node);
  }

  from(node: number): Reached {
    if (this.ends(node)) return nothing;
    const known = this.#recall(node);
    if (known !== undefined) return known;
    const worthKeeping: number[] = [];
    const reached = this.#walk(node, worthKeeping);
    this.#keep(node, reached);
    for (const other of worthKeeping)
      if (!this.#kept.has(this.component[other] as number)) this.#keep(other, this.#walk(other, []));
    return reached;
  }

  #recall(node: number): Kept | undefined {
    const component = this.component[node] as number;
    const kept = this.#kept.get(component);
    if (kept === undefined) return undefined;
    // Used last, dropped last.
    this.#kept.delete(component);
    this.#kept.set(component, kept);
    return kept;
  }

  #keep(node: number, reached: Kept): void {
    this.#kept.set(this.component[node] as number, reached);
    this.#keptBytes += reached.bytes;
    for (const [component, { bytes }] of this.#kept) {
      if (this.#keptBytes <= this.#budgetBytes) break;
      this.#kept.delete(component);
      this.#keptBytes -= bytes;
    }
  }

  #walk(from: number, worthKeeping: number[]): Kept {
    const { offsets, next } = this.#adjacency;
    const marked = this.#marked;
    const longest = this.#nodeCount >>> 5;
    // What is marked, as long as it is little.
    let list: number[] | undefined = [];
    const open: number[] = [from];
    const mark = (node: number): boolean => {
      if (marked.has(node)) return false;
      marked.add(node);
      if (list !== undefined && list.push(node) > longest) list = undefined;
      return true;
    };
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const last = offsets[node + 1] as number;
      for (let place = offsets[node] as number; place < last; place++) {
        const follower = next[place] as number;
        if (!mark(follower) || this.ends(follower)) continue;
        const known = this.#recall(follower);
        if (known === undefined) {
          if (this.#isWorthKeeping(follower, from)) worthKeeping.push(follower);
          open.push(follower);
        } else if (known.list !== undefined) for (const reached of known.list) mark(reached);
        else {
          known.addTo(marked);
          list = undefined;
        }
      }
    }
    if (list === undefined) {
      const bits = marked.clone();
      marked.clear();
      return ofBits(bits);
    }
    for (const node of list) marked.delete(node);
    return ofList(Int32Array.from(list).sort());
  }

  #isWorthKeeping(node: number, from: number): boolean {
    const { offsets } = this.#adjacency;
    const component = this.component[node] as number;
    if ((offsets[node + 1] as number) - (offsets[node] as number) < manyFollowers) return false;
    if (component === this.component[from]) return false;
    const passed = this.#passed[component] as number;
    if (passed < 2) this.#passed[component] = passed + 1;
    return passed === 1;
  }
}

function ofList(list: Int32Array): Kept {
  return {
    list,
    size: list.length,
    bytes: list.byteLength + 200,
    has: (node) => contains(list, node),
    addTo: (bits) => {
      for (const node of list) bits.add(node);
    },
    toArray: () => list,
  };
}

function ofBits(bits: BitSet): Kept {
  let size: number | undefined;
  return {
    list: undefined,
    get size() {
      size ??= bits.size;
      return size;
    },
    bytes: bits.bytes + 200,
    has: (node) => bits.has(node),
    addTo: (into) => into.addAll(bits),
    toArray: () => bits.toArray(),
  };
}

function contains(sorted: Int32Array, value: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
}

const nothing = ofList(new Int32Array(0));
