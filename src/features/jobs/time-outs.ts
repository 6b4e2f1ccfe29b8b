import { serverItself } from '../../caller.ts';
import type { Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { moveJob } from './move.ts';
import { jobStatus } from './states.ts';
import { lockJob } from './store.ts';

/** gap 3.7 */
const silenceMs = 20 * 60_000;
const message = 'Timed out: nothing was heard of it for 20 minutes';

const silent = `
  select j.id from jobs j
  where j.status = 1 and coalesce(j.heard_at, j.last_ingest, j.start_time, 0) <= $1`;

/**
 * Ends running jobs that nobody works on any more, whatever else their collectors do. Tells how many it ended. Silence counts from the moment since which
 * this server can be heard: after an outage of its own, collectors have 20 minutes to come back.
 */
export async function timeOutSilentJobs(deps: Deps, servingSince = 0): Promise<number> {
  const now = deps.clock();
  if (now - servingSince < silenceMs) return 0;
  const candidates = await findSilent(deps.db, now);
  let ended = 0;
  for (const { id } of candidates) if (await timeOut(deps, id)) ended += 1;
  return ended;
}

function findSilent(db: Reader, now: number): Promise<{ id: number }[]> {
  return db.query(`${silent} order by j.id limit 500`, [now - silenceMs]);
}

/** False if it was heard of meanwhile, or somebody else ended the job. */
function timeOut(deps: Deps, id: number): Promise<boolean> {
  return deps.db.transaction(async (db) => {
    const job = await lockJob(db, id);
    const now = deps.clock();
    if (job?.status !== jobStatus.running) return false;
    if ((await db.one(`${silent} and j.id = $2`, [now - silenceMs, id])) === undefined) return false;
    const change = { status: jobStatus.timedOut, status_message: message, end_time: now };
    await moveJob(db, serverItself, now, { action: 'TimeOutJob', job }, change);
    return true;
  });
}

/** For one server; its first run is when it begins to serve. */
export function createTimeOutTask(): Task {
  let servingSince: number | undefined;
  return {
    name: 'time-outs of jobs',
    everyMs: 15_000,
    run: async (deps) => {
      servingSince ??= deps.clock();
      const ended = await timeOutSilentJobs(deps, servingSince);
      if (ended > 0) deps.log.warn({ jobs: ended }, 'jobs timed out: nothing was heard of them');
    },
  };
}
