import { join } from 'node:path';
import type { Deps } from '../../deps.ts';
import type { Spool } from './spool.ts';
import { DatabaseSpool } from './spool-database.ts';
import { DirectorySpool } from './spool-directory.ts';

/** Processes that share a PostgreSQL need not share a disk. */
export function createSpool({
  db,
  settings,
  clock,
}: Pick<Deps, 'db' | 'clock'> & {
  readonly settings: Pick<Deps['settings'], 'databaseUrl' | 'dataDir'>;
}): Spool {
  return settings.databaseUrl === undefined
    ? new DirectorySpool(join(settings.dataDir, 'spool'), db)
    : new DatabaseSpool(db, clock);
}
