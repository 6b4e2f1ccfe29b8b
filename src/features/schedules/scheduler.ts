import { type Origin, serverItself } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { nextOccurrence } from '../../values/occurrences.ts';
import { RecurrenceProblem } from '../../values/recurrence.ts';
import type { Task } from '../../worker/worker.ts';
import { findClient } from '../clients/registry/index.ts';
import { createJob, lockReadyJobOfEvent } from '../jobs/index.ts';
import { latestOccurrence, parseRule } from './rule.ts';
import {
  collectionOf,
  type DueEvent,
  dueEventLook,
  listDueEvents,
  lockDueEvent,
  markHandled,
} from './store.ts';

type SchedulerDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'settings'>;

const batchSize = 100;

const scheduler: Origin = { ...serverItself, actor: { ...serverItself.actor, name: 'scheduler' } };

export const scheduleTasks: readonly Task[] = [
  { name: 'create the jobs of schedules', everyMs: 60_000, looks: [dueEventLook], run: scheduleDueJobs },
];

/** Makes the jobs of all schedules that are due. Any number of processes may do so at once. */
export async function scheduleDueJobs(deps: SchedulerDeps): Promise<void> {
  // In the community edition nobody could see, take or stop them.
  if (deps.settings.edition !== 'enterprise') return;
  const now = deps.clock();
  let last: DueEvent | undefined = { id: 0, next_scheduled_at: 0 };
  while (last !== undefined) {
    const due: DueEvent[] = await listDueEvents(deps.db, now, last, batchSize);
    for (const { id } of due) await scheduleJob(deps, id);
    last = due.length < batchSize ? undefined : due.at(-1);
  }
}

/**
 * One job for all occurrences that a schedule has missed. The job and the schedule's next time are stored
 * together or not at all, under the lock of the schedule's row: no occurrence can have two jobs, or none.
 */
async function scheduleJob({ db, clock, log }: SchedulerDeps, id: number): Promise<void> {
  try {
    const made = await db.transaction(async (db) => {
      const now = clock();
      const event = await lockDueEvent(db, id, now);
      const first = event?.next_scheduled_at;
      if (event === undefined || first == null) return undefined;
      const rule = parseRule(event.rrule);
      // A new version's time zones may have moved the rule away from the time that was promised.
      const dueAt = latestOccurrence(rule, first - 1, now) ?? first;
      await markHandled(db, id, dueAt, nextOccurrence(rule, now) ?? null);
      // A collector that was away for a week should find one job, not seven.
      const waiting = await lockReadyJobOfEvent(db, id);
      if (waiting !== undefined) return { jobId: waiting.id, isNew: false };
      const client = await findClient(db, event.client_id);
      if (client === undefined) throw new Error('a schedule has no collector');
      const assignment = { client, event, dueAt, collection: collectionOf(event) };
      const job = await createJob(db, scheduler, assignment, now);
      return { jobId: job.id, isNew: true };
    });
    if (made === undefined) return;
    log.info(
      { event_id: id, job_id: made.jobId },
      made.isNew ? 'a schedule made a job' : 'a schedule is due, but its last job is still waiting',
    );
  } catch (error) {
    // Its time zone may not be known any more; the other schedules must not wait for that.
    if (!(error instanceof RecurrenceProblem)) throw error;
    log.error({ err: error, event_id: id }, 'the rule of a schedule can not be read: change it');
  }
}
