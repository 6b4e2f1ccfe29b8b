import { serverItself } from '../../caller.ts';
import type { Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { recordAudit } from '../audit/index.ts';
import { checkMove, jobStatus } from './states.ts';
import { lockJob, updateJob } from './store.ts';

/** gap 3.7 */
const silenceMs = 20 * 60_000;
const message = 'Timed out: the collector was not heard of for 20 minutes';

const silent = `
  select j.id from jobs j left join clients c on c.id = j.client_id
  where j.status = 1 and j.start_time <= $1
    and coalesce(c.last_checkin, 0) <= $1 and coalesce(j.last_ingest, 0) <= $1`;

/** Ends running jobs whose collectors have gone. Tells how many it ended. */
export async function timeOutSilentJobs(deps: Deps): Promise<number> {
  const candidates = await findSilent(deps.db, deps.clock());
  let ended = 0;
  for (const { id } of candidates) if (await timeOut(deps, id)) ended += 1;
  return ended;
}

function findSilent(db: Reader, now: number): Promise<{ id: number }[]> {
  return db.query(`${silent} order by j.id limit 500`, [now - silenceMs]);
}

/** False if the collector was heard of meanwhile, or somebody else ended the job. */
function timeOut(deps: Deps, id: number): Promise<boolean> {
  return deps.db.transaction(async (db) => {
    const job = await lockJob(db, id);
    const now = deps.clock();
    if (job?.status !== jobStatus.running) return false;
    if ((await db.one(`${silent} and j.id = $2`, [now - silenceMs, id])) === undefined) return false;
    checkMove(`job ${id}`, job.status, jobStatus.timedOut);
    await recordAudit(db, serverItself, now, {
      action: 'TimeOutJob',
      fields: {
        job_id: id,
        client: { id: job.client_id, name: job.client_name },
        before: { status: job.status, status_message: job.status_message },
        after: { status: jobStatus.timedOut, status_message: message },
      },
    });
    await updateJob(db, job, { status: jobStatus.timedOut, status_message: message, end_time: now }, now);
    return true;
  });
}

export const timeOutTask: Task = {
  name: 'time-outs of jobs',
  everyMs: 15_000,
  run: async (deps) => {
    const ended = await timeOutSilentJobs(deps);
    if (ended > 0) deps.log.warn({ jobs: ended }, 'jobs timed out: their collectors were not heard of');
  },
};
