import type { Db, Reader } from '../../db/client.ts';
import { type MadeUp, takeApart } from '../ingest/write/made-up.ts';
import { rebuiltKinds, scopedRoleKind } from './edge-kinds.ts';
import { EstateBuilder, type Properties } from './estate.ts';
import { collectedProperty, scannedProperty } from './measure/completeness.ts';

/** A node as it was stated, with the properties that somebody reads. */
export interface LoadedNode {
  readonly storeId: number;
  readonly objectId: string;
  readonly kinds: readonly string[];
  readonly properties: Properties;
  /** What a run has added to it. */
  readonly madeUp?: MadeUp;
}

export interface LoadedGraph {
  /** In the order of their numbers in the estate. */
  readonly nodes: LoadedNode[];
  /** Has the edges between them, and waits for the nodes. */
  readonly builder: EstateBuilder;
}

interface Hooks {
  /** Called between two pages; what it throws ends the loading. */
  onPage(fraction: number): Promise<void>;
}

const nodesAtOnce = 5000;
const edgesAtOnce = 50_000;
/** Nodes take longer than edges, each. */
const nodesShare = 0.4;
/** Where a node belongs is asked of every node. */
const environmentProperties = ['domainsid', 'tenantid', 'environmentid'];
/** Management groups are called after it; others have too many of them to hold for nothing. */
const nameProperty = 'displayname';

/**
 * Reads the graph as it is at one moment, page by page. Only properties in `keep` stay in memory; edges of kinds that
 * analysis makes itself are left out.
 */
export function loadGraph(graph: Db, keep: ReadonlySet<string>, hooks: Hooks): Promise<LoadedGraph> {
  return graph.snapshot(async (graph) => {
    const kept = new Set([...keep, ...environmentProperties]);
    const nodes = await loadNodes(graph, kept, hooks);
    const builder = new EstateBuilder(keep);
    await loadEdges(graph, nodes, builder, hooks);
    return { nodes, builder };
  });
}

interface NodeRow {
  readonly id: number;
  readonly object_id: string;
  readonly kind_list_id: number;
  readonly properties: string;
  readonly made_up: string | null;
  readonly scanned: number | null;
  readonly last_collected: number | null;
}

/** What the store knows beside the properties, of those that were scanned at all. */
function scanOf({ scanned, last_collected }: NodeRow): Properties {
  return scanned === null ? {} : { [scannedProperty]: scanned, [collectedProperty]: last_collected };
}

async function loadNodes(graph: Reader, kept: ReadonlySet<string>, hooks: Hooks): Promise<LoadedNode[]> {
  const lists = await graph.query<{ id: number; kinds: string }>('select id, kinds from kind_lists');
  const kindsOf = new Map(lists.map(({ id, kinds }) => [id, JSON.parse(kinds) as string[]]));
  const most = await lastId(graph, 'nodes');
  const keptOfScopes = new Set([...kept, nameProperty]);
  const nodes: LoadedNode[] = [];
  const values = new Map<string, string>();
  let last = 0;
  for (;;) {
    const page = await graph.query<NodeRow>(
      `select id, object_id, kind_list_id, properties, made_up, scanned, last_collected from nodes
       where id > $1 order by id limit $2`,
      [last, nodesAtOnce],
    );
    for (const row of page) {
      const all = kindsOf.get(row.kind_list_id) ?? [];
      const { kinds, properties, madeUp } = partsOf(row, all);
      const wanted = kinds.includes('AZManagementGroup') ? keptOfScopes : kept;
      nodes.push({
        storeId: row.id,
        objectId: row.object_id,
        kinds,
        properties: { ...pick(properties, wanted, values), ...scanOf(row) },
        ...(madeUp && { madeUp }),
      });
    }
    last = page.at(-1)?.id ?? most;
    await hooks.onPage(nodesShare * (last / Math.max(most, 1)));
    if (page.length < nodesAtOnce) return nodes;
  }
}

interface Parts {
  readonly kinds: readonly string[];
  readonly properties: Record<string, unknown>;
  readonly madeUp?: MadeUp;
}

/** Most nodes have nothing made up, and share their lists of kinds. */
function partsOf({ properties, made_up }: NodeRow, kinds: readonly string[]): Parts {
  if (made_up === null) return { kinds, properties: JSON.parse(properties) };
  const { stated, madeUp } = takeApart({ kinds: JSON.stringify(kinds), properties, made_up });
  return { ...stated, madeUp };
}

/** Texts that many nodes share, such as the name of their domain, are kept once. */
function pick(
  all: Record<string, unknown>,
  kept: ReadonlySet<string>,
  values: Map<string, string>,
): Properties {
  const picked: Record<string, unknown> = {};
  for (const name of kept) {
    const value = all[name];
    if (value === undefined) continue;
    picked[name] = typeof value === 'string' && name !== 'name' ? shared(value, values) : value;
  }
  return picked;
}

const mostShared = 10_000;

function shared(text: string, values: Map<string, string>): string {
  const known = values.get(text);
  if (known !== undefined) return known;
  if (values.size < mostShared) values.set(text, text);
  return text;
}

interface EdgeRow {
  readonly id: number;
  readonly start_id: number;
  readonly kind_id: number;
  readonly end_id: number;
  /** Of those that say how far they reach. */
  readonly properties: string | null;
}

async function loadEdges(
  graph: Reader,
  nodes: readonly LoadedNode[],
  builder: EstateBuilder,
  hooks: Hooks,
): Promise<void> {
  const kinds = await graph.query<{ id: number; name: string }>('select id, name from edge_kinds');
  const wanted = new Map(
    kinds
      .filter(({ name }) => !rebuiltKinds.includes(name) && name !== scopedRoleKind)
      .map(({ id, name }) => [id, name]),
  );
  const roleKind = kinds.find(({ name }) => name === 'AZHasRole')?.id ?? 0;
  const numberOf = numbering(nodes);
  const most = await lastId(graph, 'edges');
  let last = 0;
  for (;;) {
    const page = await graph.query<EdgeRow>(
      `select id, start_id, kind_id, end_id, case when kind_id = $3 then properties end as properties
       from edges where id > $1 order by id limit $2`,
      [last, edgesAtOnce, roleKind],
    );
    for (const { start_id, kind_id, end_id, properties } of page) {
      const kind = wanted.get(kind_id);
      if (kind === undefined) continue;
      const [start, end] = [numberOf(start_id), numberOf(end_id)];
      builder.edge(start, kind, end);
      if (properties !== null && isScoped(JSON.parse(properties), nodes[end] as LoadedNode))
        builder.edge(start, scopedRoleKind, end);
    }
    last = page.at(-1)?.id ?? most;
    await hooks.onPage(nodesShare + (1 - nodesShare) * (last / Math.max(most, 1)));
    if (page.length < edgesAtOnce) return;
  }
}

/** Whether a role was given for less than the tenant that its id ends with; `/` is the tenant, too. */
function isScoped({ scope }: Properties, { objectId }: LoadedNode): boolean {
  if (typeof scope !== 'string' || scope === '' || scope === '/') return false;
  return scope.toUpperCase() !== objectId.slice(objectId.indexOf('@') + 1);
}

/** From the number of a row to the number in the estate. Rows come by number, so that a search can do it too. */
function numbering(nodes: readonly LoadedNode[]): (storeId: number) => number {
  const most = nodes.at(-1)?.storeId ?? 0;
  if (most > 8 * nodes.length + 1_000_000) {
    const numbers = new Map(nodes.map(({ storeId }, number) => [storeId, number]));
    return (storeId) => numbers.get(storeId) as number;
  }
  const numbers = new Int32Array(most + 1);
  nodes.forEach(({ storeId }, number) => {
    numbers[storeId] = number;
  });
  return (storeId) => numbers[storeId] as number;
}

async function lastId(graph: Reader, table: 'nodes' | 'edges'): Promise<number> {
  const row = await graph.one<{ last: number | null }>(`select max(id) as last from ${table}`);
  return row?.last ?? 0;
}
