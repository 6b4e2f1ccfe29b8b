import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { createSpool } from './spool.ts';

/** What has no row by then never will: a body may not stand still for more than a minute. */
const strayAfterMs = 3_600_000;

/** Removes what crashes left behind of bodies that were being received. */
export async function sweepSpool(deps: Deps): Promise<void> {
  await createSpool(deps).sweep(deps.clock() - strayAfterMs);
}

export const ingestTasks: readonly Task[] = [{ name: 'sweep the spool', everyMs: 900_000, run: sweepSpool }];
