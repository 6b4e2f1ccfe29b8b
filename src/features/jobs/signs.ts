import type { Origin } from '../../caller.ts';
import type { Db, Reader, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { moveJob } from './move.ts';
import { jobStatus, nothingArrived } from './states.ts';
import { type JobRow, lockRunningJobOf } from './store.ts';

/** Collectors ask every 5 to 30 seconds; not every time is written down. */
const noteEveryMs = 10_000;
/** gap 3.9: who asks for jobs for so long runs none. At least four signs of life of a job would have come meanwhile. */
export const askingMs = 2 * 60_000;
/** After a longer pause asking begins anew: whoever could not reach the server can't have shown a sign of life. */
export const longestPauseMs = 60_000;

/** What is known of a running job's life. */
interface Signs {
  readonly id: number;
  readonly heard_at: number;
  readonly asked_since: number | null;
  readonly asked_at: number | null;
  readonly is_shared: number;
}

function findSigns(db: Reader, clientId: string): Promise<Signs | undefined> {
  return db.one<Signs>(
    `select id, coalesce(heard_at, last_ingest, start_time, 0) as heard_at, asked_since, asked_at, is_shared
     from jobs where client_id = $1 and status = 1`,
    [clientId],
  );
}

/** gap 3.7: the job is worked on. Who asked for others meanwhile was another process of the collector. */
export async function recordSign(db: Transaction, jobId: number, now: number): Promise<void> {
  await db.execute(
    `update jobs set heard_at = $2, is_shared = case when asked_since is null then is_shared else 1 end,
       asked_since = null, asked_at = null
     where id = $1 and status = 1`,
    [jobId, now],
  );
}

/** `recordSign`, but not every few seconds. */
export async function noteSign(deps: Deps, db: Db, clientId: string): Promise<void> {
  const now = deps.clock();
  const signs = await findSigns(db, clientId);
  if (signs === undefined || (signs.asked_since === null && isJustNow(signs.heard_at, now))) return;
  await db.transaction((db) => recordSign(db, signs.id, now));
}

/** A collector asks what else there is to do: the job that it seems to run may be one that it has given up. */
export async function noteAsking(deps: Deps, db: Db, origin: Origin, clientId: string): Promise<void> {
  const signs = await findSigns(db, clientId);
  if (signs === undefined || signs.is_shared !== 0) return;
  const now = deps.clock();
  const since = askingSince(signs, now);
  if (signs.asked_at !== null && isJustNow(signs.asked_at, now) && now - since < askingMs) return;
  await db.transaction(async (db) => {
    await db.lock(`collector: ${clientId}`);
    await endIfAbandoned(db, origin, clientId, now);
  });
}

/** Under the collector's lock: notes that it asks for other jobs, and ends the one that it has given up. */
export async function endIfAbandoned(
  db: Transaction,
  origin: Origin,
  clientId: string,
  now: number,
): Promise<JobRow | undefined> {
  const job = await lockRunningJobOf(db, clientId);
  const signs = job && (await findSigns(db, clientId));
  if (job === undefined || signs === undefined || signs.is_shared !== 0) return undefined;
  const since = askingSince(signs, now);
  if (now - since < askingMs) {
    await db.execute('update jobs set asked_since = $2, asked_at = $3 where id = $1', [job.id, since, now]);
    return undefined;
  }
  const hasData = job.last_ingest !== null;
  const rest = hasData ? 'What arrived is kept; the rest is missing.' : nothingArrived;
  return moveJob(
    db,
    origin,
    now,
    { action: 'AbandonJob', job },
    {
      status: hasData ? jobStatus.ingesting : jobStatus.failed,
      status_message: `Abandoned: its collector went on to ask for other jobs. ${rest}`,
      end_time: now,
      abandoned_at: now,
    },
  );
}

function askingSince({ asked_since, asked_at }: Signs, now: number): number {
  const goesOn =
    asked_since !== null && asked_at !== null && now >= asked_at && now - asked_at <= longestPauseMs;
  return goesOn ? asked_since : now;
}

function isJustNow(at: number, now: number): boolean {
  return now >= at && now - at < noteEveryMs;
}
