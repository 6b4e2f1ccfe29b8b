import { inList, type Reader, type Value } from '../../db/client.ts';
import { hasOneOf, spellingsOf } from '../../graph/kind-lists.ts';
import { zoneOf } from '../../graph/node-zones.ts';
import { type GraphNode, toNode } from '../../graph/store.ts';

export interface Search {
  /** In upper case, as names and ids are stored. */
  readonly text: string;
  /** Only nodes that have this kind, whatever its case. */
  readonly kind: string | undefined;
  /** How many nodes are wanted, from the best on. */
  readonly most: number;
}

/** Names are indexed up to here: an index of PostgreSQL does not take every length. */
export const indexedNameLength = 200;
/** Shorter texts are found at the beginning only: inside they would be nearly everywhere. */
const shortestInside = 3;
const few = 2000;

const name = `substr(n.name, 1, ${indexedNameLength})`;
const byName = `${name}, n.id`;

/** The numbers of the best nodes, best first: the id itself, names that begin so, ids, then anywhere inside. */
export async function searchNodes(graph: Reader, search: Search): Promise<number[]> {
  const kinds = search.kind === undefined ? undefined : await spellingsOf(graph, search.kind);
  if (kinds?.length === 0) return [];
  const byKind = kinds !== undefined && (await areFew(graph, kinds));
  const { text, most } = search;
  const found = new Set<number>();
  const look = async (condition: string, params: readonly Value[], order: string) => {
    if (found.size >= most) return;
    const only = kinds === undefined ? undefined : hasOneOf(kinds, params.length + 1);
    const all = [...params, ...(only?.params ?? [])];
    const rows = await graph.query<{ id: number }>(
      `select n.id from nodes n where ${condition}${only === undefined ? '' : ` and ${byKind ? '' : '+'}n.${only.sql}`}
       order by ${order} limit $${all.length + 1}`,
      // What was found already may come again.
      [...all, most + found.size],
    );
    for (const row of rows) if (found.size < most) found.add(row.id);
  };
  const range = [text, `${text}\u{10FFFF}`];
  const inside = [`%${text.replace(/[\\%_]/g, '\\$&')}%`];
  const hasName = text.length <= indexedNameLength;
  await look('n.object_id = $1', [text], 'n.id');
  if (hasName) await look(`${name} >= $1 and ${name} < $2`, range, byName);
  await look('n.object_id >= $1 and n.object_id < $2', range, 'n.object_id');
  if (text.length < shortestInside) return [...found];
  if (hasName) await look(`${name} like $1 escape '\\'`, inside, byName);
  await look(`n.object_id like $1 escape '\\'`, inside, 'n.object_id');
  return [...found];
}

/**
 * Few nodes are looked through one by one; of many, only those that begin with the text. A store would take the index
 * of kinds for both, and does not where a plus is in the way.
 */
async function areFew(graph: Reader, kinds: readonly string[]): Promise<boolean> {
  const { sql, params } = hasOneOf(kinds, 1);
  const row = await graph.one<{ n: number }>(
    `select cast(count(*) as bigint) as n from (select 1 from nodes where ${sql} limit ${few + 1}) found`,
    params,
  );
  return row !== undefined && row.n <= few;
}

/** In the order of the numbers given. */
export async function readNodes(graph: Reader, ids: readonly number[]): Promise<GraphNode[]> {
  if (ids.length === 0) return [];
  const { sql, params } = inList(ids, 1);
  const rows = await graph.query<Parameters<typeof toNode>[0]>(
    `select n.id, n.object_id, n.name, l.kinds, n.properties, ${zoneOf('n')} as zone
     from nodes n join kind_lists l on l.id = n.kind_list_id where n.id in (${sql})`,
    params,
  );
  const nodes = new Map(rows.map((row) => [row.id, toNode(row)]));
  return ids.flatMap((id) => nodes.get(id) ?? []);
}
