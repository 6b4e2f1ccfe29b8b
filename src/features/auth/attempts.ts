import { createHmac, randomUUID } from 'node:crypto';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';

/** gap 8.1: failures with passwords and one-time passwords, counted in the store. */
const windowMs = 60_000;
const maxPerName = 10;
const maxPerAddress = 100;

/**
 * Counts an attempt from its start, so that many at once can't slip through before the first has failed. Throws
 * `rate_limited` when there were too many; `forgetAttempt` takes back one that did not fail.
 */
export function beginAttempt(deps: Deps, db: Db, name: string, address: string): Promise<string> {
  return db.transaction(async (db) => {
    const now = deps.clock();
    const nameHash = createHmac('sha256', deps.keys.lookups).update(name.toLowerCase()).digest('hex');
    await db.lock(`sign-in: ${address}`);
    await db.execute('delete from sign_in_attempts where at <= $1', [now - windowMs]);
    const recent = await db.one<RecentAttempts>(
      `select cast(count(*) as bigint) as all_count, min(at) as all_oldest,
              cast(coalesce(sum(case when name_hash = $2 then 1 else 0 end), 0) as bigint) as name_count,
              min(case when name_hash = $2 then at end) as name_oldest
       from sign_in_attempts where address = $1`,
      [address, nameHash],
    );
    const freeAt = recent === undefined ? now : timeOfFreePlace(recent);
    if (freeAt > now) {
      throw new AppError('rate_limited', 'too many failed sign-ins: wait a minute and try again', {
        retryAfterSeconds: Math.ceil((freeAt - now) / 1000),
      });
    }
    const id = randomUUID();
    await db.execute('insert into sign_in_attempts (id, name_hash, address, at) values ($1, $2, $3, $4)', [
      id,
      nameHash,
      address,
      now,
    ]);
    return id;
  });
}

interface RecentAttempts {
  readonly all_count: number;
  readonly all_oldest: number | null;
  readonly name_count: number;
  readonly name_oldest: number | null;
}

/** When the oldest attempt that counts against a full limit is forgotten; 0 while neither is full. */
function timeOfFreePlace({ all_count, all_oldest, name_count, name_oldest }: RecentAttempts): number {
  return Math.max(
    all_count >= maxPerAddress ? (all_oldest ?? 0) + windowMs : 0,
    name_count >= maxPerName ? (name_oldest ?? 0) + windowMs : 0,
  );
}

export async function forgetAttempt(db: Transaction, id: string): Promise<void> {
  await db.execute('delete from sign_in_attempts where id = $1', [id]);
}
