import type { Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { formatRfc3339 } from '../../values/time.ts';
import { recordAudit } from '../audit/index.ts';
import { stepOfCode, unsealSeed } from './totp.ts';

/** gap 8.1: there are only a million codes, so the limit holds everywhere, for the owner too. */
const maxFailures = 10;
const windowMs = 15 * 60_000;
const pauseMs = 15 * 60_000;

let pauses = 0;

/** How often this process has paused somebody's one-time passwords. */
export function countPauses(): number {
  return pauses;
}

interface Failures {
  readonly failures: number;
  readonly since: number;
  readonly paused_until: number;
}

/** The time step that a code belongs to, or undefined for a wrong one; throws `rate_limited` during a pause. */
export async function checkOneTimePassword(
  deps: Deps,
  db: Db,
  origin: Origin,
  user: { readonly id: string; readonly name: string; readonly sealedSeed: string },
  code: string,
): Promise<number | undefined> {
  const { step, pausedMs } = await db.transaction(async (db) => {
    // One after the other, or many at once could all be looked at before the first has failed.
    await db.lock(`one-time password of ${user.id}`);
    const now = deps.clock();
    const before = await findFailures(db, user.id);
    const pausedMs = Math.min(pauseMs, (before?.paused_until ?? 0) - now);
    if (before !== undefined && pausedMs > 0) {
      // The clock may have been set back: no pause lasts longer than it is meant to.
      await putFailures(db, user.id, { ...before, paused_until: now + pausedMs });
      return { step: undefined, pausedMs };
    }
    const step = stepOfCode(unsealSeed(deps.keys, user.id, user.sealedSeed), code.trim(), now);
    if (step === undefined) await countFailure(db, origin, user, before, now);
    return { step, pausedMs: 0 };
  });
  if (pausedMs > 0) {
    throw new AppError('rate_limited', tooManyCodes, { retryAfterSeconds: Math.ceil(pausedMs / 1000) });
  }
  return step;
}

export const tooManyCodes =
  'too many wrong one-time passwords: wait as many seconds as Retry-After says and try again';

async function countFailure(
  db: Transaction,
  origin: Origin,
  user: { readonly id: string; readonly name: string },
  before: Failures | undefined,
  now: number,
): Promise<void> {
  const goesOn = before !== undefined && before.since > now - windowMs;
  const failures = (goesOn ? before.failures : 0) + 1;
  if (failures < maxFailures) {
    const since = goesOn ? Math.min(before.since, now) : now;
    return putFailures(db, user.id, { failures, since, paused_until: 0 });
  }
  const until = now + pauseMs;
  await putFailures(db, user.id, { failures: 0, since: now, paused_until: until });
  await recordAudit(db, { ...origin, actor: { kind: 'user', id: user.id, name: user.name } }, now, {
    action: 'PauseOneTimePasswords',
    outcome: 'failure',
    fields: {
      user: { id: user.id, principal_name: user.name },
      failures,
      paused_until: formatRfc3339(until),
    },
  });
  db.afterCommit(() => {
    pauses += 1;
  });
}

function findFailures(db: Transaction, userId: string): Promise<Failures | undefined> {
  return db.one<Failures>(
    'select failures, since, paused_until from one_time_password_failures where user_id = $1',
    [userId],
  );
}

async function putFailures(
  db: Transaction,
  userId: string,
  { failures, since, paused_until }: Failures,
): Promise<void> {
  await db.execute(
    `insert into one_time_password_failures (user_id, failures, since, paused_until) values ($1, $2, $3, $4)
     on conflict (user_id) do update set
       failures = excluded.failures, since = excluded.since, paused_until = excluded.paused_until`,
    [userId, failures, since, paused_until],
  );
}

export async function forgetOldFailures(db: Transaction, now: number): Promise<void> {
  await db.execute('delete from one_time_password_failures where since <= $1 and paused_until <= $2', [
    now - windowMs,
    now,
  ]);
}
