import type { ClientCaller, Origin } from '../../caller.ts';
import type { Db, Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { type List, type ListRequest, narrowed, readRows } from '../../http/list.ts';
import { formatRfc3339 } from '../../values/time.ts';
import { findClient, recordCheckin } from '../clients/registry/index.ts';
import { lockJobOfCollector } from './collector.ts';
import { jobList } from './list.ts';
import { moveJob } from './move.ts';
import type { JobWithResults } from './service.ts';
import { endIfAbandoned, recordSign } from './signs.ts';
import { checkMove, jobStatus, statusWords } from './states.ts';
import { findRunningJobOf, type JobRow, lockJob } from './store.ts';

/** Collectors ask every few seconds; that they are alive need not be written down as often. */
const checkinEveryMs = 10_000;
/** Oldest first, and few: a collector runs one job at a time, and asks every few seconds. */
export const availableList: List = { ...jobList, defaultSort: ['execution_time'], defaultLimit: 10 };

/** gap 3.7: whatever a collector asks for, it was heard of. */
export async function heardOf(deps: Deps, db: Db, caller: ClientCaller): Promise<void> {
  const now = deps.clock();
  const client = await findClient(db, caller.id);
  if (client === undefined || now - (client.last_checkin ?? 0) < checkinEveryMs) return;
  await db.transaction((db) => recordCheckin(db, caller.id, now));
}

/** The jobs that a collector may start now. */
export function listAvailable(
  db: Reader,
  request: ListRequest,
  clientId: string,
  now: number,
): Promise<JobRow[]> {
  const own = narrowed(request, 'j.client_id = $1 and j.status = 0', clientId);
  return readRows<JobRow>(db, availableList, narrowed(own, 'j.execution_time <= $1', now));
}

/** The job that a collector runs; throws what gap 3.5 says when it runs none. */
export async function currentJob(db: Db, clientId: string): Promise<JobRow> {
  const running = await findRunningJobOf(db, clientId);
  return running ?? db.transaction((db) => lockJobOfCollector(db, clientId));
}

/** Starts a job of the caller's: once, and only while it runs no other. Asking again is the same answer. */
export async function startJob(
  deps: Deps,
  db: Db,
  caller: ClientCaller,
  origin: Origin,
  id: number,
): Promise<JobWithResults> {
  const started = await db.transaction(async (db): Promise<JobWithResults | { refused: number }> => {
    await db.lock(`collector: ${caller.id}`);
    const now = deps.clock();
    await recordCheckin(db, caller.id, now);
    const job = await lockJob(db, id);
    // Somebody else's job is not there for a collector.
    if (job === undefined || job.client_id !== caller.id)
      throw new AppError('not_found', `job ${id} does not exist`, { context: 'id' });
    if (job.status === jobStatus.running) {
      // Told again, because the answer was lost.
      await recordSign(db, id, now);
      // It has no results before its end.
      return { job, results: [] };
    }
    checkMove(`job ${id}`, job.status, jobStatus.running);
    if (job.execution_time > now)
      throw new AppError('conflict', `job ${id} is not due before ${formatRfc3339(job.execution_time)}`);
    await endIfAbandoned(db, origin, caller.id, now);
    const other = await findRunningJobOf(db, caller.id);
    if (other !== undefined) return { refused: other.id };
    const started = await moveJob(
      db,
      origin,
      now,
      { action: 'StartJob', job },
      { status: jobStatus.running, status_message: statusWords[jobStatus.running], start_time: now },
    );
    await recordSign(db, id, now);
    return { job: started, results: [] };
  });
  // What was noted about the other job stays.
  if ('refused' in started) {
    const message = `job ${started.refused} is running already: end it before you start another`;
    throw new AppError('conflict', message);
  }
  return started;
}
