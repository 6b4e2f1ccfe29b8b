import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { ArchiveLimits } from './limits.ts';
import { FileProblem } from './problem.ts';
import { type RandomAccess, readRange, startsLikeZip } from './random-access.ts';

/** One entry as the archive's list states it. */
export interface ListedEntry {
  readonly name: string;
  readonly headerOffset: number;
  /** Where the next thing in the archive begins. */
  readonly mostEnd: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly method: number;
  readonly flags: number;
  readonly crc32: number;
  /** Of Unix; 0 where the archive was made elsewhere. */
  readonly mode: number;
}

const encryptedFlag = 0x1;
const fileTypeBits = 0o170000;
const regularFile = 0o100000;
const folder = 0o040000;
const symbolicLink = 0o120000;
const stored = 0;
const deflated = 8;
/** A small entry may repeat itself as it likes. */
const ratioMatters = 1024 * 1024;
export const localHeaderBytes = 30;

/** No payload: hidden files, and what macOS adds. */
export function isIgnored(name: string): boolean {
  return name.split('/').some((part) => part === '__MACOSX' || (part.startsWith('.') && part !== '.'));
}

/** Why an entry must not be read, by what the list says of it. */
export function problemOf(entry: ListedEntry, limits: ArchiveLimits): FileProblem | undefined {
  const { name, size, compressedSize, method, flags, mode } = entry;
  const type = mode & fileTypeBits;
  if (name === '' || name.includes('\0')) return new FileProblem('its name is empty or has a zero byte');
  if (/^(?:\/|[a-z]:)/i.test(name)) return new FileProblem('its name is an absolute path');
  if (name.split('/').includes('..')) return new FileProblem('its name leads out of the archive with ".."');
  if (type === symbolicLink) return new FileProblem('it is a symbolic link');
  if (type !== 0 && type !== regularFile && type !== folder) {
    return new FileProblem('it is a special file of Unix');
  }
  if ((flags & encryptedFlag) !== 0) return new FileProblem('it is encrypted');
  if (method !== stored && method !== deflated) {
    return new FileProblem(`it is compressed by method ${method}; only stored and deflated entries are read`);
  }
  if (method === stored && size !== compressedSize) {
    return new FileProblem('the archive states two sizes for it');
  }
  if (size > limits.entryBytes) {
    return new FileProblem(`it unpacks to more than ${limits.entryBytes} bytes`, { limit: 'entryBytes' });
  }
  if (size > ratioMatters && size > compressedSize * limits.ratio) {
    const reason = `it unpacks to more than ${limits.ratio} times its size`;
    return new FileProblem(reason, { limit: 'ratio' });
  }
  if (/\.zip$/i.test(name)) return new FileProblem(nested);
  return undefined;
}

const nested = 'it is a zip archive inside a zip archive';

/** The entry's bytes: exactly as many as the archive states, with the right checksum, or a problem. */
export async function* readEntry(
  source: RandomAccess,
  entry: ListedEntry,
): AsyncGenerator<Uint8Array, void, undefined> {
  const start = await dataOffset(source, entry);
  const raw = readRange(source, start, start + entry.compressedSize);
  let size = 0;
  let sum = 0;
  for await (const chunk of entry.method === deflated ? inflate(raw) : raw) {
    if (size === 0 && startsLikeZip(chunk)) throw new FileProblem(nested);
    size += chunk.length;
    if (size > entry.size) throw new FileProblem('it unpacks to more than the archive states');
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (size < entry.size) throw new FileProblem('it unpacks to less than the archive states');
  if (sum !== entry.crc32) throw new FileProblem('it is damaged: its checksum is wrong');
}

async function dataOffset(source: RandomAccess, { headerOffset, compressedSize, mostEnd }: ListedEntry) {
  const header = Buffer.from(await source.read(headerOffset, localHeaderBytes));
  if (header.toString('latin1', 0, 4) !== 'PK\x03\x04') {
    throw new FileProblem('the archive is damaged: it is not where the archive states', {
      offset: headerOffset,
    });
  }
  const start = headerOffset + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (start + compressedSize > mostEnd) {
    throw new FileProblem('it overlaps with what follows in the archive', { offset: headerOffset });
  }
  return start;
}

async function* inflate(raw: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const inflater = createInflateRaw({ chunkSize: 128 * 1024 });
  // The outcome is seen by whoever reads the last stream.
  pipeline(Readable.from(raw), inflater, () => {});
  try {
    yield* inflater as AsyncIterable<Uint8Array>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string' || !code.startsWith('Z_')) throw error;
    const reason = code === 'Z_BUF_ERROR' ? 'it ends too early' : 'its compressed data is damaged';
    throw new FileProblem(reason, { cause: error });
  }
}
