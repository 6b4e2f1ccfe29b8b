import type { Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import { lockZones } from './store.ts';

export interface Stores {
  readonly db: Db;
  readonly graph: Db;
}

/** Zones take effect with an analysis: asks for one. */
export type AskForAnalysis = (db: Transaction, origin: Origin, now: number) => Promise<unknown>;

export interface ZoneTools {
  readonly clock: () => number;
  readonly askForAnalysis: AskForAnalysis;
}

export interface Change<T> {
  readonly result: T;
  /** Whether an analysis could now come out differently. */
  readonly matters: boolean;
}

/**
 * gap 9.5: changes zones, records it, and asks for an analysis: one transaction where both stores are one. Where they are two
 * files, the record is durable first, so that no change goes without; then the change; and only then an analysis is
 * asked for, so that it can't miss the change. If the process ends in between, the next analysis sees to it.
 */
export async function changeZones<T>(
  { db, graph }: Stores,
  { clock, askForAnalysis }: ZoneTools,
  origin: Origin,
  change: (graph: Transaction, db: Transaction) => Promise<Change<T>>,
): Promise<T> {
  if (db === graph) {
    return db.transaction(async (db) => {
      await lockZones(db);
      const { result, matters } = await change(db, db);
      if (matters) await askForAnalysis(db, origin, clock());
      return result;
    });
  }
  const { result, matters } = await graph.transaction(async (graph) => {
    await lockZones(graph);
    return db.transaction((db) => change(graph, db));
  });
  if (matters) await db.transaction((db) => askForAnalysis(db, origin, clock()));
  return result;
}
