import type { Caller, Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { recordCheckin } from '../clients/registry/index.ts';
import { lockJobOfCollector } from './collector.ts';
import type { EndReport } from './end-request.ts';
import { moveJob } from './move.ts';
import { readScope, type Scope } from './scope.ts';
import { type JobStatus, jobStatus, statusWords } from './states.ts';
import {
  type DomainResultRow,
  findJob,
  findLatestStartedJobOf,
  findRunningJobIds,
  insertDomainResults,
  type JobRow,
  listDomainResults,
  lockJob,
  lockRunningJobOf,
} from './store.ts';

/** A job with the results of its domains, both of the moment of a change: nothing may fail after its commit. */
export interface JobWithResults {
  readonly job: JobRow;
  readonly results: DomainResultRow[];
}

/** gap 3.2: a ready or running task becomes canceled; one that already is stays as it was. */
export async function cancelTask(
  deps: Deps,
  db: Db,
  graph: Db,
  origin: Origin,
  id: bigint,
  word: 'task' | 'job' = 'task',
): Promise<JobWithResults & { scope: Scope }> {
  const found = await findJob(db, id);
  if (found === undefined) throw noSuch(word, id);
  // A job's scope never changes, so it is read before the change.
  const scope = await readScope(graph, found);
  return db.transaction(async (db) => {
    let job = await lockJob(db, id);
    if (job === undefined) throw noSuch(word, id);
    if (job.status !== jobStatus.canceled) {
      const now = deps.clock();
      job = await moveJob(
        db,
        origin,
        now,
        { action: 'CancelTask', job, word },
        {
          status: jobStatus.canceled,
          status_message: `Canceled by ${origin.actor.name}`,
          end_time: now,
        },
      );
    }
    return { job, results: await listDomainResults(db, job.id), scope };
  });
}

/** gaps 3.3 to 3.5: ends a running job; telling it twice changes nothing and gets the same answer. */
export function endJob(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  report: EndReport,
): Promise<JobWithResults> {
  return db.transaction(async (db) => {
    const now = deps.clock();
    if (caller.kind === 'client') await recordCheckin(db, caller.id, now);
    let job =
      caller.kind === 'client' ? await jobOfCollector(db, caller.id, report) : await jobForUser(db, report);
    if (job.status === jobStatus.running) {
      const status = statusAfter(job, report);
      await insertDomainResults(db, job.id, report.domainResults, now);
      job = await moveJob(
        db,
        origin,
        now,
        { action: 'EndJob', job },
        {
          status,
          status_message: report.message === '' ? statusWords[status] : report.message,
          reported_status: report.status,
          end_time: now,
        },
      );
    }
    return { job, results: await listDomainResults(db, job.id) };
  });
}

/** gap 3.4: a job that sent something is ingested and analysed before it is complete. */
function statusAfter(job: JobRow, report: EndReport): JobStatus {
  if (report.status === jobStatus.failed) return jobStatus.failed;
  return job.last_ingest === null ? jobStatus.complete : jobStatus.ingesting;
}

/**
 * gap 3.5: an end that is told again, because its answer was lost, changes nothing. The running job is asked for
 * first: while another end of the same job is under way, this waits for it and then sees what it did.
 */
async function jobOfCollector(db: Transaction, clientId: string, report: EndReport): Promise<JobRow> {
  const running = await lockRunningJobOf(db, clientId);
  if (running !== undefined) return running;
  const latest = await findLatestStartedJobOf(db, clientId);
  return latest?.reported_status === report.status ? latest : lockJobOfCollector(db, clientId);
}

async function jobForUser(db: Transaction, report: EndReport): Promise<JobRow> {
  const id = report.jobId ?? (await theOneRunningJob(db));
  const job = await lockJob(db, id);
  if (job === undefined) throw new AppError('not_found', `job ${id} does not exist`, { context: 'job_id' });
  if (job.status === jobStatus.running || job.reported_status === report.status) return job;
  throw new AppError('conflict', `job ${id} is ${statusWords[job.status].toLowerCase()}, not running`);
}

async function theOneRunningJob(db: Transaction): Promise<number> {
  const [first, second] = await findRunningJobIds(db);
  if (first !== undefined && second === undefined) return first;
  const why = first === undefined ? 'no job is running' : 'several jobs are running';
  throw new AppError('bad_request', `${why}: name the job to end with job_id`, { context: 'job_id' });
}

function noSuch(word: 'task' | 'job', id: bigint): AppError {
  return new AppError('not_found', `${word} ${id} does not exist`, { context: `${word}_id` });
}
