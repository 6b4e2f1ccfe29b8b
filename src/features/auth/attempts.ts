import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Reader, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { placeOf } from '../../http/address.ts';
import { hour } from '../../values/time.ts';
import { isKnownPlace } from './places.ts';
import { inTurn } from './turns.ts';

/** gap 8.1: failures with passwords and keys, counted in the store. */
const minute = 60_000;
const maxPerName = 10;
const maxPerPlace = 100;
/** So many failures with a name within an hour cost nothing; each further one doubles the wait for the next. */
const freePerName = 10;
const firstDelayMs = 1000;
const longestDelayMs = 5 * minute;
/** Clocks of processes that share a store differ a little; what is further ahead was written before a step back. */
const skewMs = 1000;
const lookAgainMs = 20;

export const tooManyFailures =
  'too many failed sign-ins: wait as many seconds as Retry-After says and try again';

/** Whose secret is tried, and from where. */
export interface Tried {
  /** Keys of collectors can't be guessed, so failures elsewhere do not slow them down. */
  readonly kind: 'person' | 'collector';
  /** As it was typed: were it the account's own id, it would show who has an account. */
  readonly name: string;
  readonly address: string;
  readonly userId: string | undefined;
}

/**
 * Checks a password when its turn has come, as an attempt that counts from its start: many at once can't slip
 * through before the first has failed. The caller then either forgets the attempt or fails it.
 */
export async function tryPassword(
  deps: Deps,
  db: Db,
  tried: Tried,
  matches: () => Promise<boolean>,
): Promise<{ attempt: string; matches: boolean }> {
  // Whoever is over a limit is told before they wait in the queue, and without a place in it.
  let attempt =
    (await readLimits(deps, db, tried)).freeAt > deps.clock() ? await enter(deps, db, tried) : undefined;
  return inTurn(db.deadline, async () => {
    const id = attempt ?? (await beginAttempt(deps, db, tried));
    attempt = id;
    return { attempt: id, matches: await matches() };
  }).catch(async (error: unknown) => {
    // What could not be checked is not a failed attempt.
    const begun = attempt;
    if (begun !== undefined) await deps.db.transaction((db) => forgetAttempt(db, begun));
    throw error;
  });
}

/** Throws `rate_limited` after too many failures; waits where that depends on attempts still under way. */
export async function beginAttempt(deps: Deps, db: Db, tried: Tried): Promise<string> {
  for (;;) {
    const id = await enter(deps, db, tried);
    if (id !== undefined) return id;
    await sleep(lookAgainMs);
  }
}

async function enter(deps: Deps, db: Db, tried: Tried): Promise<string | undefined> {
  const { id, waitMs } = await db.transaction(async (db) => {
    const now = deps.clock();
    const place = placeOf(tried.address);
    const nameHash = hashOf(deps, tried);
    await db.lock(`sign-in from ${place}`);
    await db.lock(`sign-in as ${nameHash}`);
    await forgetFuture(db, now);
    const { freeAt, mustWait } = await readLimits(deps, db, tried);
    // Told outside: a refusal must not undo what was just corrected.
    if (freeAt > now || mustWait) return { id: undefined, waitMs: Math.max(0, freeAt - now) };
    const id = randomUUID();
    await db.execute(
      'insert into sign_in_attempts (id, name_hash, place, at, forget_at, failed) values ($1, $2, $3, $4, $5, 0)',
      [id, nameHash, place, now, now + minute],
    );
    return { id, waitMs: 0 };
  });
  if (waitMs > 0) {
    throw new AppError('rate_limited', tooManyFailures, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }
  return id;
}

/** After the clock was set back, what is from the future counts from now: no limit lasts longer than it is meant to. */
export async function forgetFuture(db: Transaction, now: number): Promise<void> {
  await db.execute('update sign_in_attempts set forget_at = forget_at - at + $1, at = $1 where at > $2', [
    now,
    now + skewMs,
  ]);
}

/** One form for every way to write a name. Nothing is looked up for it. */
function hashOf({ keys }: Deps, { kind, name }: Tried): string {
  const folded = name.normalize('NFKC').trim().toLowerCase().normalize('NFKC');
  return createHmac('sha256', keys.lookups).update(`${kind} ${folded}`).digest('hex');
}

interface Limits {
  /** When the next attempt may be made; 0 for now. */
  readonly freeAt: number;
  /** It may be made, but not all of those under way may fail. */
  readonly mustWait: boolean;
}

interface Count {
  readonly failed: number;
  readonly number: number;
  readonly oldest: number;
  readonly newest: number;
}

async function readLimits(deps: Deps, db: Reader, tried: Tried): Promise<Limits> {
  const now = deps.clock();
  const place = placeOf(tried.address);
  const nameHash = hashOf(deps, tried);
  const here = await db.query<Count & { is_name: number }>(
    `select case when name_hash = $2 then 1 else 0 end as is_name, failed, cast(count(*) as bigint) as number,
            min(at) as oldest, max(at) as newest
     from sign_in_attempts where place = $1 and at > $3 and forget_at > $4 group by 1, 2`,
    [place, nameHash, now - minute, now],
  );
  const limits = [
    perMinute(here, maxPerPlace),
    perMinute(
      here.filter((count) => count.is_name === 1),
      maxPerName,
    ),
  ];
  if (tried.kind === 'person') {
    // Where somebody has signed in before, failures elsewhere do not keep them out.
    const isKnown = tried.userId !== undefined && (await isKnownPlace(db, tried.userId, place, now));
    const counts = await db.query<Count>(
      `select failed, cast(count(*) as bigint) as number, min(at) as oldest, max(at) as newest
       from sign_in_attempts where name_hash = $1 and at > $2 and forget_at > $3 and (place = $4 or $4 = '')
       group by failed`,
      [nameHash, now - hour, now, isKnown ? place : ''],
    );
    limits.push(growing(counts));
  }
  return {
    freeAt: Math.max(...limits.map(({ freeAt }) => freeAt)),
    mustWait: limits.some(({ mustWait }) => mustWait),
  };
}

function perMinute(counts: readonly Count[], most: number): Limits {
  const failed = counts.filter((count) => count.failed === 1);
  const isFull = sum(failed) >= most;
  return {
    freeAt: isFull ? Math.min(...failed.map(({ oldest }) => oldest)) + minute : 0,
    mustWait: !isFull && sum(counts) >= most,
  };
}

function growing(counts: readonly Count[]): Limits {
  const failed = counts.filter((count) => count.failed === 1);
  const newest = Math.max(0, ...failed.map((count) => count.newest));
  const isAlone = sum(counts) === sum(failed);
  return {
    freeAt: newest + delayAfter(sum(failed)),
    mustWait: !isAlone && delayAfter(sum(counts)) > 0,
  };
}

function delayAfter(failures: number): number {
  if (failures < freePerName) return 0;
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - freePerName));
}

function sum(counts: readonly Count[]): number {
  return counts.reduce((total, { number }) => total + number, 0);
}

export async function failAttempt(db: Transaction, id: string, { kind }: Pick<Tried, 'kind'>): Promise<void> {
  await db.execute('update sign_in_attempts set failed = 1, forget_at = at + $2 where id = $1', [
    id,
    kind === 'person' ? hour : minute,
  ]);
}

export async function forgetAttempt(db: Transaction, id: string): Promise<void> {
  await db.execute('delete from sign_in_attempts where id = $1', [id]);
}
