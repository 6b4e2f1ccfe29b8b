import type { Edge, Node } from '../graph.ts';

/** The same seed gives the same numbers: a random graph can be drawn again. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Properties = Record<string, unknown>;

/** A random graph while it is being drawn. */
export class Sketch {
  readonly nodes: Node[] = [];
  readonly edges: Edge[] = [];
  readonly #random: () => number;
  /** How often a condition of a rule is not met, in this graph. */
  readonly #noise: number;

  constructor(seed: number) {
    this.#random = generator(seed);
    this.#noise = this.pick([0, 0, 0.03, 0.1, 0.3]);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  upTo(most: number, least = 0): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }

  /** Each with the same probability. */
  some<T>(items: readonly T[], probability: number): T[] {
    return items.filter(() => this.chance(probability));
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, order: this.#random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ item }) => item);
  }

  /** One to three of them. */
  few<T>(items: readonly T[]): T[] {
    return items.length === 0 ? [] : Array.from({ length: this.upTo(3, 1) }, () => this.pick(items));
  }

  /** What is wanted; now and then something else, or nothing. */
  nearly<T>(wanted: T, ...others: unknown[]): unknown {
    return this.chance(this.#noise) ? this.pick([undefined, ...others]) : wanted;
  }

  /** What is wanted nearly always; now and then not. */
  holds(): boolean {
    return !this.chance(this.#noise);
  }

  flag(wanted: boolean): unknown {
    return this.nearly(wanted, !wanted);
  }

  /** Often one of the properties becomes something else, or goes missing. */
  spoilOne(properties: Properties): Properties {
    const name = this.pick(Object.keys(properties));
    const value = properties[name];
    const other =
      typeof value === 'boolean' ? !value : typeof value === 'number' ? Number(value === 0) : undefined;
    return this.chance(0.6) ? properties : { ...properties, [name]: this.pick([other, other, undefined]) };
  }

  /** true, false or missing. */
  anyFlag(): unknown {
    return this.pick([true, false, undefined]);
  }

  node(objectId: string, kinds: readonly string[], properties: Properties = {}): Node {
    const known = this.nodes.find((node) => node.objectId === objectId);
    if (known) return known;
    const given = Object.entries(properties).filter(([, value]) => value !== undefined);
    const source = kinds.some((kind) => kind.startsWith('AZ')) ? 'AZBase' : 'Base';
    const node = { objectId, kinds: [...new Set([...kinds, source])], properties: Object.fromEntries(given) };
    this.nodes.push(node);
    return node;
  }

  edge(start: Node, kind: string, end: Node): void {
    if (
      this.edges.some(
        (edge) => edge.start === start.objectId && edge.kind === kind && edge.end === end.objectId,
      )
    )
      return;
    this.edges.push({ start: start.objectId, kind, end: end.objectId });
  }

  edgesFrom(starts: readonly Node[], kind: string, end: Node): void {
    for (const start of starts) this.edge(start, kind, end);
  }

  /** Adds to a node that was drawn before. */
  describe(node: Node, properties: Properties): void {
    for (const [name, value] of Object.entries(properties))
      if (value !== undefined) (node.properties as Properties)[name] = value;
  }
}
