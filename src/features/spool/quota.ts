import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import type { Sender } from './places.ts';
import { sumKeptBytes } from './store.ts';

const mebibyte = 1024 * 1024;
/** The sum over the store is read no more often than this. */
const sumEveryMs = 5000;

/** What one upload takes of the quota while it is received. */
export interface Share {
  /** Throws when there is no room for so much more. */
  take(bytes: number): void;
  /** The bytes stay. */
  keep(): void;
  release(): void;
}

/** How much may lie in the spool: what is kept, as of a few seconds ago, and what this process is receiving. */
export class Quota {
  readonly #limitMb: number;
  readonly #clock: () => number;
  #kept = 0;
  #arriving = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<number> | undefined;

  constructor(limitMb: number, clock: () => number) {
    this.#limitMb = limitMb;
    this.#clock = clock;
  }

  async open(db: Db, { kind }: Sender, announced: number): Promise<Share> {
    await this.#refresh(db);
    this.#check(kind, announced);
    let own = 0;
    return {
      take: (bytes) => {
        this.#check(kind, bytes);
        own += bytes;
        this.#arriving += bytes;
      },
      keep: () => {
        this.#kept += own;
      },
      release: () => {
        this.#arriving -= own;
        own = 0;
      },
    };
  }

  async #refresh(db: Db): Promise<void> {
    if (this.#limitMb === 0 || this.#clock() - this.#readAt < sumEveryMs) return;
    this.#reading ??= sumKeptBytes(db).finally(() => {
      this.#reading = undefined;
    });
    this.#kept = await this.#reading;
    this.#readAt = this.#clock();
  }

  #check(kind: Sender['kind'], more: number): void {
    if (this.#limitMb === 0 || this.#kept + this.#arriving + more <= this.#limitMb * mebibyte) return;
    const message = `what was sent and nobody has read yet fills the ${this.#limitMb} MiB of KENNEL_SPOOL_QUOTA_MB`;
    // A collector would drop its data on 413 and comes back after 503; a person reads what it says.
    throw kind === 'collector'
      ? new AppError('unavailable', message, { retryAfterSeconds: 60 })
      : new AppError('too_large', `${message}: wait until it is read, or cancel uploads`, {
          context: 'body',
        });
  }
}
