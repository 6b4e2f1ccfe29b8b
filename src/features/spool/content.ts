import { AppError } from '../../errors.ts';
import { createUnpacker, type Encoding, type Unpacker } from './encoding.ts';
import type { Limits } from './limits.ts';

export type ContentKind = 'json' | 'zip';

/**
 * A cheap first look at a body while it arrives: does it unpack, within bounds, and can it be what it should be?
 * Everything else about it is found out by its reader.
 */
export class ContentCheck {
  readonly #unpacker: Unpacker;
  readonly #limits: Limits;
  readonly #start: Start;
  /** What came out since it was last asked for, where that is wanted. */
  #unpacked: Uint8Array[] | undefined;
  #packedBytes = 0;
  #unpackedBytes = 0;
  /** Whether what comes out is kept, instead of what was sent. */
  readonly keepsUnpacked: boolean;

  constructor(encoding: Encoding, limits: Limits, kind: ContentKind = 'json') {
    this.#limits = limits;
    this.#start = kind === 'json' ? new ObjectStart() : new ZipStart();
    // An archive is read from its end: it is kept as it is inside its encoding.
    this.keepsUnpacked = kind === 'zip' && encoding !== 'identity';
    this.#unpacked = this.keepsUnpacked ? [] : undefined;
    this.#unpacker = createUnpacker(encoding, (bytes) => this.#take(bytes));
  }

  get unpackedBytes(): number {
    return this.#unpackedBytes;
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#packedBytes += chunk.length;
    return this.#unpacker.write(chunk);
  }

  takeUnpacked(): Uint8Array[] {
    const taken = this.#unpacked ?? [];
    if (this.#unpacked !== undefined) this.#unpacked = [];
    return taken;
  }

  async end(): Promise<void> {
    if (this.#packedBytes > 0) await this.#unpacker.end();
    if (this.#unpackedBytes === 0)
      throw new AppError('bad_request', 'the body is empty', { context: 'body' });
    this.#start.end();
  }

  close(): void {
    this.#unpacker.close();
  }

  #take(bytes: Uint8Array): void {
    this.#unpackedBytes += bytes.length;
    this.#limits.checkUnpacked(this.#packedBytes, this.#unpackedBytes);
    this.#start.take(bytes);
    this.#unpacked?.push(bytes);
  }
}

interface Start {
  take(bytes: Uint8Array): void;
  end(): void;
}

/** Of an archive with entries, or without any. */
const zipMarks = ['504b0304', '504b0506'];

class ZipStart implements Start {
  #head = Buffer.alloc(0);

  take(bytes: Uint8Array): void {
    if (this.#head.length >= 4) return;
    this.#head = Buffer.concat([this.#head, bytes.subarray(0, 4)]).subarray(0, 4);
    if (this.#head.length === 4) this.end();
  }

  end(): void {
    if (zipMarks.includes(this.#head.toString('hex'))) return;
    throw new AppError('bad_request', 'the body is not a zip archive, as its Content-Type says', {
      context: 'body',
    });
  }
}

const byteOrderMarks = [
  [0xef, 0xbb, 0xbf],
  [0, 0, 0xfe, 0xff],
  [0xfe, 0xff],
  [0xff, 0xfe],
];
const isWide = ({ length }: readonly number[]) => length === 2 || length === 4;
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d]);
const openingBrace = 0x7b;

/** After a byte order mark and blanks, if any, an object begins with a brace; zeros surround it if it is wide. */
class ObjectStart implements Start {
  #position = 0;
  #mark: readonly number[] = [];
  #isFound = false;

  take(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length && !this.#isFound; index += 1) this.#next(bytes[index] ?? 0);
  }

  end(): void {
    if (!this.#isFound) throw notAnObject();
  }

  #next(byte: number): void {
    const position = this.#position;
    this.#position += 1;
    if (position === 0) this.#mark = byteOrderMarks.find(([first]) => first === byte) ?? [];
    if (position < this.#mark.length) {
      if (this.#mark[position] !== byte) throw notAnObject();
      return;
    }
    if (blanks.has(byte) || (byte === 0 && isWide(this.#mark))) return;
    if (byte !== openingBrace) throw notAnObject();
    this.#isFound = true;
  }
}

function notAnObject(): AppError {
  return new AppError('bad_request', 'the body must be a JSON object, so it must begin with {', {
    context: 'body',
  });
}
