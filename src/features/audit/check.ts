import type { Keys } from '../../keys.ts';
import { auditKey, type Link, linkMac } from './chain.ts';
import type { LinkedRow } from './store.ts';

export interface Finding {
  readonly kind:
    | 'changed'
    | 'missing'
    | 'unchecked'
    | 'misplaced'
    | 'cut_off'
    | 'other_head'
    | 'forged_mark'
    | 'unknown_key';
  /** Left out where it is not about one record that is there. */
  readonly id?: number;
  readonly position: number;
  readonly message: string;
}

/** How many guesses of the MAC before are kept after something was wrong. */
const maxGuesses = 3;

/** Follows the chain record by record and tells what is wrong with each. */
export class ChainCheck {
  readonly #keys: Keys;
  #at: Link;
  /** What the record before may have had as its MAC; one, unless that record was not as it should be. */
  #before: readonly string[];
  #unknownKeys = 0;

  constructor(keys: Keys, from: Link) {
    this.#keys = keys;
    this.#at = from;
    this.#before = [from.mac];
  }

  get at(): Link {
    return this.#at;
  }

  /** Records that only a secret which was not given could prove. */
  get unknownKeys(): number {
    return this.#unknownKeys;
  }

  /** Goes on from a place that is known by other means. */
  moveTo(link: Link): void {
    this.#at = link;
    this.#before = [link.mac];
  }

  next(row: LinkedRow): Finding[] {
    const position = Number(row.position);
    if (position <= this.#at.position) {
      const message = `record ${row.id} has position ${position}, which another record has too`;
      return [{ kind: 'misplaced', id: row.id, position, message }];
    }
    const gap = missing(this.#at.position + 1, position - 1);
    const content = this.#checkContent(row, position, gap.length > 0);
    this.#at = { position, mac: row.mac };
    return [...gap, ...content];
  }

  #checkContent(row: LinkedRow, position: number, afterGap: boolean): Finding[] {
    const key = auditKey(this.#keys, row.linked_with);
    if (key === undefined) {
      this.#unknownKeys += 1;
      this.#before = [row.mac];
      return [];
    }
    const expected = this.#before.map((before) => linkMac(key, before, position, row));
    if (expected.includes(row.mac)) {
      this.#before = [row.mac];
      return [];
    }
    if (afterGap) {
      this.#before = [row.mac];
      const message = `record ${row.id} at position ${position} cannot be checked, because the one before it is missing`;
      return [{ kind: 'unchecked', id: row.id, position, message }];
    }
    // What was changed may be the content or the MAC: the record after it fits one of the two.
    this.#before = [row.mac, ...expected, ...this.#before].slice(0, maxGuesses);
    const message = `record ${row.id} at position ${position} does not fit its MAC: it was edited, moved or put in`;
    return [{ kind: 'changed', id: row.id, position, message }];
  }
}

function missing(from: number, to: number): Finding[] {
  if (from > to) return [];
  const message =
    from === to
      ? `the record at position ${from} is missing`
      : `the records at positions ${from} to ${to} are missing`;
  return [{ kind: 'missing', position: from, message }];
}
