import type { Keys } from '../../keys.ts';
import { auditKey, type Follows, type Link, linkMac } from './chain.ts';
import type { LinkedRow } from './store.ts';

export interface Finding {
  readonly kind: 'changed' | 'missing' | 'unchecked' | 'misplaced' | 'cut_off' | 'other_head' | 'forged_mark';
  /** Left out where it is not about one record that is there. */
  readonly id?: number;
  readonly position: number;
  readonly message: string;
}

/** The records at the front of the chain that only a secret which was not given could prove. */
export interface Unknown {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** How many guesses of the MAC before are kept after something was wrong. */
const maxGuesses = 3;

/** Follows the chain record by record and tells what is wrong with each. */
export class ChainCheck {
  readonly #keys: Keys;
  #at: Link;
  /** What the record before may have had as its MAC; one, unless that record was not as it should be. */
  #before: readonly string[];
  /** Undefined where it is not known: at the start, and behind an anchor. */
  #follows: Follows | undefined;
  #unknown: Unknown | undefined;
  #seenKnown = false;

  constructor(keys: Keys, from: Link) {
    this.#keys = keys;
    this.#at = from;
    this.#before = [from.mac];
  }

  get at(): Link {
    return this.#at;
  }

  get unknown(): Unknown | undefined {
    return this.#unknown;
  }

  /** Goes on from a place that is known by other means. */
  moveTo(link: Link): void {
    this.#at = link;
    this.#before = [link.mac];
    this.#follows = undefined;
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

  /** What the sealed head says of a log without any record that could be checked. */
  endAt(position: number, next: Follows): Finding[] {
    if (this.#seenKnown) return [];
    return this.#refuseUnknown(next === 'a former secret' ? position + 1 : 0);
  }

  #checkContent(row: LinkedRow, position: number, afterGap: boolean): Finding[] {
    const key = auditKey(this.#keys, row.linked_with);
    if (key === undefined) return this.#takeUnknown(row, position);
    this.#seenKnown = true;
    const follows = this.#follows;
    this.#follows = undefined;
    const macs = (how: Follows) => this.#before.map((before) => linkMac(key, before, position, row, how));
    const same = macs('the same secret');
    if (same.includes(row.mac)) {
      this.#before = [row.mac];
      return follows === 'a former secret' ? this.#refuseUnknown(0) : [];
    }
    const first = macs('a former secret');
    if (first.includes(row.mac)) {
      this.#before = [row.mac];
      return [];
    }
    if (afterGap) {
      this.#before = [row.mac];
      const message = `record ${row.id} at position ${position} cannot be checked, because the one before it is missing`;
      return [{ kind: 'unchecked', id: row.id, position, message }];
    }
    // What was changed may be the content or the MAC: the record after it fits one of the two.
    const expected = follows === 'a former secret' ? first : same;
    this.#before = [row.mac, ...expected, ...this.#before].slice(0, maxGuesses);
    const message = `record ${row.id} at position ${position} does not fit its MAC: it was edited, moved or put in`;
    return [{ kind: 'changed', id: row.id, position, message }];
  }

  /** A secret is not used again after a later one, so only the front of the chain can be of a former one. */
  #takeUnknown(row: LinkedRow, position: number): Finding[] {
    this.#before = [row.mac];
    if (this.#seenKnown) {
      const message = `record ${row.id} at position ${position} names a secret that was not given, behind records of one that was: it was edited or put in`;
      return [{ kind: 'changed', id: row.id, position, message }];
    }
    this.#follows = 'a former secret';
    const { from, count } = this.#unknown ?? { from: position, count: 0 };
    this.#unknown = { from, to: position, count: count + 1 };
    return [];
  }

  /** From `position` on the secret had not been changed, whatever the records say. */
  #refuseUnknown(position: number): Finding[] {
    const unknown = this.#unknown;
    if (unknown === undefined || unknown.to < position) return [];
    const from = Math.max(position, unknown.from);
    this.#unknown =
      from === unknown.from ? undefined : { ...unknown, to: from - 1, count: from - unknown.from };
    const message = `${places(from, unknown.to)} marked as linked with another secret, but the chain shows no change of the secret there: edited or put in`;
    return [{ kind: 'changed', position: from, message }];
  }
}

function missing(from: number, to: number): Finding[] {
  if (from > to) return [];
  const message = `${places(from, to)} missing`;
  return [{ kind: 'missing', position: from, message }];
}

/** With the verb. */
function places(from: number, to: number): string {
  return from === to ? `the record at position ${from} is` : `the records at positions ${from} to ${to} are`;
}
