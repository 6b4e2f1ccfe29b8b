import type { Db } from '../../db/client.ts';
import { Deadline } from '../../deadline.ts';
import type { Deps } from '../../deps.ts';
import type { RefusedWrite } from '../../http/refused-write.ts';
import { recordAudit } from './record.ts';

const minute = 60_000;
/** A shutdown does not wait longer for a store that is gone. */
const lastWordSeconds = 5;

interface Noted {
  recordedAt: number;
  /** Refused since then, and not recorded yet. */
  count: number;
  last: RefusedWrite;
}

/**
 * Records what known callers tried to do and may not: one record per caller, operation and minute, with a count,
 * so that nobody can fill the log with it. The first is recorded before it is answered; those that follow within
 * the minute are recorded together after it. Callers and operations are few, so the table is small.
 */
export class RefusedWrites {
  readonly #deps: Pick<Deps, 'db' | 'clock' | 'log'>;
  readonly #noted = new Map<string, Noted>();

  constructor(deps: Pick<Deps, 'db' | 'clock' | 'log'>) {
    this.#deps = deps;
  }

  async note(write: RefusedWrite): Promise<void> {
    const now = this.#deps.clock();
    const { actor } = write.origin;
    const key = `${actor.kind} ${actor.id} ${write.operation}`;
    const noted = this.#noted.get(key);
    if (noted !== undefined && !isOver(noted, now)) {
      noted.count += 1;
      noted.last = write;
      return;
    }
    this.#noted.set(key, { recordedAt: now, count: 0, last: write });
    await this.#record(this.#deps.db, write, (noted?.count ?? 0) + 1, now);
  }

  /** What was counted in minutes that are over; at a shutdown, all of it. */
  async flush({ all = false } = {}): Promise<void> {
    const now = this.#deps.clock();
    const { db } = this.#deps;
    const bounded = all ? db.within(new Deadline(lastWordSeconds)) : db;
    for (const [key, noted] of this.#noted) {
      if (!all && !isOver(noted, now)) continue;
      if (noted.count === 0) {
        this.#noted.delete(key);
        continue;
      }
      this.#noted.set(key, { recordedAt: now, count: 0, last: noted.last });
      await this.#record(bounded, noted.last, noted.count, now);
    }
  }

  async #record(db: Db, write: RefusedWrite, count: number, now: number): Promise<void> {
    const { operation, method, path, reason, origin } = write;
    try {
      await db.transaction((db) =>
        recordAudit(db, origin, now, {
          action: 'RefusedWrite',
          outcome: 'failure',
          fields: { operation, method, path, reason, count },
        }),
      );
    } catch (error) {
      // The caller is refused all the same; the log is what is left to tell of it.
      this.#deps.log.error({ err: error, ...write, count }, 'a refused write could not be recorded');
    }
  }
}

/** A clock that was set back ends the minute too. */
function isOver({ recordedAt }: Noted, now: number): boolean {
  return now < recordedAt || now >= recordedAt + minute;
}
