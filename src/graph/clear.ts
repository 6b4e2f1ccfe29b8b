import { inList, type Transaction } from '../db/client.ts';
import { hasOneOf } from './kind-lists.ts';

/** What of the graph is to go. What was seen after `askedAt` stays: it came in meanwhile. */
export interface GraphWish {
  readonly askedAt: number;
  /** Only nodes that have one of these kinds, with their edges; left out: everything. */
  readonly kinds?: readonly string[];
}

export interface Cleared {
  readonly nodes: number;
  readonly edges: number;
  /** Where to go on; `undefined` when nothing is left. */
  readonly cursor: number | undefined;
}

const nodesAtOnce = 500;
const edgesAtOnce = 5000;

/** Deletes one batch of edges, whatever their ends. */
export async function clearEdges(graph: Transaction, askedAt: number, cursor: number): Promise<Cleared> {
  const rows = await graph.query<{ id: number }>(
    'select id from edges where id > $1 and last_seen <= $2 order by id limit $3',
    [cursor, askedAt, edgesAtOnce],
  );
  const last = rows.at(-1)?.id;
  if (last === undefined) return { nodes: 0, edges: 0, cursor: undefined };
  const edges = await graph.execute('delete from edges where id > $1 and id <= $2 and last_seen <= $3', [
    cursor,
    last,
    askedAt,
  ]);
  return { nodes: 0, edges, cursor: last };
}

/** Deletes one batch of nodes, or some of their edges first where there are many. */
export async function clearNodes(graph: Transaction, wish: GraphWish, cursor: number): Promise<Cleared> {
  const only = wish.kinds === undefined ? undefined : hasOneOf(wish.kinds, 4);
  const rows = await graph.query<{ id: number }>(
    `select id from nodes where id > $1 and last_seen <= $2 ${only === undefined ? '' : `and ${only.sql}`}
     order by id limit $3`,
    [cursor, wish.askedAt, nodesAtOnce, ...(only?.params ?? [])],
  );
  const last = rows.at(-1)?.id;
  if (last === undefined) return { nodes: 0, edges: 0, cursor: undefined };
  const nodes = inList(
    rows.map(({ id }) => id),
    1,
  );
  let edges = 0;
  for (const end of ['start_id', 'end_id']) {
    const found = await graph.query<{ id: number }>(
      `select id from edges where ${end} in (${nodes.sql}) limit ${edgesAtOnce}`,
      nodes.params,
    );
    for (let from = 0; from < found.length; from += 1000) {
      const part = inList(
        found.slice(from, from + 1000).map(({ id }) => id),
        1,
      );
      edges += await graph.execute(`delete from edges where id in (${part.sql})`, part.params);
    }
    if (found.length === edgesAtOnce) return { nodes: 0, edges, cursor };
  }
  const deleted = await graph.execute(`delete from nodes where id in (${nodes.sql})`, nodes.params);
  return { nodes: deleted, edges, cursor: last };
}

/**
 * What is left must not be passed over as unchanged when its source comes again: edges that it stated may be gone.
 */
export async function forgetRecords(graph: Transaction, cursor: number): Promise<number | undefined> {
  const row = await graph.one<{ last: number | null }>(
    `select max(id) as last from (select id from nodes where id > $1 order by id limit ${edgesAtOnce}) n`,
    [cursor],
  );
  if (row?.last == null) return undefined;
  await graph.execute(
    'update nodes set record_hash = null where id > $1 and id <= $2 and record_hash is not null',
    [cursor, row.last],
  );
  return row.last;
}
