import type { Origin } from '../../caller.ts';
import type { Db, Look, Reader, Transaction } from '../../db/client.ts';
import type { AnalysisProgress, AnalysisStage } from '../../graph/analysis/run.ts';
import { day } from '../../values/time.ts';

/** Without a word from its runner for this long, a run is over. */
export const leaseMs = 10_000;
const keptForMs = 30 * day;

/**
 * In the transaction of what it follows from. Numbers become visible in their order: a run that takes a higher one must
 * not answer a lower one whose cause it can't see yet.
 */
export async function insertRequest(
  db: Transaction,
  origin: Origin,
  reason: string,
  now: number,
): Promise<number> {
  await lockState(db);
  const row = await db.one<{ id: number }>(
    'insert into analysis_requests (asked_at, reason, origin) values ($1, $2, $3) returning id',
    [now, reason, JSON.stringify(origin)],
  );
  if (row === undefined) throw new Error('the store gave the request no number');
  return row.id;
}

export interface StateRow {
  readonly runner: string | null;
  readonly lease_until: number | null;
  readonly request_id: number | null;
  readonly stage: AnalysisStage | null;
  readonly percent: number | null;
  readonly failures: number;
  readonly given_up: number;
  readonly rrule: string;
  readonly next_at: number | null;
}

const columns = 'runner, lease_until, request_id, stage, percent, failures, given_up, rrule, next_at';

export async function readState(db: Reader): Promise<StateRow> {
  return found(await db.one<StateRow>(`select ${columns} from analysis_state where id = 1`));
}

/** As it is now; nobody else can change it until the transaction ends. */
export async function lockState(db: Transaction): Promise<StateRow> {
  return found(
    await db.one<StateRow>(`update analysis_state set failures = failures where id = 1 returning ${columns}`),
  );
}

function found(row: StateRow | undefined): StateRow {
  if (row === undefined) throw new Error('the store does not know who analyses');
  return row;
}

/** The newest request behind those; `undefined` when there is none. */
export async function findNewest(db: Reader, after: number): Promise<number | undefined> {
  const row = await db.one<{ id: number | null }>(
    'select max(id) as id from analysis_requests where id > $1',
    [after],
  );
  return row?.id ?? undefined;
}

/** A new request; or a runner that was not heard of for too long. */
export const requestLooks: readonly Look[] = [
  { store: 'db', sql: 'select coalesce(max(id), 0) from analysis_requests', due: 'on change' },
  {
    store: 'db',
    sql: 'select count(*) from analysis_state where id = 1 and runner is not null and lease_until < $1',
    due: 'on change',
  },
];

export const scheduleLook: Look = {
  store: 'db',
  sql: 'select count(*) from analysis_state where id = 1 and next_at <= $1',
  due: 'while',
};

/** Who asked for what this run answers. */
export function listRequests(
  db: Reader,
  after: number,
  upTo: number,
): Promise<{ reason: string; origin: string }[]> {
  return db.query(
    'select reason, origin from analysis_requests where id > $1 and id <= $2 order by id limit 20',
    [after, upTo],
  );
}

export async function takeRun(
  db: Transaction,
  runner: string,
  requestId: number,
  now: number,
): Promise<void> {
  await db.execute(
    `update analysis_state set runner = $1, lease_until = $2, request_id = $3, stage = 'loading', percent = 0
     where id = 1`,
    [runner, now + leaseMs, requestId],
  );
}

/** Tells that the runner is still at it, and how far; false when the run is no longer its own. */
export function extendRun(
  db: Db,
  runner: string,
  { stage, percent }: AnalysisProgress,
  now: number,
): Promise<boolean> {
  return db.transaction(async (db) => {
    const changed = await db.execute(
      'update analysis_state set lease_until = $2, stage = $3, percent = $4 where id = 1 and runner = $1',
      [runner, now + leaseMs, stage, percent],
    );
    return changed === 1;
  });
}

/** Nobody runs one any more; false when it was not this runner's. */
export async function releaseRun(
  db: Transaction,
  runner: string,
  { failures, givenUp }: { failures: number; givenUp: number },
): Promise<boolean> {
  const changed = await db.execute(
    `update analysis_state set runner = null, lease_until = null, request_id = null, stage = null, percent = null,
       failures = $2, given_up = $3 where id = 1 and runner = $1`,
    [runner, failures, givenUp],
  );
  return changed === 1;
}

/** For whoever knows to be the only one: a run that was under way is not any more. */
export function forgetRun(db: Db): Promise<number> {
  return db.transaction((db) =>
    db.execute(
      `update analysis_state set runner = null, lease_until = null, request_id = null, stage = null, percent = null
       where id = 1 and runner is not null`,
    ),
  );
}

export async function setSchedule(db: Transaction, rrule: string, nextAt: number | null): Promise<void> {
  await db.execute('update analysis_state set rrule = $1, next_at = $2 where id = 1', [rrule, nextAt]);
}

/** Requests that were answered long ago. */
export function deleteOldRequests(db: Db, upTo: number, now: number): Promise<number> {
  return db.transaction((db) =>
    db.execute('delete from analysis_requests where id <= $1 and asked_at < $2', [upTo, now - keptForMs]),
  );
}
