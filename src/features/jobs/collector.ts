import type { Transaction } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { countBatch } from './arrived.ts';
import { recordSign } from './signs.ts';
import { jobStatus, statusWords } from './states.ts';
import { findLatestStartedJobOf, type JobRow, lockRunningJobOf } from './store.ts';

/** gap 3.5: the job that a collector means; throws when it runs none, saying why. */
export async function lockJobOfCollector(db: Transaction, clientId: string): Promise<JobRow> {
  const running = await lockRunningJobOf(db, clientId);
  if (running !== undefined) return running;
  const latest = await findLatestStartedJobOf(db, clientId);
  if (latest != null && latest.abandoned_at !== null) {
    throw new AppError('conflict', `job ${latest.id} has ended already: this collector asked for other jobs`);
  }
  if (latest?.status === jobStatus.canceled || latest?.status === jobStatus.timedOut) {
    throw new AppError('conflict', `job ${latest.id} is ${statusWords[latest.status].toLowerCase()} already`);
  }
  throw new AppError('not_found', 'this collector has no running job');
}

/** Something that the job's collector sent is kept: its end will have to wait until that is read. */
export async function recordIngest(db: Transaction, jobId: number, now: number): Promise<void> {
  await db.execute('update jobs set last_ingest = $2, updated_at = $2 where id = $1', [jobId, now]);
  await countBatch(db, jobId);
  await recordSign(db, jobId, now);
}
