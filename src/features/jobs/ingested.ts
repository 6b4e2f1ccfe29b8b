import { serverItself } from '../../caller.ts';
import type { Look, Reader, Transaction } from '../../db/client.ts';
import { moveJob } from './move.ts';
import { type JobStatus, jobStatus, statusWords } from './states.ts';
import { type JobRow, lockJob } from './store.ts';

/** What jobs and uploads say whose analysis was given up. */
export const analysisFailed = 'Analysis failed';

/** What became of the files that a job sent. */
export interface IngestOutcome {
  readonly complete: number;
  readonly failed: number;
  /** A sentence for people, where something failed. */
  readonly reason: string | undefined;
}

export interface JobUnderWay {
  readonly id: number;
  readonly status: JobStatus;
  /** The analysis that an analyzing one waits for; null before it was asked for. */
  readonly analysis_request_id: number | null;
}

/** Ingesting or analyzing. */
export const jobsUnderWayLook: Look = {
  store: 'db',
  sql: 'select count(*) from (select id from jobs where status in (6, 7) limit 1) under_way',
  due: 'while',
};

export function findJobsUnderWay(db: Reader): Promise<JobUnderWay[]> {
  return db.query<JobUnderWay>(
    'select id, status, analysis_request_id from jobs where status in (6, 7) order by id',
  );
}

/** Locks a job that is still in this state; nothing if it has moved on. */
export async function lockJobUnderWay(
  db: Transaction,
  { id, status }: JobUnderWay,
): Promise<JobRow | undefined> {
  const job = await lockJob(db, id);
  return job?.status === status ? job : undefined;
}

/** gap 3.4: all files of the job are read. It is analysed, unless none of them was any good. */
export async function finishIngesting(
  db: Transaction,
  job: JobRow,
  outcome: IngestOutcome,
  askForAnalysis: () => Promise<number>,
  now: number,
): Promise<void> {
  if (outcome.complete === 0 && outcome.failed > 0) {
    await move(db, job, jobStatus.invalid, outcome.reason, now);
    return;
  }
  await move(db, job, jobStatus.analyzing, undefined, now);
  await awaitAnalysis(db, job, await askForAnalysis());
}

export async function awaitAnalysis(db: Transaction, { id }: JobRow, requestId: number): Promise<void> {
  await db.execute('update jobs set analysis_request_id = $2 where id = $1', [id, requestId]);
}

/** The analysis that the job waited for is published, or was given up. */
export async function finishAnalyzing(
  db: Transaction,
  job: JobRow,
  outcome: IngestOutcome,
  isAnalysed: boolean,
  now: number,
): Promise<void> {
  if (!isAnalysed) await move(db, job, jobStatus.failed, analysisFailed, now);
  else {
    const isWhole = outcome.failed === 0 && job.abandoned_at === null;
    await move(db, job, isWhole ? jobStatus.complete : jobStatus.partiallyComplete, outcome.reason, now);
  }
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
  const said = isOwnWord ? undefined : job.status_message;
  const message =
    reason === undefined
      ? (said ?? statusWords[status])
      : job.abandoned_at === null
        ? reason
        : `${said} ${reason}`;
  const action = status === jobStatus.analyzing ? 'AnalyzeJob' : 'FinishJob';
  return moveJob(db, serverItself, now, { action, job }, { status, status_message: message });
}
