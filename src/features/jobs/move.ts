import type { Origin } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';
import { recordAudit } from '../audit/index.ts';
import { checkMove, type JobStatus } from './states.ts';
import { type JobChange, type JobRow, updateJob } from './store.ts';

/** The only way in which a job changes its state: the move is checked and recorded. */
export async function moveJob(
  db: Transaction,
  origin: Origin,
  now: number,
  move: { readonly action: string; readonly job: JobRow; readonly word?: 'task' | 'job' },
  change: JobChange & { readonly status: JobStatus; readonly status_message: string },
): Promise<JobRow> {
  const { action, job, word = 'job' } = move;
  checkMove(`${word} ${job.id}`, job.status, change.status);
  await recordAudit(db, origin, now, {
    action,
    fields: {
      job_id: job.id,
      client: { id: job.client_id, name: job.client_name },
      before: { status: job.status, status_message: job.status_message },
      after: { status: change.status, status_message: change.status_message },
    },
  });
  return updateJob(db, job, change, now);
}
