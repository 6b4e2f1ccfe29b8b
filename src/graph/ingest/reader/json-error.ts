import { quoteShort } from '../../../values/text.ts';
import { isSpace } from './scanner.ts';

export interface JsonError {
  readonly at: number;
  readonly reason: string;
}

const numberForm = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Where and why these bytes are not one JSON value, or undefined when they are one. `JSON.parse` has
 * refused them already; its own messages differ between versions of Node and often name no place.
 */
export function findJsonError(bytes: Uint8Array): JsonError | undefined {
  let at = 0;
  try {
    readValue();
    skipSpace();
    if (at < bytes.length) fail('nothing may follow here');
    return undefined;
  } catch (error) {
    if (error instanceof Found) return { at: error.at, reason: error.message };
    throw error;
  }

  function fail(reason: string, where = at): never {
    throw new Found(where, reason);
  }

  function skipSpace(): void {
    while (isSpace(bytes[at])) at += 1;
  }

  function next(): string {
    skipSpace();
    return charAt(bytes[at]);
  }

  function readValue(): void {
    const first = next();
    if (first === '{') readObject();
    else if (first === '[') readArray();
    else if (first === '"') readString();
    else readWord();
  }

  function readObject(): void {
    at += 1;
    if (next() !== '}') {
      do {
        if (next() !== '"') fail('expected a member name in double quotes');
        readString();
        if (next() !== ':') fail('expected a colon after the member name');
        at += 1;
        readValue();
      } while (takeComma());
      if (next() !== '}') fail('expected a comma or }');
    }
    at += 1;
  }

  function readArray(): void {
    at += 1;
    if (next() !== ']') {
      do readValue();
      while (takeComma());
      if (next() !== ']') fail('expected a comma or ]');
    }
    at += 1;
  }

  function takeComma(): boolean {
    const isComma = next() === ',';
    if (isComma) at += 1;
    return isComma;
  }

  function readString(): void {
    at += 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) fail('a text is not closed');
      if (byte < 0x20) fail('a control character in a text must be escaped');
      at += 1;
      if (byte === 0x22) return;
      if (byte === 0x5c) readEscape();
    }
  }

  function readEscape(): void {
    const kind = charAt(bytes[at]);
    if (!'"\\/bfnrtu'.includes(kind) || kind === '') fail('unknown escape in a text', at - 1);
    at += 1;
    if (kind !== 'u') return;
    for (let digits = 0; digits < 4; digits += 1, at += 1) {
      if (!/[0-9a-fA-F]/.test(charAt(bytes[at]))) fail('\\u needs four hexadecimal digits');
    }
  }

  function readWord(): void {
    const start = at;
    while (at < bytes.length && /[-+.\w]/.test(charAt(bytes[at]))) at += 1;
    if (at === start) fail('a value is missing', start);
    const word = Buffer.from(bytes.subarray(start, at)).toString('latin1');
    if (['true', 'false', 'null'].includes(word) || numberForm.test(word)) return;
    fail(`${quoteShort(word)} is neither text nor number nor true, false or null`, start);
  }
}

class Found extends Error {
  readonly at: number;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

const charAt = (byte: number | undefined): string => (byte === undefined ? '' : String.fromCharCode(byte));
