import { unlessClockHeld } from '../../clock-hold.ts';
import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { forgetSpells } from '../../graph/analysis/retention.ts';
import { day, formatRfc3339 } from '../../values/time.ts';
import type { Task } from '../../worker/worker.ts';
import { LongWork } from '../audit/index.ts';
import { deleteRuns, findRunBefore } from './store.ts';

const lockName = 'kennel: posture retention';
/** A shutdown waits for one turn. */
const turnMs = 1000;
/** A run of a large installation has thousands of points. */
const runsAtOnce = 5;

/** Deletes what is older than the operator wants to keep, a little at a time. */
export async function forgetOldPosture(
  deps: Pick<Deps, 'db' | 'graph' | 'clock' | 'settings' | 'log'>,
): Promise<void> {
  const { graph, clock, settings, log } = deps;
  const days = settings.postureRetentionDays;
  if (days === 0) return;
  // By whole days: every turn that deletes something has its records.
  const before = (Math.floor(clock() / day) - days) * day;
  const work = new LongWork(deps, 'DeleteOldPosture', {
    before: formatRfc3339(before),
    retention_days: days,
  });
  const until = performance.now() + turnMs;
  let steps = 0;
  while (
    performance.now() < until &&
    (await graph.transaction(async (graph) => {
      await graph.lock(lockName);
      const found = (await forgetRuns(graph, before)) || (await forgetSpells(graph, before));
      if (found) await work.begin(graph);
      return found;
    }))
  )
    steps += 1;
  await work.finish({ steps });
  if (steps > 0) log.info({ days, steps }, 'deleted old posture and findings');
}

/** The run that was in force at that time stays: it says what things were like from then on. */
async function forgetRuns(graph: Transaction, before: number): Promise<boolean> {
  const inForce = await findRunBefore(graph, before);
  return inForce !== undefined && (await deleteRuns(graph, inForce - 1, runsAtOnce)) > 0;
}

export const postureTasks: readonly Task[] = [
  { name: 'delete old posture', everyMs: 600_000, run: unlessClockHeld(forgetOldPosture) },
];
