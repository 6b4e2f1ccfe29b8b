import type { Settings } from '../config.ts';
import { LockedError, lockDataDir } from '../db/server-lock.ts';

/** Only the embedded store has one server at most; on PostgreSQL everyone takes part in the work. */
export function isServed({ databaseUrl, dataDir }: Settings): boolean {
  if (databaseUrl !== undefined) return false;
  try {
    lockDataDir(dataDir, '').release();
    return false;
  } catch (error) {
    if (error instanceof LockedError) return true;
    throw error;
  }
}
