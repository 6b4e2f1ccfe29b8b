import type { Db, Transaction } from './client.ts';

/**
 * Changes both stores: in one transaction where they are one. Where they are two files, what is written to `db` is
 * durable first: an audit record may be left without its change by a crash, but never a change without its record.
 */
export function changeBoth<T>(
  { db, graph }: { readonly db: Db; readonly graph: Db },
  change: (graph: Transaction, db: Transaction) => Promise<T>,
): Promise<T> {
  const areOne = db === graph;
  return graph.transaction((graph) =>
    areOne ? change(graph, graph) : db.transaction((db) => change(graph, db)),
  );
}
