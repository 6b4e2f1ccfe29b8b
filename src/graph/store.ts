import { inList, type Reader, type Transaction } from '../db/client.ts';
import { kindsWithZone, propertiesInZone, zoneOf } from './node-zones.ts';

export interface GraphNode {
  readonly id: number;
  readonly objectId: string;
  readonly name: string;
  /** In the order in which they were stated; the kind of its zone comes last. */
  readonly kinds: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

interface NodeRow {
  readonly id: number;
  readonly object_id: string;
  readonly name: string;
  readonly kinds: string;
  readonly properties: string;
  /** The kind of its zone. */
  readonly zone: string | null;
}

/** An in-list longer than this is read in several statements. */
const maxLookups = 1024;

/** Object ids compare without regard to case: they are stored in upper case. */
export function objectKey(objectId: string): string {
  return objectId.toUpperCase();
}

/** The nodes with these object ids that exist, by their stored id. */
export async function findNodes(
  graph: Reader,
  objectIds: readonly string[],
): Promise<Map<string, GraphNode>> {
  const keys = [...new Set(objectIds.map(objectKey))];
  const nodes = new Map<string, GraphNode>();
  for (let from = 0; from < keys.length; from += maxLookups) {
    const list = inList(keys.slice(from, from + maxLookups), 1);
    const rows = await graph.query<NodeRow>(
      `select n.id, n.object_id, n.name, l.kinds, n.properties, ${zoneOf('n')} as zone
       from nodes n join kind_lists l on l.id = n.kind_list_id where n.object_id in (${list.sql})`,
      list.params,
    );
    for (const row of rows) nodes.set(row.object_id, toNode(row));
    // The embedded store answers at once: without this, many lookups would hold up everybody else.
    if (from + maxLookups < keys.length) await new Promise(setImmediate);
  }
  return nodes;
}

export function toNode(row: NodeRow): GraphNode {
  const kinds = kindsWithZone(JSON.parse(row.kinds), row.zone);
  return {
    id: row.id,
    objectId: row.object_id,
    name: row.name,
    kinds,
    properties: propertiesInZone(JSON.parse(row.properties), kinds),
  };
}

export interface NewNode {
  readonly objectId: string;
  readonly kinds: readonly string[];
  readonly name: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

export interface NewEdge {
  readonly start: string;
  readonly kind: string;
  readonly end: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Adds nodes that are not there yet, and edges between nodes that are. */
export async function insertGraph(
  graph: Transaction,
  nodes: readonly NewNode[],
  edges: readonly NewEdge[],
  seenAt: number,
): Promise<void> {
  const listIds = await intern(
    graph,
    'kind_lists',
    'kinds',
    nodes.map((node) => JSON.stringify(node.kinds)),
  );
  await graph.bulk(
    'nodes',
    ['object_id', 'kind_list_id', 'name', 'properties', 'last_seen'],
    nodes.map((node) => [
      objectKey(node.objectId),
      listIds.get(JSON.stringify(node.kinds)) ?? 0,
      node.name,
      JSON.stringify({ objectid: objectKey(node.objectId), name: node.name, ...node.properties }),
      seenAt,
    ]),
  );
  const kindIds = await intern(
    graph,
    'edge_kinds',
    'name',
    edges.map((edge) => edge.kind),
  );
  const ends = await findNodes(
    graph,
    edges.flatMap((edge) => [edge.start, edge.end]),
  );
  const idOf = (objectId: string) => {
    const node = ends.get(objectKey(objectId));
    if (node === undefined) throw new Error(`the graph has no node ${objectId}`);
    return node.id;
  };
  await graph.bulk(
    'edges',
    ['start_id', 'kind_id', 'end_id', 'properties', 'last_seen'],
    edges.map((edge) => [
      idOf(edge.start),
      kindIds.get(edge.kind) ?? 0,
      idOf(edge.end),
      JSON.stringify(edge.properties ?? {}),
      seenAt,
    ]),
  );
}

/** The number of each text in a table of distinct texts; new ones are added. */
async function intern(
  graph: Transaction,
  table: 'kind_lists' | 'edge_kinds',
  column: 'kinds' | 'name',
  texts: readonly string[],
): Promise<Map<string, number>> {
  const distinct = [...new Set(texts)];
  await graph.bulk(
    table,
    [column],
    distinct.map((text) => [text]),
    `on conflict (${column}) do nothing`,
  );
  const rows = await graph.query<{ id: number; text: string }>(`select id, ${column} as text from ${table}`);
  return new Map(rows.map((row) => [row.text, row.id]));
}
