import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';

export class LockedError extends Error {}

/**
 * One server per data directory. The lock is a tiny SQLite file held by an open exclusive transaction: the
 * operating system frees it however the process ends. The store itself is never locked by it, so commands work
 * beside a running server.
 */
export function lockDataDir(dataDir: string, busyMessage: string, file = 'server.lock'): { release(): void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, file);
  // Made here first: SQLite would let everybody read it.
  closeSync(openSync(path, 'a', 0o600));
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === 5) throw new LockedError(busyMessage);
    throw error;
  }
  return {
    release: () => {
      lock.exec('rollback');
      lock.close();
    },
  };
}

/** Waits until a lock of the data directory is free; given up, it throws that somebody else has it. */
export async function waitForLock(
  dataDir: string,
  busyMessage: string,
  file: string,
  isGivenUp: () => boolean = () => false,
): Promise<{ release(): void }> {
  for (;;) {
    try {
      return lockDataDir(dataDir, busyMessage, file);
    } catch (error) {
      if (!(error instanceof LockedError) || isGivenUp()) throw error;
    }
    await sleep(100);
  }
}
