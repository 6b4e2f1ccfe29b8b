import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { sumKeptBytes } from './store.ts';

const mebibyte = 1024 * 1024;
/** Bodies that are received at a time, by this process. */
export const maxUploads = 32;
/** A signature is only known to be right at the end of the body: who uses another's id may not take their places. */
export const maxUploadsPerSender = 8;
/** The sum over the store is read no more often than this. */
const sumEveryMs = 5000;

/** Whose body it is. */
export interface Sender {
  readonly id: string;
  /** Where it comes from: an id alone may be used by somebody who only knows it. */
  readonly address: string;
  readonly kind: 'collector' | 'user';
}

/** gap 1.3: under overload a collector is told to come back; it would drop its data on anything else. */
export class Places {
  readonly #taken = new Map<string, number>();
  #total = 0;

  /** Gives the function that leaves the place again. */
  enter({ id: name, address, kind }: Sender): () => void {
    const id = `${name} ${address}`;
    const own = this.#taken.get(id) ?? 0;
    if (own >= maxUploadsPerSender)
      throw busy(`this ${kind} is sending ${maxUploadsPerSender} bodies already: send fewer at a time`);
    if (this.#total >= maxUploads)
      throw busy(`the server is receiving ${maxUploads} bodies already: try again`);
    this.#taken.set(id, own + 1);
    this.#total += 1;
    return () => {
      const left = (this.#taken.get(id) ?? 0) - 1;
      if (left > 0) this.#taken.set(id, left);
      else this.#taken.delete(id);
      this.#total -= 1;
    };
  }
}

function busy(message: string): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: 2 });
}

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
