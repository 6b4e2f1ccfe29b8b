import { unlessClockHeld } from '../../clock-hold.ts';
import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { createSpool } from './create-spool.ts';
import { takeSpoolIds } from './store.ts';

/** What has no row by then never will: a body may not stand still for more than a minute. */
const strayAfterMs = 3_600_000;
const hour = 3_600_000;

/** Removes what crashes left behind of bodies that were being received, and files that failed long ago. */
export async function sweepSpool(deps: Deps): Promise<void> {
  const { db, clock, settings } = deps;
  const spool = createSpool(deps);
  const failed = await db.transaction((db) =>
    takeSpoolIds(db, "state = 'failed' and updated_at <= $1", [clock() - settings.failedFileHours * hour]),
  );
  for (const id of failed) await spool.remove(id);
  await spool.sweep(clock() - strayAfterMs);
}

export const ingestTasks: readonly Task[] = [
  { name: 'sweep the spool', everyMs: 900_000, run: unlessClockHeld(sweepSpool) },
];
