import type { ReadLimits } from './limits.ts';

const quote = 0x22;
const backslash = 0x5c;

// 0 is any other byte.
const space = 1;
const quotes = 2;
const open = 3;
const close = 4;
const colon = 5;
const comma = 6;
const digit = 7;

const kindOf = new Uint8Array(256);
for (const [kind, characters] of [
  [space, ' \t\n\r'],
  [quotes, '"'],
  [open, '{['],
  [close, '}]'],
  [colon, ':'],
  [comma, ','],
  [digit, '-0123456789'],
] as const) {
  for (const byte of Buffer.from(characters)) kindOf[byte] = kind;
}

const isNumberByte = new Uint8Array(256);
for (const byte of Buffer.from('+-.0123456789eE')) isNumberByte[byte] = 1;

/** A double has at most 309 digits before the point. */
const longestSafeNumber = 300;

export const isSpace = (byte: number | undefined): boolean => byte !== undefined && kindOf[byte] === space;

export type Fail = (at: number, reason: string, limit?: keyof ReadLimits) => never;

/**
 * Finds where a JSON value ends, however it is cut into pieces. It only counts quotes and brackets:
 * whether the value is valid is for `JSON.parse` to say, and where it is valid the end is right. The
 * limits are checked here, so that nothing that breaks them is ever built in memory.
 */
export class ValueScanner {
  /** Whether a number was seen that a double may not hold; only then is the value worth searching. */
  hasWideNumber = false;

  readonly #limits: ReadLimits;
  readonly #fail: Fail;
  readonly #members: Uint32Array;
  readonly #closers: Uint8Array;
  #mode: 'between' | 'string' | 'escape' | 'number' = 'between';
  #depth = 0;
  #values = 0;
  #hasBegun = false;
  /** Where the string or number began, counted in the whole text. */
  #tokenStart = 0;

  constructor(limits: ReadLimits, fail: Fail) {
    this.#limits = limits;
    this.#fail = fail;
    this.#members = new Uint32Array(limits.depth + 1);
    this.#closers = new Uint8Array(limits.depth + 1);
  }

  begin(): void {
    this.hasWideNumber = false;
    this.#mode = 'between';
    this.#depth = 0;
    this.#values = 1;
    this.#hasBegun = false;
  }

  /**
   * Goes on with the value at `from`. Gives the position after the value, or -1 when the piece ended
   * first. `base` is where the piece begins in the whole text.
   */
  scan(piece: Uint8Array, from: number, base: number): number {
    const end = piece.length;
    let at = from;
    while (at < end) {
      if (this.#mode === 'string') {
        at = this.#scanString(piece, at, base);
        if (this.#depth === 0 && this.#isBetween()) return at;
        continue;
      }
      if (this.#mode === 'escape') {
        this.#mode = 'string';
        at += 1;
        continue;
      }
      if (this.#mode === 'number') {
        at = this.#scanNumber(piece, at, base);
        continue;
      }
      const byte = piece[at] as number;
      switch (kindOf[byte]) {
        case quotes:
          if (this.#depth === 0 && this.#hasBegun) return at;
          this.#mode = 'string';
          at += 1;
          this.#tokenStart = base + at;
          break;
        case open:
          if (this.#depth === 0 && this.#hasBegun) return at;
          this.#enter(byte, at);
          at += 1;
          break;
        case close:
          if (this.#depth === 0) return at;
          this.#leave(byte, at);
          at += 1;
          if (this.#depth === 0) return at;
          break;
        case colon:
          if (this.#depth === 0) return at;
          this.#countMember(at);
          at += 1;
          break;
        case comma:
          if (this.#depth === 0) return at;
          this.#countValue(at);
          at += 1;
          break;
        case space:
          if (this.#depth === 0) return at;
          at += 1;
          break;
        case digit:
          this.#hasBegun = true;
          this.#mode = 'number';
          this.#tokenStart = base + at;
          break;
        default:
          this.#hasBegun = true;
          at += 1;
      }
    }
    return -1;
  }

  #isBetween(): boolean {
    return this.#mode === 'between';
  }

  #scanString(piece: Uint8Array, from: number, base: number): number {
    const end = piece.length;
    let at = from;
    let byte = 0;
    while (at < end) {
      byte = piece[at] as number;
      if (byte === quote || byte === backslash) break;
      at += 1;
    }
    if (base + at - this.#tokenStart > this.#limits.stringBytes) {
      this.#fail(at, `a text is longer than ${this.#limits.stringBytes} bytes`, 'stringBytes');
    }
    if (at === end) return at;
    this.#mode = byte === quote ? 'between' : 'escape';
    return at + 1;
  }

  #scanNumber(piece: Uint8Array, from: number, base: number): number {
    const end = piece.length;
    let at = from;
    let byte = 0;
    while (at < end) {
      byte = piece[at] as number;
      if (isNumberByte[byte] === 0) break;
      if (byte > 0x39) this.hasWideNumber = true; // e or E
      at += 1;
    }
    if (base + at - this.#tokenStart > longestSafeNumber) this.hasWideNumber = true;
    if (at < end) this.#mode = 'between';
    return at;
  }

  #enter(byte: number, at: number): void {
    if (this.#depth === this.#limits.depth) {
      this.#fail(at, `it is nested deeper than ${this.#limits.depth} levels`, 'depth');
    }
    this.#countValue(at);
    this.#depth += 1;
    this.#members[this.#depth] = 0;
    this.#closers[this.#depth] = byte + 2; // in ASCII, } and ] are two after { and [
  }

  #leave(byte: number, at: number): void {
    const expected = this.#closers[this.#depth] as number;
    if (byte !== expected) {
      const [wanted, found] = [String.fromCharCode(expected), String.fromCharCode(byte)];
      this.#fail(at, `it is not valid JSON: expected ${wanted} but found ${found}`);
    }
    this.#depth -= 1;
  }

  #countMember(at: number): void {
    const members = (this.#members[this.#depth] as number) + 1;
    this.#members[this.#depth] = members;
    if (members > this.#limits.members) {
      this.#fail(at, `an object has more than ${this.#limits.members} members`, 'members');
    }
  }

  #countValue(at: number): void {
    this.#values += 1;
    if (this.#values > this.#limits.values) {
      this.#fail(at, `it has more than ${this.#limits.values} values`, 'values');
    }
  }
}
