import { readSettings, type Settings } from '../../src/config.ts';
import type { Db } from '../../src/db/client.ts';
import { statementsFor } from '../../src/db/ddl.ts';
import { openStores, type Stores } from '../../src/db/open.ts';
import { temporaryStore } from './harness.ts';

export interface TestStores extends Stores {
  readonly settings: Settings;
  readonly env: Record<string, string>;
  /** Opens the same store once more, as another process would. */
  openAgain(): Stores;
  /** Closes and removes everything. */
  remove(): Promise<void>;
}

/** An empty store of its own, opened but not migrated. */
export async function openEmptyStores(): Promise<TestStores> {
  const temporary = await temporaryStore();
  const settings = readSettings(temporary.env);
  const opened: Stores[] = [];
  const openAgain = () => {
    const stores = openStores(settings);
    opened.push(stores);
    return stores;
  };
  return {
    ...openAgain(),
    settings,
    env: temporary.env,
    openAgain,
    remove: async () => {
      for (const stores of opened) await stores.close();
      await temporary.remove();
    },
  };
}

/** Runs statements that are written as migrations are. */
export async function runScript(db: Db, script: string): Promise<void> {
  await db.transaction(async (db) => {
    for (const statement of statementsFor(db.dialect, script)) await db.execute(statement);
  });
}
