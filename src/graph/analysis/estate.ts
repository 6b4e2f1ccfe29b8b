import { EdgeSet, PairList } from './edge-set.ts';

export type Properties = Readonly<Record<string, unknown>>;

/**
 * The graph in memory, as rules read it. Nodes are numbers from 0 on; edges are kept kind by kind. What was
 * collected and what rules derived so far are looked up alike.
 */
export class Estate {
  readonly size: number;
  readonly #objectIds: readonly string[];
  readonly #storeIds: Float64Array;
  /** Of each node, the number of its list of kinds. */
  readonly #kindLists: Int32Array;
  readonly #kindsOfList: readonly (readonly string[])[];
  readonly #properties: readonly (Properties | undefined)[];
  readonly #environments: readonly (string | undefined)[];
  readonly #byObjectId: ReadonlyMap<string, number>;
  readonly #edges: Map<string, EdgeSet>;
  readonly #listsWith = new Map<string, Uint8Array>();
  readonly #nodesOf = new Map<string, readonly number[]>();

  constructor(parts: EstateParts) {
    this.size = parts.objectIds.length;
    this.#objectIds = parts.objectIds;
    this.#storeIds = Float64Array.from(parts.storeIds);
    this.#kindLists = Int32Array.from(parts.kindLists);
    this.#kindsOfList = parts.kindsOfList;
    this.#properties = parts.properties;
    this.#environments = parts.environments;
    this.#byObjectId = parts.byObjectId;
    this.#edges = new Map(
      [...parts.pairs].map(([kind, pairs]) => [kind, pairs.toEdgeSet(parts.objectIds.length)]),
    );
  }

  /** In upper case. */
  objectId(node: number): string {
    return this.#objectIds[node] as string;
  }

  /** The number of the node's row. */
  storeId(node: number): number {
    return this.#storeIds[node] as number;
  }

  find(objectId: string): number | undefined {
    return this.#byObjectId.get(objectId);
  }

  has(node: number, kind: string): boolean {
    return this.#listsWithKind(kind)[this.#kindLists[node] as number] === 1;
  }

  kinds(node: number): readonly string[] {
    return this.#kindsOfList[this.#kindLists[node] as number] as readonly string[];
  }

  /** Ascending. */
  nodesOf(kind: string): readonly number[] {
    let nodes = this.#nodesOf.get(kind);
    if (nodes === undefined) {
      const lists = this.#listsWithKind(kind);
      const found: number[] = [];
      for (let node = 0; node < this.size; node++)
        if (lists[this.#kindLists[node] as number] === 1) found.push(node);
      nodes = found;
      this.#nodesOf.set(kind, nodes);
    }
    return nodes;
  }

  /** Only what rules read is kept: the names in `keptProperties`. */
  property(node: number, name: string): unknown {
    return this.#properties[node]?.[name];
  }

  /** The id of the domain or tenant that the node belongs to, in upper case. */
  environment(node: number): string | undefined {
    return this.#environments[node];
  }

  edges(kind: string): EdgeSet {
    return this.#edges.get(kind) ?? EdgeSet.empty;
  }

  targets(start: number, kind: string): Int32Array {
    return this.edges(kind).targets(start);
  }

  sources(end: number, kind: string): Int32Array {
    return this.edges(kind).sources(end);
  }

  /** What a rule derived: later rules find it like everything else. `derived` is used up. */
  add(kind: string, derived: PairList): void {
    this.edges(kind).each((start, end) => derived.add(start, end));
    this.#edges.set(kind, derived.toEdgeSet(this.size));
  }

  #listsWithKind(kind: string): Uint8Array {
    let lists = this.#listsWith.get(kind);
    if (lists === undefined) {
      lists = Uint8Array.from(this.#kindsOfList, (kinds) => (kinds.includes(kind) ? 1 : 0));
      this.#listsWith.set(kind, lists);
    }
    return lists;
  }
}

interface EstateParts {
  readonly objectIds: readonly string[];
  readonly storeIds: readonly number[];
  readonly kindLists: readonly number[];
  readonly kindsOfList: readonly (readonly string[])[];
  readonly properties: readonly (Properties | undefined)[];
  readonly environments: readonly (string | undefined)[];
  readonly byObjectId: ReadonlyMap<string, number>;
  readonly pairs: ReadonlyMap<string, PairList>;
}

export interface NewNode {
  readonly objectId: string;
  readonly kinds: readonly string[];
  readonly properties: Properties;
  readonly storeId?: number;
}

/** Collects nodes, then edges between them. */
export class EstateBuilder {
  readonly #keep: ReadonlySet<string> | undefined;
  readonly #objectIds: string[] = [];
  readonly #storeIds: number[] = [];
  readonly #kindLists: number[] = [];
  readonly #kindsOfList: (readonly string[])[] = [];
  readonly #listNumbers = new Map<string, number>();
  readonly #properties: (Properties | undefined)[] = [];
  readonly #environments: (string | undefined)[] = [];
  readonly #environmentNames = new Map<string, string>();
  readonly #byObjectId = new Map<string, number>();
  readonly #pairs = new Map<string, PairList>();

  /** Keeps only these properties; all of them when nothing is given. */
  constructor(keep?: ReadonlySet<string>) {
    this.#keep = keep;
  }

  get size(): number {
    return this.#objectIds.length;
  }

  node({ objectId, kinds, properties, storeId }: NewNode): number {
    const number = this.#objectIds.length;
    this.#objectIds.push(objectId);
    this.#storeIds.push(storeId ?? number);
    this.#kindLists.push(this.#listNumber(kinds));
    this.#properties.push(this.#kept(properties));
    this.#environments.push(this.#environmentOf(properties));
    this.#byObjectId.set(objectId, number);
    return number;
  }

  edge(start: number, kind: string, end: number): void {
    let pairs = this.#pairs.get(kind);
    if (pairs === undefined) {
      pairs = new PairList();
      this.#pairs.set(kind, pairs);
    }
    pairs.add(start, end);
  }

  build(): Estate {
    return new Estate({
      objectIds: this.#objectIds,
      storeIds: this.#storeIds,
      kindLists: this.#kindLists,
      kindsOfList: this.#kindsOfList,
      properties: this.#properties,
      environments: this.#environments,
      byObjectId: this.#byObjectId,
      pairs: this.#pairs,
    });
  }

  #listNumber(kinds: readonly string[]): number {
    const key = JSON.stringify(kinds);
    let number = this.#listNumbers.get(key);
    if (number === undefined) {
      number = this.#kindsOfList.length;
      this.#kindsOfList.push(kinds);
      this.#listNumbers.set(key, number);
    }
    return number;
  }

  #kept(properties: Properties): Properties | undefined {
    if (this.#keep === undefined) return properties;
    let kept: Record<string, unknown> | undefined;
    for (const name of Object.keys(properties)) {
      if (!this.#keep.has(name)) continue;
      kept ??= {};
      kept[name] = properties[name];
    }
    return kept;
  }

  #environmentOf({ domainsid, tenantid, environmentid }: Properties): string | undefined {
    const id = [domainsid, tenantid, environmentid].find(
      (value) => typeof value === 'string' && value !== '',
    );
    if (typeof id !== 'string') return undefined;
    let name = this.#environmentNames.get(id);
    if (name === undefined) {
      name = id.toUpperCase();
      this.#environmentNames.set(id, name);
    }
    return name;
  }
}
