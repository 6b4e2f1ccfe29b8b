import type { Origin } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';
import { moveJob } from './move.ts';
import { jobStatus } from './states.ts';
import type { JobRow } from './store.ts';

/**
 * Cancels the jobs that nobody will work on any more: those of a deleted collector (ready or running), or the
 * ready ones of a deleted schedule. One audit record each.
 */
export async function cancelJobs(
  db: Transaction,
  origin: Origin,
  of: { readonly clientId: string } | { readonly eventId: number },
  reason: string,
  now: number,
): Promise<number> {
  const isClient = 'clientId' in of;
  const jobs = await db.query<JobRow>(
    isClient
      ? 'update jobs set updated_at = updated_at where client_id = $1 and status in (0, 1) returning *'
      : 'update jobs set updated_at = updated_at where event_id = $1 and status = 0 returning *',
    [isClient ? of.clientId : of.eventId],
  );
  for (const job of jobs) {
    const change = { status: jobStatus.canceled, status_message: reason, end_time: now };
    await moveJob(db, origin, now, { action: 'CancelTask', job }, change);
  }
  return jobs.length;
}
