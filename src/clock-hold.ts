import type { Reader, Transaction } from './db/client.ts';
import type { Deps } from './deps.ts';
import { findFact, putFact } from './instance-facts.ts';
import { day, formatRfc3339 } from './values/time.ts';
import type { Task } from './worker/worker.ts';

/** A clock that nobody should delete anything by: it is more than a week away from when the store was last in use. */
export interface ClockHold {
  readonly now: number;
  readonly lastSeen: number;
}

const factName = 'clock_seen';
const farAway = 7 * day;
/** The moment of last use need not be exact, and every write costs. */
const noteEveryMs = 60_000;

/** Whether deletion must wait, as far as the store tells. */
export async function findClockHold(db: Reader, now: number): Promise<ClockHold | undefined> {
  const lastSeen = await findFact(db, factName);
  return lastSeen === undefined ? undefined : holdBetween(Number(lastSeen), now);
}

/**
 * Notes that the store is in use, unless the clock is far away: so a wrong one never becomes what others are compared
 * with. `newestRecordAt` is what a store is compared with that has never noted it.
 */
export async function noteClock(
  db: Transaction,
  now: number,
  newestRecordAt?: number,
): Promise<ClockHold | undefined> {
  await db.lock('kennel: clock');
  const known = await findFact(db, factName);
  const lastSeen = known === undefined ? (newestRecordAt ?? now) : Number(known);
  const hold = holdBetween(lastSeen, now);
  if (hold !== undefined) {
    if (known === undefined) await putFact(db, factName, String(lastSeen));
    return hold;
  }
  if (known === undefined || now - lastSeen >= noteEveryMs) await putFact(db, factName, String(now));
  return undefined;
}

/** Somebody has looked at the clock and says that it is right. */
export async function acceptClock(db: Transaction, now: number): Promise<void> {
  await db.lock('kennel: clock');
  await putFact(db, factName, String(now));
}

export function describeHold({ now, lastSeen }: ClockHold): string {
  return (
    `the clock says ${formatRfc3339(now)}, but this store was last in use at ${formatRfc3339(lastSeen)}: ` +
    'nothing is deleted because of its age until the clock is right, or `kennel doctor --accept-clock` confirms it'
  );
}

/** Work that deletes by age, and does nothing while the clock is not to be trusted. */
export function unlessClockHeld(run: (deps: Deps) => Promise<void>): Task['run'] {
  return async (deps) => {
    const hold = await deps.db.transaction((db) => noteClock(db, deps.clock()));
    if (hold === undefined) await run(deps);
  };
}

/** Says so once an hour; the work itself waits in silence. */
export const clockTask: Task = {
  name: 'watch the clock',
  everyMs: 3_600_000,
  run: async ({ db, clock, log }) => {
    const hold = await db.transaction((db) => noteClock(db, clock()));
    if (hold === undefined) return;
    log.error({ now: formatRfc3339(hold.now), last_seen: formatRfc3339(hold.lastSeen) }, describeHold(hold));
  },
};

function holdBetween(lastSeen: number, now: number): ClockHold | undefined {
  return Math.abs(now - lastSeen) > farAway ? { now, lastSeen } : undefined;
}
