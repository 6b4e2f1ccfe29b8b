import { isUtf8 } from 'node:buffer';
import { cleanText, countUnclean, invalidUtf8At, lineAndColumn, nameCharacter, quoteShort } from './text.ts';

const deepestNesting = 64;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const byteOrderMark = '\ufeff';

const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const words = Object.entries({ true: true, false: false, null: null });

/** Why a body is not acceptable JSON, in words fit for the person who sent it. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  /** JSON Pointer (RFC 6901) to the innermost value concerned; '' is the whole body. */
  readonly pointer: string;

  constructor(message: string, pointer = '') {
    super(message);
    this.pointer = pointer;
  }
}

export interface ParsedJson {
  value: unknown;
  /** How many characters that cannot be stored were replaced by U+FFFD. */
  replaced: number;
}

/**
 * Reads exactly one JSON value. Unlike `JSON.parse` it refuses repeated and `__proto__` members, deep nesting
 * and numbers too large for a double, because each of those would be read differently by different programs
 * or would harm this one.
 */
export function parseStrictJson(text: string): ParsedJson {
  return new JsonReader(text.startsWith(byteOrderMark) ? text.slice(1) : text).readBody();
}

/** Refuses ill-formed UTF-8 instead of quietly replacing it. A byte order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  throw new JsonProblem(`the body is not valid UTF-8 (at byte offset ${invalidUtf8At(bytes)})`);
}

class JsonReader {
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  #at = 0;
  #replaced = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readBody(): ParsedJson {
    this.#skipSpace();
    if (this.#at === this.#text.length) throw new JsonProblem('the body is empty');
    const value = this.#readValue();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#problem('there is more text after the end of the value');
    return { value, replaced: this.#replaced };
  }

  #readValue(): unknown {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '"') return this.#readString();
    if (first === '{') return this.#readObject();
    if (first === '[') return this.#readArray();
    const word = words.find(([spelling]) => spelling[0] === first && this.#take(spelling));
    return word === undefined ? this.#readNumber() : word[1];
  }

  #readObject(): object {
    const members: Record<string, unknown> = {};
    if (this.#opensEmpty('}')) return members;
    do {
      this.#skipSpace();
      const nameStart = this.#at;
      if (this.#text[this.#at] !== '"') throw this.#unexpected('a member name in double quotes');
      const name = this.#readString();
      this.#path.push(name);
      if (name === '__proto__') throw this.#problem('the member name "__proto__" is not allowed', nameStart);
      // Compared after cleaning: names that become the same are stored as the same.
      if (Object.hasOwn(members, name)) {
        throw this.#problem(`the member ${quoteShort(name)} is given more than once`, nameStart);
      }
      if (!this.#take(':')) throw this.#unexpected(`":" after the member name ${quoteShort(name)}`);
      members[name] = this.#readValue();
      this.#path.pop();
    } while (this.#continues('}'));
    return members;
  }

  #readArray(): unknown[] {
    const items: unknown[] = [];
    if (this.#opensEmpty(']')) return items;
    do {
      this.#path.push(items.length);
      items.push(this.#readValue());
      this.#path.pop();
    } while (this.#continues(']'));
    return items;
  }

  /** Steps into an object or array, and over its end when there is nothing in it. */
  #opensEmpty(end: '}' | ']'): boolean {
    // Every enclosing object or array has one step on the path.
    if (this.#path.length >= deepestNesting) throw this.#problem(`nested over ${deepestNesting} levels deep`);
    this.#at++;
    return this.#take(end);
  }

  #continues(end: '}' | ']'): boolean {
    if (this.#take(',')) return true;
    if (this.#take(end)) return false;
    throw this.#unexpected(`"," or "${end}"`);
  }

  #readString(): string {
    const opening = this.#at++;
    let hasEscapes = false;
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === quote) break;
      if (unit < firstPrintable) throw this.#problem(`a string holds a bare ${nameCharacter(unit)}`);
      if (Number.isNaN(unit)) throw this.#problem('this string has no closing quote', opening);
      if (unit === backslash) hasEscapes = true;
      this.#at += unit === backslash ? 2 : 1;
    }
    const inner = this.#text.slice(opening + 1, this.#at++);
    const result = hasEscapes ? this.#unescape(inner, opening) : inner;
    const unclean = countUnclean(result);
    this.#replaced += unclean;
    return unclean === 0 ? result : cleanText(result);
  }

  #unescape(inner: string, opening: number): string {
    try {
      return JSON.parse(`"${inner}"`);
    } catch {
      throw this.#problem('this string has an escape that JSON does not know', opening);
    }
  }

  #readNumber(): number {
    numberPattern.lastIndex = this.#at;
    const digits = numberPattern.exec(this.#text)?.[0];
    if (digits === undefined) throw this.#unexpected('a value');
    const value = Number(digits);
    if (!Number.isFinite(value)) throw this.#problem(`the number ${quoteShort(digits)} is too large`);
    this.#at += digits.length;
    return value;
  }

  /** Steps over `expected`, and any space before it, if that comes next. */
  #take(expected: string): boolean {
    this.#skipSpace();
    const found = this.#text.startsWith(expected, this.#at);
    if (found) this.#at += expected.length;
    return found;
  }

  #skipSpace(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  #unexpected(expected: string): JsonProblem {
    const code = this.#text.codePointAt(this.#at);
    const found = code === undefined ? 'the text ends' : `found ${nameCharacter(code)}`;
    return this.#problem(`${found} where ${expected} is expected`);
  }

  #problem(reason: string, at = this.#at): JsonProblem {
    const { line, column } = lineAndColumn(this.#text, at);
    const steps = this.#path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
    const pointer = steps.map((step) => `/${step}`).join('');
    const where = pointer === '' ? '' : `, in ${quoteShort(pointer)}`;
    return new JsonProblem(`${reason} (line ${line}, column ${column}${where})`, pointer);
  }
}
