import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Settings } from '../config.ts';
import type { Db } from './client.ts';
import { copyName, migrate, pendingMigrations } from './migrate.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/**
 * The two handles that the program works with. On PostgreSQL they are one database; on SQLite the graph has a
 * file and a writer of its own, so that a long graph write never holds up a sign-in.
 */
export interface Stores {
  readonly db: Db;
  readonly graph: Db;
  close(): Promise<void>;
}

type StoreSettings = Pick<Settings, 'dataDir' | 'databaseUrl' | 'databasePool' | 'databasePrepare'>;

const files = { main: 'kennel.db', graph: 'graph.db' } as const;

export interface StoreOptions {
  /** False: what was committed may be lost when the machine fails. For data that can be made again. */
  readonly waitsForDisk?: boolean;
}

export function openStores(settings: StoreSettings, { waitsForDisk = true }: StoreOptions = {}): Stores {
  if (settings.databaseUrl !== undefined) {
    const db = openPostgres(settings.databaseUrl, {
      pool: settings.databasePool,
      prepare: settings.databasePrepare,
    });
    return { db, graph: db, close: () => db.close() };
  }
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const db = openSqlite(join(settings.dataDir, files.main), waitsForDisk);
  const graph = openOr(() => db.close(), join(settings.dataDir, files.graph), waitsForDisk);
  return {
    db,
    graph,
    close: async () => {
      await db.close();
      await graph.close();
    },
  };
}

function openOr(giveUp: () => void, file: string, waitsForDisk: boolean): Db {
  try {
    return openSqlite(file, waitsForDisk);
  } catch (error) {
    giveUp();
    throw error;
  }
}

/** True when there is nothing to open yet: commands beside the server must not create a store by accident. */
export function isStoreMissing(settings: StoreSettings): boolean {
  return settings.databaseUrl === undefined && !existsSync(join(settings.dataDir, files.main));
}

export async function migrateStores(stores: Stores, settings: StoreSettings, now: number): Promise<string[]> {
  // Looks at both before either is changed: one of them may be too new.
  if (await isMigrated(stores)) return [];
  const applied: string[] = [];
  for (const store of ['main', 'graph'] as const) {
    const file = join(settings.dataDir, files[store]);
    const copy =
      settings.databaseUrl === undefined
        ? ({ number }: { number: number }) => copySqlite(file, number)
        : undefined;
    applied.push(...(await migrate(store === 'main' ? stores.db : stores.graph, store, now, copy)));
  }
  return applied;
}

export async function isMigrated(stores: Pick<Stores, 'db' | 'graph'>): Promise<boolean> {
  const pending = [
    ...(await pendingMigrations(stores.db, 'main')),
    ...(await pendingMigrations(stores.graph, 'graph')),
  ];
  return pending.length === 0;
}

function copySqlite(file: string, number: number): void {
  const copy = copyName(file, number);
  // Made here, as the store itself is, so that nobody else on the machine can read it.
  closeSync(openSync(copy, 'wx', 0o600));
  const source = new DatabaseSync(file, { timeout: 10_000 });
  try {
    source.prepare('vacuum into ?').run(copy);
  } finally {
    source.close();
  }
}
