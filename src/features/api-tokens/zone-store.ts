import type { Reader, Transaction } from '../../db/client.ts';
import { hour } from '../../values/time.ts';
import type { ZoneMemory } from './signed-hours.ts';

/** No zone makes an hour look newer than that: from -12:00 to +14:00, an hour of skew either way, and the hour itself. */
const forgetAfterMs = 30 * hour;

export interface ZoneRow {
  readonly zone: number;
  readonly claimed_zone: number | null;
  readonly claimed_hour: number | null;
  readonly claimed_since: number | null;
  readonly refused: number;
  readonly recorded_at: number | null;
}

/** One request of a token at a time; false if it is gone. An update that changes nothing holds the row. */
export async function holdToken(db: Transaction, tokenId: string): Promise<boolean> {
  return (await db.execute('update api_tokens set updated_at = updated_at where id = $1', [tokenId])) === 1;
}

export function findZone(db: Reader, tokenId: string): Promise<ZoneRow | undefined> {
  return db.one<ZoneRow>(
    'select zone, claimed_zone, claimed_hour, claimed_since, refused, recorded_at from token_zones where token_id = $1',
    [tokenId],
  );
}

export async function putZone(db: Transaction, tokenId: string, { zone, claim }: ZoneMemory): Promise<void> {
  await db.execute(
    `insert into token_zones (token_id, zone, claimed_zone, claimed_hour, claimed_since, refused)
     values ($1, $2, $3, $4, $5, 0)
     on conflict (token_id) do update set zone = excluded.zone, claimed_zone = excluded.claimed_zone,
       claimed_hour = excluded.claimed_hour, claimed_since = excluded.claimed_since`,
    [tokenId, zone, claim?.zone ?? null, claim?.hour ?? null, claim?.since ?? null],
  );
}

export async function putRefusal(
  db: Transaction,
  tokenId: string,
  refused: number,
  recordedAt: number | null,
): Promise<void> {
  await db.execute('update token_zones set refused = $2, recorded_at = $3 where token_id = $1', [
    tokenId,
    refused,
    recordedAt,
  ]);
}

export async function findFirstUse(
  db: Reader,
  tokenId: string,
  signedHour: number,
): Promise<number | undefined> {
  const row = await db.one<{ first_used_at: number }>(
    'select first_used_at from signed_hours where token_id = $1 and signed_hour = $2',
    [tokenId, signedHour],
  );
  return row?.first_used_at;
}

/** The earliest arrival counts: a long body may be taken after a short one that came later. */
export async function rememberHour(
  db: Transaction,
  tokenId: string,
  signedHour: number,
  now: number,
): Promise<void> {
  await db.execute('delete from signed_hours where token_id = $1 and first_used_at < $2', [
    tokenId,
    now - forgetAfterMs,
  ]);
  await db.execute(
    `insert into signed_hours (token_id, signed_hour, first_used_at) values ($1, $2, $3)
     on conflict (token_id, signed_hour) do update set first_used_at = excluded.first_used_at
     where excluded.first_used_at < signed_hours.first_used_at`,
    [tokenId, signedHour, now],
  );
}
