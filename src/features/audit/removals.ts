import type { Reader, Transaction } from '../../db/client.ts';
import type { Keys } from '../../keys.ts';
import { day, formatRfc3339 } from '../../values/time.ts';
import { auditKey, type Mark, mac, usableAnchor } from './chain.ts';
import type { Finding } from './check.ts';
import { findMark, lockChain } from './store.ts';

/** What one day's retention took from the front of the log; it stays when the records are gone. */
export interface Removal {
  readonly from_position: number;
  readonly to_position: number;
  readonly mac: string;
  readonly oldest_at: number;
  readonly newest_at: number;
  readonly removed_at: number;
  /** 0: removed by a version that kept no account of it. */
  readonly retention_days: number;
}

interface SealedRemoval extends Removal {
  readonly sealed_with: string;
  readonly seal: string;
}

const columns =
  'from_position, to_position, mac, oldest_at, newest_at, removed_at, retention_days, sealed_with, seal';

export function readRemovals(db: Reader): Promise<SealedRemoval[]> {
  return db.query(`select ${columns} from audit_removals order by from_position`);
}

/** In the transaction that deletes the records. Those of one day are one account. */
export async function accountFor(db: Transaction, keys: Keys, removal: Removal): Promise<void> {
  const last = await db.one<SealedRemoval>(
    `select ${columns} from audit_removals order by from_position desc limit 1`,
  );
  const continues =
    last !== undefined &&
    isGenuine(keys, last) &&
    last.to_position + 1 === removal.from_position &&
    last.retention_days === removal.retention_days &&
    Math.floor(last.removed_at / day) === Math.floor(removal.removed_at / day);
  await putRemoval(
    db,
    keys,
    continues
      ? {
          ...removal,
          from_position: last.from_position,
          oldest_at: Math.min(last.oldest_at, removal.oldest_at),
          newest_at: Math.max(last.newest_at, removal.newest_at),
        }
      : removal,
  );
}

/** Once for each store: accounts for what was removed before accounts were kept. */
export async function beginRemovals(db: Transaction, keys: Keys, now: number): Promise<void> {
  await lockChain(db);
  const anchor = usableAnchor(keys, await findMark(db, 'anchor'));
  if (anchor === undefined) return;
  await putRemoval(db, keys, {
    from_position: 1,
    to_position: anchor.position,
    mac: anchor.mac,
    oldest_at: 0,
    newest_at: 0,
    removed_at: now,
    retention_days: 0,
  });
}

export async function resealRemovals(db: Transaction, keys: Keys): Promise<void> {
  for (const removal of await readRemovals(db))
    if (removal.sealed_with !== keys.fingerprint && isGenuine(keys, removal))
      await putRemoval(db, keys, removal);
}

/** Whether accounts cover exactly what is gone from the front. */
export function removalFindings(
  keys: Keys,
  removals: readonly SealedRemoval[],
  anchor: Mark | undefined,
): Finding[] {
  const findings: Finding[] = [];
  const uncovered = (from: number, to: number) => {
    if (from > to) return;
    const message = `positions ${from} to ${to} are gone, and no account of retention covers them`;
    findings.push({ kind: 'missing', position: from, message });
  };
  let covered = 0;
  for (const removal of removals) {
    const { from_position: from, to_position: to } = removal;
    uncovered(covered + 1, from - 1);
    if (!isGenuine(keys, removal)) {
      const message = `the account of what retention removed at positions ${from} to ${to} is not genuine`;
      findings.push({ kind: 'forged_mark', position: from, message });
    }
    covered = Math.max(covered, to);
  }
  // A mark that is missing or not genuine is told as such.
  if (anchor === undefined) return findings;
  uncovered(covered + 1, anchor.position);
  const last = removals.at(-1);
  if (
    last !== undefined &&
    (anchor.position < covered || (anchor.position === covered && last.mac !== anchor.mac))
  ) {
    const message =
      'the anchor at the start of the log is not that of the last removal: an older one was put back';
    findings.push({ kind: 'forged_mark', position: anchor.position, message });
  }
  return findings;
}

/** One line for people. */
export function describeRemovals(removals: readonly Removal[]): string | undefined {
  const last = removals.at(-1);
  if (last === undefined) return undefined;
  const what =
    last.retention_days === 0
      ? 'before accounts of it were kept'
      : `last at ${formatRfc3339(last.removed_at)}, when records were kept for ${last.retention_days} days: those of ${formatRfc3339(last.oldest_at)} to ${formatRfc3339(last.newest_at)}`;
  return `retention removed positions 1 to ${last.to_position}, ${what}`;
}

function sealOf(key: Uint8Array, removal: Removal): string {
  return mac(key, [
    'removal',
    removal.from_position,
    removal.to_position,
    removal.mac,
    removal.oldest_at,
    removal.newest_at,
    removal.removed_at,
    removal.retention_days,
  ]);
}

function isGenuine(keys: Keys, removal: SealedRemoval): boolean {
  const key = auditKey(keys, removal.sealed_with);
  return key !== undefined && sealOf(key, removal) === removal.seal;
}

async function putRemoval(db: Transaction, keys: Keys, removal: Removal): Promise<void> {
  await db.execute(
    `insert into audit_removals (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (from_position) do update set to_position = excluded.to_position, mac = excluded.mac,
       oldest_at = excluded.oldest_at, newest_at = excluded.newest_at, removed_at = excluded.removed_at,
       retention_days = excluded.retention_days, sealed_with = excluded.sealed_with, seal = excluded.seal`,
    [
      removal.from_position,
      removal.to_position,
      removal.mac,
      removal.oldest_at,
      removal.newest_at,
      removal.removed_at,
      removal.retention_days,
      keys.fingerprint,
      sealOf(keys.audit, removal),
    ],
  );
}
