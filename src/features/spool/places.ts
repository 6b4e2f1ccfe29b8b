import { AppError } from '../../errors.ts';
import { placeOf } from '../../http/address.ts';
import type { Standing } from '../../http/operation.ts';

/** Whose body it is. */
export interface Sender {
  readonly id: string;
  readonly address: string;
  readonly kind: 'collector' | 'user';
  readonly standing: Standing;
}

interface Group {
  readonly key: string;
  readonly most: number;
  readonly message: string;
}

/**
 * Bodies that are received at a time, by this process. A signature is only known to be right at the end of a body,
 * and a token's id is no secret: who has proven nothing shares half of the places, and can't take those of others
 * by using their id or by coming from many places in one network.
 * gap 1.3: under overload a collector is told to come back; it would drop its data on anything else.
 */
export class Places {
  readonly #most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Gives the function that leaves the place again. */
  enter(sender: Sender): () => void {
    const groups = this.#groupsOf(sender);
    for (const { key, most, message } of groups) if (this.#count(key) >= most) throw busy(message);
    for (const { key } of groups) this.#taken.set(key, this.#count(key) + 1);
    return () => {
      for (const { key } of groups) {
        const left = this.#count(key) - 1;
        if (left > 0) this.#taken.set(key, left);
        else this.#taken.delete(key);
      }
    };
  }

  #groupsOf({ id, address, kind, standing }: Sender): Group[] {
    const [half, quarter, eighth] = [2, 4, 8].map((part) => Math.floor(this.#most / part)) as [
      number,
      number,
      number,
    ];
    const all = {
      key: 'all',
      most: this.#most,
      message: `the server is receiving ${this.#most} bodies already: try again`,
    };
    if (standing !== 'unproven') {
      return [
        {
          key: standing === 'known' ? `known ${id}` : `proven ${id} ${placeOf(address)}`,
          most: quarter,
          message: `this ${kind} is sending ${quarter} bodies already: send fewer at a time`,
        },
        all,
      ];
    }
    const untilProven = 'until a signed request without a body, or a smaller one, was right';
    return [
      {
        key: `unproven ${id}`,
        most: eighth,
        message: `this ${kind} may send ${eighth} bodies at a time ${untilProven}`,
      },
      {
        key: `unproven from ${placeOf(address)}`,
        most: quarter,
        message: `${quarter} bodies at a time may come from your address ${untilProven}`,
      },
      {
        key: 'unproven',
        most: half,
        message: `the server is receiving ${half} bodies already whose senders have proven nothing: try again`,
      },
      all,
    ];
  }

  #count(key: string): number {
    return this.#taken.get(key) ?? 0;
  }
}

export function busy(message: string): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: 2 });
}
