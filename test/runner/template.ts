import { readSettings } from '../../src/config.ts';
import { migrateStores, openStores } from '../../src/db/open.ts';
import { createDatabase } from './postgres-server.ts';

/** Makes a database that is migrated, but otherwise empty, for others to be copied from. */
export async function createMigratedDatabase(adminUrl: string, name: string): Promise<void> {
  await createDatabase(adminUrl, name);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const settings = readSettings({ DATABASE_URL: url.href });
  const stores = openStores(settings);
  try {
    await migrateStores(stores, settings, Date.now());
  } finally {
    await stores.close();
  }
}
