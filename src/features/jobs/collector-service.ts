import type { ClientCaller, Origin } from '../../caller.ts';
import type { Db, Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { formatRfc3339 } from '../../values/time.ts';
import { recordAudit } from '../audit/index.ts';
import { findClient, recordCheckin } from '../clients/index.ts';
import { lockJobOfCollector } from './collector.ts';
import { checkMove, jobStatus, statusWords } from './states.ts';
import { findRunningJobOf, type JobRow, jobSelect, lockJob, updateJob } from './store.ts';

/** Collectors ask every few seconds; that they are alive need not be written down as often. */
const checkinEveryMs = 10_000;
/** A collector runs one job at a time: more than this many waiting ones are of no use to it. */
const maxAvailable = 100;

/** gap 3.7: whatever a collector asks for, it was heard of. */
export async function heardOf(deps: Deps, db: Db, caller: ClientCaller): Promise<void> {
  const now = deps.clock();
  const client = await findClient(db, caller.id);
  if (client === undefined || now - (client.last_checkin ?? 0) < checkinEveryMs) return;
  await db.transaction((db) => recordCheckin(db, caller.id, now));
}

/** The jobs that a collector may start now, oldest first. */
export function listAvailable(db: Reader, clientId: string, now: number): Promise<JobRow[]> {
  return db.query<JobRow>(
    `select ${jobSelect} from jobs j where j.client_id = $1 and j.status = 0 and j.execution_time <= $2
     order by j.execution_time, j.id limit ${maxAvailable}`,
    [clientId, now],
  );
}

/** The job that a collector runs; throws what gap 3.5 says when it runs none. */
export async function currentJob(db: Db, clientId: string): Promise<JobRow> {
  const running = await findRunningJobOf(db, clientId);
  return running ?? db.transaction((db) => lockJobOfCollector(db, clientId));
}

/** Starts a job of the caller's: once, and only while it runs no other. Asking again is the same answer. */
export function startJob(
  deps: Deps,
  db: Db,
  caller: ClientCaller,
  origin: Origin,
  id: number,
): Promise<JobRow> {
  return db.transaction(async (db) => {
    await db.lock(`collector: ${caller.id}`);
    const job = await lockJob(db, id);
    // Somebody else's job is not there for a collector.
    if (job === undefined || job.client_id !== caller.id)
      throw new AppError('not_found', `job ${id} does not exist`, { context: 'id' });
    if (job.status === jobStatus.running) return job;
    checkMove(`job ${id}`, job.status, jobStatus.running);
    const now = deps.clock();
    if (job.execution_time > now)
      throw new AppError('conflict', `job ${id} is not due before ${formatRfc3339(job.execution_time)}`);
    const other = await findRunningJobOf(db, caller.id);
    if (other !== undefined)
      throw new AppError('conflict', `job ${other.id} is running already: end it before you start another`);
    const change = {
      status: jobStatus.running,
      status_message: statusWords[jobStatus.running],
      start_time: now,
    };
    await recordCheckin(db, caller.id, now);
    await recordAudit(db, origin, now, {
      action: 'StartJob',
      fields: {
        job_id: id,
        client: { id: caller.id, name: caller.name },
        before: { status: job.status, status_message: job.status_message },
        after: { status: change.status, status_message: change.status_message },
      },
    });
    return updateJob(db, job, change, now);
  });
}
