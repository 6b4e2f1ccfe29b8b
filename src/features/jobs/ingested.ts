import { serverItself } from '../../caller.ts';
import type { Reader, Transaction } from '../../db/client.ts';
import { moveJob } from './move.ts';
import { type JobStatus, jobStatus, statusWords } from './states.ts';
import { type JobRow, lockJob } from './store.ts';

/** What became of the files that a job sent. */
export interface IngestOutcome {
  readonly complete: number;
  readonly failed: number;
  /** A sentence for people, where something failed. */
  readonly reason: string | undefined;
}

/** Ingesting or analyzing. */
export async function findJobsUnderWay(db: Reader): Promise<number[]> {
  const rows = await db.query<{ id: number }>('select id from jobs where status in (6, 7) order by id');
  return rows.map(({ id }) => id);
}

/** Locks a job that is ingesting or analyzing; nothing if it has moved on. */
export async function lockJobUnderWay(db: Transaction, id: number): Promise<JobRow | undefined> {
  const job = await lockJob(db, id);
  return job?.status === jobStatus.ingesting || job?.status === jobStatus.analyzing ? job : undefined;
}

/** gap 3.4: all files of the job are read. It is analysed, unless none of them was any good. */
export async function finishIngesting(
  db: Transaction,
  job: JobRow,
  outcome: IngestOutcome,
  now: number,
): Promise<void> {
  if (job.status === jobStatus.analyzing) return finishAnalyzing(db, job, outcome, now);
  if (outcome.complete === 0 && outcome.failed > 0) {
    await move(db, job, jobStatus.invalid, outcome.reason, now);
    return;
  }
  await finishAnalyzing(db, await move(db, job, jobStatus.analyzing, undefined, now), outcome, now);
}

/** There is no analysis yet that could be waited for: what is read is done. */
async function finishAnalyzing(
  db: Transaction,
  job: JobRow,
  { failed, reason }: IngestOutcome,
  now: number,
): Promise<void> {
  await move(db, job, failed === 0 ? jobStatus.complete : jobStatus.partiallyComplete, reason, now);
}

async function move(
  db: Transaction,
  job: JobRow,
  status: JobStatus,
  reason: string | undefined,
  now: number,
): Promise<JobRow> {
  // What its collector said stays, unless there is something to explain.
  const isOwnWord = job.status_message === statusWords[job.status];
  const message = reason ?? (isOwnWord ? statusWords[status] : job.status_message);
  const action = status === jobStatus.analyzing ? 'AnalyzeJob' : 'FinishJob';
  return moveJob(db, serverItself, now, { action, job }, { status, status_message: message });
}
