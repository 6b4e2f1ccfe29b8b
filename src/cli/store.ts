import { createDeps } from '../bootstrap.ts';
import type { Settings } from '../config.ts';
import { isMigrated, isStoreMissing, openStores } from '../db/open.ts';
import type { Deps } from '../deps.ts';
import { createLog } from '../log.ts';
import { CommandError } from './output.ts';

/** Opens the store that a server uses, for one command beside it; it never creates or changes a schema. */
export async function withStore<T>(settings: Settings, work: (deps: Deps) => Promise<T>): Promise<T> {
  if (isStoreMissing(settings)) {
    throw new CommandError(
      `there is no store in ${settings.dataDir}: start the server there first (kennel serve)`,
    );
  }
  const stores = openStores(settings);
  try {
    if (!(await isMigrated(stores))) {
      throw new CommandError('the store is not up to date: run `kennel migrate`, or start the server once');
    }
    const deps = await createDeps(stores, settings, createLog(settings), () => settings.publicUrl ?? '');
    return await work(deps);
  } finally {
    await stores.close();
  }
}
