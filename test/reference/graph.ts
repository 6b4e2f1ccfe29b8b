/** The graph as plain objects: what an estate is made of, and nothing that makes it fast. */
export interface Node {
  readonly objectId: string;
  readonly kinds: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface Edge {
  readonly start: string;
  readonly kind: string;
  readonly end: string;
}

/** Start and end of an edge that follows. */
export type Pair = readonly [start: Node, end: Node];

export class Graph {
  readonly nodes = new Map<string, Node>();
  readonly #edges = new Map<string, Pair[]>();

  constructor(nodes: Iterable<Node>, edges: Iterable<Edge>) {
    for (const node of nodes) this.nodes.set(node.objectId, node);
    for (const { start, kind, end } of edges) this.add(kind, [[this.get(start), this.get(end)]]);
  }

  get(objectId: string): Node {
    const node = this.nodes.get(objectId);
    if (node === undefined) throw new Error(`There is no ${objectId}`);
    return node;
  }

  find(objectId: string | undefined): Node | undefined {
    return objectId === undefined ? undefined : this.nodes.get(objectId);
  }

  ofKind(...kinds: string[]): Node[] {
    return [...this.nodes.values()].filter((node) => isA(node, ...kinds));
  }

  pairs(kind: string): readonly Pair[] {
    return this.#edges.get(kind) ?? [];
  }

  has(start: Node, kind: string, end: Node): boolean {
    return this.pairs(kind).some((pair) => pair[0] === start && pair[1] === end);
  }

  /** Where edges of these kinds that end here begin. */
  starts(end: Node, ...kinds: string[]): Set<Node> {
    return new Set(
      kinds.flatMap((kind) => this.pairs(kind).filter((pair) => pair[1] === end)).map((pair) => pair[0]),
    );
  }

  /** Where edges of these kinds that begin here end. */
  ends(start: Node, ...kinds: string[]): Set<Node> {
    return new Set(
      kinds.flatMap((kind) => this.pairs(kind).filter((pair) => pair[0] === start)).map((pair) => pair[1]),
    );
  }

  add(kind: string, pairs: Iterable<Pair>): void {
    const known = this.#edges.get(kind) ?? [];
    this.#edges.set(kind, known);
    for (const [start, end] of pairs) if (!this.has(start, kind, end)) known.push([start, end]);
  }
}

/** Of one of the kinds. */
export function isA(node: Node, ...kinds: string[]): boolean {
  return kinds.some((kind) => node.kinds.includes(kind));
}

export function isTrue(node: Node, property: string): boolean {
  return node.properties[property] === true;
}

export function isFalse(node: Node, property: string): boolean {
  return node.properties[property] === false;
}

export function isPresent(node: Node, property: string): boolean {
  return node.properties[property] !== undefined && node.properties[property] !== null;
}

export function text(node: Node, property: string): string | undefined {
  const value = node.properties[property];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** undefined when it is missing, which is not the same as empty. */
export function list(node: Node, property: string): readonly unknown[] | undefined {
  const value = node.properties[property];
  return Array.isArray(value) ? value : undefined;
}

export function number(node: Node, property: string): number | undefined {
  const value = node.properties[property];
  return typeof value === 'number' ? value : undefined;
}

/** The domain or tenant that a node belongs to. */
export function environment(node: Node): string | undefined {
  return (text(node, 'domainsid') ?? text(node, 'tenantid') ?? text(node, 'environmentid'))?.toUpperCase();
}

/** Everything that can be reached by taking steps, one or more; the start only if a circle leads back to it. */
export function reach(start: Iterable<Node>, step: (node: Node) => Iterable<Node>): Set<Node> {
  const reached = new Set<Node>();
  const left = [...start];
  for (let node = left.pop(); node !== undefined; node = left.pop())
    for (const next of step(node)) {
      if (reached.has(next)) continue;
      reached.add(next);
      left.push(next);
    }
  return reached;
}

export function union<T>(...sets: Iterable<T>[]): Set<T> {
  return new Set(sets.flatMap((set) => [...set]));
}

export function intersection<T>(first: Iterable<T>, ...others: ReadonlySet<T>[]): Set<T> {
  return new Set([...first].filter((item) => others.every((other) => other.has(item))));
}
