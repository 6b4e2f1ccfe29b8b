import type { Caller, Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { recordAudit } from '../audit/index.ts';
import { lockJobOfCollector } from './collector.ts';
import type { EndReport } from './end-request.ts';
import { toTaskView } from './schema.ts';
import { readScope } from './scope.ts';
import { checkMove, type JobStatus, jobStatus, statusWords } from './states.ts';
import {
  findJob,
  findLatestStartedJobOf,
  findRunningJobIds,
  insertDomainResults,
  type JobRow,
  listDomainResults,
  lockJob,
  updateJob,
} from './store.ts';

/** gap 3.2: a ready or running task becomes canceled; one that already is stays as it was. */
export async function cancelTask(
  deps: Deps,
  db: Db,
  graph: Db,
  origin: Origin,
  id: bigint,
  word: 'task' | 'job' = 'task',
) {
  const found = await findJob(db, id);
  if (found === undefined) throw noSuch(word, id);
  // A job's scope never changes, so it is read before the change: nothing may fail after the commit.
  const scope = await readScope(graph, found);
  return db.transaction(async (db) => {
    let job = await lockJob(db, id);
    if (job === undefined) throw noSuch(word, id);
    if (job.status !== jobStatus.canceled) {
      checkMove(`${word} ${id}`, job.status, jobStatus.canceled);
      const now = deps.clock();
      const change = {
        status: jobStatus.canceled,
        status_message: `Canceled by ${origin.actor.name}`,
        end_time: now,
      };
      await recordChange(db, origin, now, 'CancelTask', job, change.status, change.status_message);
      job = await updateJob(db, job, change, now);
    }
    return toTaskView(job, await listDomainResults(db, job.id), scope);
  });
}

/** gaps 3.3 to 3.5: ends a running job; telling it twice changes nothing and gets the same answer. */
export function endJob(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  report: EndReport,
): Promise<JobRow> {
  return db.transaction(async (db) => {
    let job =
      caller.kind === 'client' ? await jobOfCollector(db, caller.id, report) : await jobForUser(db, report);
    if (job.status === jobStatus.running) {
      const now = deps.clock();
      const status = statusAfter(job, report);
      checkMove(`job ${job.id}`, job.status, status);
      const message = report.message === '' ? statusWords[status] : report.message;
      await recordChange(db, origin, now, 'EndJob', job, status, message);
      await insertDomainResults(db, job.id, report.domainResults, now);
      const change = { status, status_message: message, reported_status: report.status, end_time: now };
      job = await updateJob(db, job, change, now);
    }
    return job;
  });
}

/** gap 3.4: a job that sent something is ingested and analysed before it is complete. */
function statusAfter(job: JobRow, report: EndReport): JobStatus {
  if (report.status === jobStatus.failed) return jobStatus.failed;
  return job.last_ingest === null ? jobStatus.complete : jobStatus.ingesting;
}

/** gap 3.5: an end that is told again, because its answer was lost, changes nothing. */
async function jobOfCollector(db: Transaction, clientId: string, report: EndReport): Promise<JobRow> {
  const latest = await findLatestStartedJobOf(db, clientId);
  const isRepeated = latest !== undefined && latest.reported_status === report.status;
  return isRepeated && latest.status !== jobStatus.running ? latest : lockJobOfCollector(db, clientId);
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

function recordChange(
  db: Transaction,
  origin: Origin,
  now: number,
  action: string,
  job: JobRow,
  status: JobStatus,
  message: string,
): Promise<void> {
  return recordAudit(db, origin, now, {
    action,
    fields: {
      job_id: job.id,
      client: { id: job.client_id, name: job.client_name },
      before: { status: job.status, status_message: job.status_message },
      after: { status, status_message: message },
    },
  });
}

function noSuch(word: 'task' | 'job', id: bigint): AppError {
  return new AppError('not_found', `${word} ${id} does not exist`, { context: `${word}_id` });
}
