import { findJsonError } from './json-error.ts';
import type { ReadLimits } from './limits.ts';
import { FileProblem, type RecordPlace } from './problem.ts';
import { isSpace, ValueScanner } from './scanner.ts';

/** A step that stops wherever the bytes at hand end, and goes on when there are more. */
export type Step<T> = Generator<undefined, T, undefined>;

export interface JsonValue {
  /** Where it begins in the whole text. */
  readonly offset: number;
  readonly text: string;
  readonly value: unknown;
}

const passedOver: JsonValue = { offset: 0, text: '', value: undefined };

/** A place in a text that arrives in pieces, from which JSON values are taken one by one. */
export class Cursor {
  /** The record that is being read, for problems. */
  record: RecordPlace | undefined;
  isOver = false;

  readonly #limits: ReadLimits;
  readonly #scanner: ValueScanner;
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Where the piece begins in the whole text. */
  #base = 0;
  /** Of the value that is being taken. */
  #valueOffset = 0;
  #valueSize = 0;
  #parts: Buffer[] | undefined;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
    this.#scanner = new ValueScanner(limits, (at, reason, limit) =>
      this.#failAt(this.#base + at, reason, limit),
    );
  }

  get offset(): number {
    return this.#base + this.#at;
  }

  give(piece: Buffer): void {
    this.#base += this.#piece.length;
    this.#piece = piece;
    this.#at = 0;
    if (this.#base + piece.length > this.#limits.fileBytes) {
      this.#failAt(
        this.#limits.fileBytes,
        `the file is larger than ${this.#limits.fileBytes} bytes`,
        'fileBytes',
      );
    }
  }

  fail(reason: string, limit?: keyof ReadLimits): never {
    return this.#failAt(this.offset, reason, limit);
  }

  /** The next byte that is not white space, which stays where it is; undefined when the piece has none. */
  peek(): number | undefined {
    const piece = this.#piece;
    while (isSpace(piece[this.#at])) this.#at += 1;
    return piece[this.#at];
  }

  /** The next byte that is not white space, from the next piece if need be. */
  *next(): Step<number> {
    for (;;) {
      const byte = this.peek();
      if (byte !== undefined) return byte;
      yield* this.#more();
    }
  }

  skip(): void {
    this.#at += 1;
  }

  *expect(byte: number, reason: string): Step<void> {
    if ((yield* this.next()) !== byte) this.fail(reason);
    this.skip();
  }

  /** Only white space may be left. */
  *rest(): Step<void> {
    while (!this.isOver) {
      if (this.peek() !== undefined) this.fail('the file goes on after its JSON object');
      yield;
    }
  }

  /** The value that begins here. */
  *value(): Step<JsonValue> {
    return this.takeValue() ?? (yield* this.restOfValue());
  }

  /**
   * The value that begins here, or undefined when it goes on in the next piece: `restOfValue` gives it then.
   * One that is not wanted is passed over without a look at it, and comes as `passedOver`.
   */
  takeValue(isWanted = true): JsonValue | undefined {
    const start = this.#at;
    this.#valueOffset = this.offset;
    this.#valueSize = 0;
    this.#scanner.begin();
    const end = this.#scan();
    if (end === -1) {
      this.#parts = isWanted ? [Buffer.from(this.#piece.subarray(start))] : undefined;
      return undefined;
    }
    if (!isWanted) return passedOver;
    return this.#parse(this.#piece, start, end);
  }

  *restOfValue(): Step<JsonValue> {
    for (;;) {
      yield* this.#more();
      const end = this.#scan();
      // A copy, because the giver may use the piece's memory again.
      this.#parts?.push(Buffer.from(this.#piece.subarray(0, this.#at)));
      if (end === -1) continue;
      if (this.#parts === undefined) return passedOver;
      const bytes = Buffer.concat(this.#parts);
      this.#parts = undefined;
      return this.#parse(bytes, 0, bytes.length);
    }
  }

  /** Moves to the end of the value, or of the piece. */
  #scan(): number {
    const start = this.#at;
    const end = this.#scanner.scan(this.#piece, start, this.#base);
    this.#at = end === -1 ? this.#piece.length : end;
    this.#valueSize += this.#at - start;
    const { recordBytes } = this.#limits;
    if (this.#valueSize > recordBytes) this.fail(`it is larger than ${recordBytes} bytes`, 'recordBytes');
    if (this.#valueSize === 0) this.fail('it is not valid JSON: a value is missing');
    return end;
  }

  #parse(bytes: Buffer, start: number, end: number): JsonValue {
    const offset = this.#valueOffset;
    const text = bytes.toString('utf8', start, end);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      const error = findJsonError(bytes.subarray(start, end));
      const reason = error === undefined ? 'it is not valid JSON' : `it is not valid JSON: ${error.reason}`;
      throw new FileProblem(reason, { offset: offset + (error?.at ?? 0), record: this.record, cause });
    }
    if (this.#scanner.hasWideNumber && hasInfinity(value)) {
      this.#failAt(
        offset,
        'it has a number that is out of range: at most 1.7976931348623157e308 can be kept',
      );
    }
    return { offset, text, value };
  }

  *#more(): Step<void> {
    yield;
    if (!this.isOver) return;
    if (this.offset === 0) this.fail('the file is empty');
    this.fail('the file ends too early');
  }

  #failAt(offset: number, reason: string, limit?: keyof ReadLimits): never {
    throw new FileProblem(reason, { offset, record: this.record, limit });
  }
}

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasInfinity);
}
