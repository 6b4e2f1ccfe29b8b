import { isUtf8 } from 'node:buffer';
import { FileProblem } from './problem.ts';

/** One batch of records is read from one piece, so a piece must stay small. */
const pieceBytes = 128 * 1024;

interface Encoding {
  readonly name: string;
  readonly mark: readonly number[];
}

/** UTF-32 first: its little-endian mark begins with the one of UTF-16. */
const encodings: readonly Encoding[] = [
  { name: 'UTF-32LE', mark: [0xff, 0xfe, 0, 0] },
  { name: 'UTF-32BE', mark: [0, 0, 0xfe, 0xff] },
  { name: 'UTF-16LE', mark: [0xff, 0xfe] },
  { name: 'UTF-16BE', mark: [0xfe, 0xff] },
  { name: 'UTF-8', mark: [0xef, 0xbb, 0xbf] },
];

/** The text of a file as valid UTF-8, in pieces of at most 128 KiB, whatever its byte order mark says. */
export async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let head: Buffer = Buffer.alloc(0);
  let decoder: Decoder | undefined;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      let piece = asBuffer(chunk.subarray(at, at + pieceBytes));
      if (decoder === undefined) {
        head = Buffer.concat([head, piece]);
        if (head.length < 4) continue;
        [decoder, piece] = chooseDecoder(head);
      }
      const text = decoder.push(piece);
      if (text.length > 0) yield text;
    }
  }
  if (decoder === undefined) {
    const [late, rest] = chooseDecoder(head);
    decoder = late;
    yield decoder.push(rest);
  }
  decoder.end();
}

function chooseDecoder(head: Buffer): [Decoder, Buffer] {
  const encoding = encodings.find(({ mark }) => mark.every((byte, i) => head[i] === byte));
  const rest = head.subarray(encoding?.mark.length ?? 0);
  if (encoding === undefined || encoding.name === 'UTF-8') return [new Utf8Decoder(), rest];
  return [new WideDecoder(encoding.name), rest];
}

interface Decoder {
  push(piece: Buffer): Buffer;
  end(): void;
}

class Utf8Decoder implements Decoder {
  #rest: Buffer = Buffer.alloc(0);
  #offset = 0;

  push(piece: Buffer): Buffer {
    const joined = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const length = completeLength(joined, joined.length);
    const text = joined.subarray(0, length);
    if (!isUtf8(text)) {
      throw new FileProblem('this is not valid UTF-8', { offset: this.#offset + firstInvalid(text) });
    }
    // A copy, because the caller may use the piece's memory again.
    this.#rest = Buffer.from(joined.subarray(length));
    this.#offset += length;
    return text;
  }

  end(): void {
    if (this.#rest.length === 0) return;
    throw new FileProblem('the file ends inside a character of UTF-8', { offset: this.#offset });
  }
}

/** How many of the first `length` bytes are whole characters, if they are UTF-8 at all. */
function completeLength(bytes: Buffer, length: number): number {
  for (let back = 1; back <= Math.min(3, length); back += 1) {
    const byte = bytes[length - back] as number;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return wanted > back && byte < 0xf8 ? length - back : length;
  }
  return length;
}

function firstInvalid(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8(bytes.subarray(0, completeLength(bytes, middle)))) good = middle;
    else bad = middle;
  }
  return completeLength(bytes, good);
}

/** UTF-16 and UTF-32 in both byte orders. */
class WideDecoder implements Decoder {
  readonly #name: string;
  readonly #unitBytes: 2 | 4;
  readonly #unitAt: (bytes: Buffer, at: number) => number;
  #rest: Buffer = Buffer.alloc(0);
  #highSurrogate = 0;
  #written = 0;

  constructor(name: string) {
    this.#name = name;
    this.#unitBytes = name.startsWith('UTF-32') ? 4 : 2;
    const isLittle = name.endsWith('LE');
    if (this.#unitBytes === 4) {
      this.#unitAt = isLittle ? (bytes, at) => bytes.readUInt32LE(at) : (bytes, at) => bytes.readUInt32BE(at);
    } else {
      this.#unitAt = isLittle ? (bytes, at) => bytes.readUInt16LE(at) : (bytes, at) => bytes.readUInt16BE(at);
    }
  }

  push(piece: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const length = bytes.length - (bytes.length % this.#unitBytes);
    // Four bytes for a pair of UTF-16 or one unit of UTF-32, three for a single unit of UTF-16.
    const out = Buffer.allocUnsafe((length / this.#unitBytes) * (this.#unitBytes === 4 ? 4 : 3) + 4);
    let size = 0;
    for (let at = 0; at < length; at += this.#unitBytes) {
      const unit = this.#unitAt(bytes, at);
      const isLow = unit >= 0xdc00 && unit < 0xe000;
      if (this.#highSurrogate !== 0 ? !isLow : isLow) this.#fail(size);
      if (this.#unitBytes === 2 && unit >= 0xd800 && unit < 0xdc00) {
        this.#highSurrogate = unit;
        continue;
      }
      const point = isLow ? 0x10000 + ((this.#highSurrogate - 0xd800) << 10) + (unit - 0xdc00) : unit;
      this.#highSurrogate = 0;
      if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) this.#fail(size);
      size = writeUtf8(out, size, point);
    }
    this.#rest = Buffer.from(bytes.subarray(length));
    this.#written += size;
    return out.subarray(0, size);
  }

  end(): void {
    if (this.#rest.length > 0 || this.#highSurrogate !== 0) this.#fail(0);
  }

  #fail(at: number): never {
    throw new FileProblem(`this is not valid ${this.#name}`, { offset: this.#written + at });
  }
}

function writeUtf8(out: Buffer, at: number, point: number): number {
  if (point < 0x80) {
    out[at] = point;
    return at + 1;
  }
  const follow = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const lead = follow === 1 ? 0xc0 : follow === 2 ? 0xe0 : 0xf0;
  out[at] = lead | (point >> (6 * follow));
  for (let i = 1; i <= follow; i += 1) out[at + i] = 0x80 | ((point >> (6 * (follow - i))) & 0x3f);
  return at + follow + 1;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
