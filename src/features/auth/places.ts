import type { Reader, Transaction } from '../../db/client.ts';
import { day } from '../../values/time.ts';

/** gap 8.1: where people sign in from, so that guessing elsewhere does not keep them out there. */
const keptMs = 90 * day;
const keptPerUser = 20;

export async function isKnownPlace(db: Reader, userId: string, place: string, now: number): Promise<boolean> {
  const row = await db.one(
    'select 1 as known from sign_in_places where user_id = $1 and place = $2 and last_at > $3',
    [userId, place, now - keptMs],
  );
  return row !== undefined;
}

/** The latest few places of each user are kept. */
export async function rememberPlace(
  db: Transaction,
  userId: string,
  place: string,
  now: number,
): Promise<void> {
  await db.execute(
    `insert into sign_in_places (user_id, place, last_at) values ($1, $2, $3)
     on conflict (user_id, place) do update set last_at = excluded.last_at`,
    [userId, place, now],
  );
  await db.execute(
    `delete from sign_in_places where user_id = $1 and place not in
       (select place from sign_in_places where user_id = $1 order by last_at desc, place limit ${keptPerUser})`,
    [userId],
  );
}

export async function forgetOldPlaces(db: Transaction, now: number): Promise<void> {
  await db.execute('delete from sign_in_places where last_at <= $1', [now - keptMs]);
}
