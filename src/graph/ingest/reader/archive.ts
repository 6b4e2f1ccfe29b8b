import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader } from 'yauzl';
import { isIgnored, type ListedEntry, localHeaderBytes, problemOf, readEntry } from './archive-entry.ts';
import type { ArchiveLimits } from './limits.ts';
import { FileProblem } from './problem.ts';
import type { RandomAccess } from './random-access.ts';

export interface ArchiveFile {
  readonly name: string;
  /** Uncompressed, as the archive states it; more than that never comes out. */
  readonly size: number;
  /** Why this one must not be read, while the others may; `open` throws it too. */
  readonly problem: FileProblem | undefined;
  /** May be called again, for a second pass. */
  open(): AsyncIterable<Uint8Array>;
}

export interface Archive {
  readonly files: readonly ArchiveFile[];
  /** Names of hidden files and those of macOS. Folders are not listed. */
  readonly ignored: readonly string[];
}

/**
 * Reads the list of a zip archive, and nothing else. What concerns the archive as a whole is thrown; what
 * concerns one entry is its `problem`. The source stays open and belongs to the caller.
 */
export async function openArchive(source: RandomAccess, limits: ArchiveLimits): Promise<Archive> {
  const entries = await listEntries(source, limits);
  const files: ArchiveFile[] = [];
  const ignored: string[] = [];
  for (const entry of entries) {
    const problem = problemOf(entry, limits);
    if (problem === undefined && entry.name.endsWith('/')) continue;
    if (problem === undefined && isIgnored(entry.name)) {
      ignored.push(entry.name);
      continue;
    }
    const open = problem === undefined ? () => readEntry(source, entry) : () => refusing(problem);
    files.push({ name: entry.name, size: entry.size, problem, open });
  }
  return { files, ignored };
}

async function listEntries(source: RandomAccess, limits: ArchiveLimits): Promise<ListedEntry[]> {
  const reader = new SourceReader(source);
  try {
    const zip = await fromRandomAccessReaderPromise(reader, source.size, {
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: false,
    });
    if (zip.entryCount > limits.entries) {
      throw new FileProblem(`the archive has more than ${limits.entries} entries`, { limit: 'entries' });
    }
    const entries: Omit<ListedEntry, 'mostEnd'>[] = [];
    const listOffset = Number(zip.readEntryCursor);
    let total = 0;
    for await (const entry of zip.eachEntry()) {
      if (entry.fileNameLength > limits.nameBytes) {
        const reason = `the archive has a name longer than ${limits.nameBytes} bytes`;
        throw new FileProblem(reason, { limit: 'nameBytes' });
      }
      total += entry.uncompressedSize;
      if (total > limits.totalBytes) {
        const reason = `the archive unpacks to more than ${limits.totalBytes} bytes`;
        throw new FileProblem(reason, { limit: 'totalBytes' });
      }
      entries.push(factsOf(entry));
    }
    return withBounds(entries, listOffset);
  } catch (error) {
    if (error instanceof FileProblem || error === reader.failure) throw error;
    throw new FileProblem(reasonOf(error), { cause: error });
  }
}

/** Only what is needed: the entry itself also holds comments and extra fields, which may be large. */
function factsOf(entry: Entry): Omit<ListedEntry, 'mostEnd'> {
  const { generalPurposeBitFlag: flags, fileNameRaw, extraFields } = entry;
  return {
    name: getFileNameLowLevel(flags, fileNameRaw, extraFields, false),
    headerOffset: entry.relativeOffsetOfLocalHeader,
    compressedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    method: entry.compressionMethod,
    flags,
    crc32: entry.crc32,
    mode: entry.externalFileAttributes >>> 16,
  };
}

/** Entries that share bytes are how a small archive unpacks to a huge one. */
function withBounds(entries: readonly Omit<ListedEntry, 'mostEnd'>[], listOffset: number): ListedEntry[] {
  const offsets = entries.map((entry) => entry.headerOffset).sort((a, b) => a - b);
  const nextOf = new Map<number, number>();
  for (const [i, offset] of offsets.entries()) nextOf.set(offset, offsets[i + 1] ?? listOffset);
  if (nextOf.size < offsets.length) throw new FileProblem('the archive has overlapping entries');
  return entries.map((entry) => {
    const mostEnd = nextOf.get(entry.headerOffset) ?? listOffset;
    const { headerOffset, compressedSize } = entry;
    if (headerOffset + localHeaderBytes + compressedSize > mostEnd) {
      throw new FileProblem('the archive has overlapping entries', { offset: headerOffset });
    }
    return { ...entry, mostEnd };
  });
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('strong encryption')) return 'the archive is encrypted';
  if (message.includes('multi-disk')) return 'the archive is one part of several';
  return 'the archive is damaged or cut off: its list of entries can not be read';
}

/** In the form of an entry's bytes. */
function refusing(problem: FileProblem): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(problem) }) };
}

const blockBytes = 64 * 1024;

/** yauzl asks for a few bytes at a time, one entry after the other: one block answers many of these. */
class SourceReader extends RandomAccessReader {
  /** What the source itself threw: no problem of the archive. */
  failure: unknown;
  readonly #source: RandomAccess;
  #block: Uint8Array = new Uint8Array(0);
  #blockOffset = 0;

  constructor(source: RandomAccess) {
    super();
    this.#source = source;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#bytes(position, length).then(
      (bytes) => {
        buffer.set(bytes, offset);
        callback(null);
      },
      (error: Error) => callback(error),
    );
  }

  async #bytes(position: number, length: number): Promise<Uint8Array> {
    const { size } = this.#source;
    if (position + length > size) throw new Error('the archive points beyond its end');
    const start = position - this.#blockOffset;
    if (start >= 0 && start + length <= this.#block.length)
      return this.#block.subarray(start, start + length);
    try {
      this.#block = await this.#source.read(
        position,
        Math.min(Math.max(length, blockBytes), size - position),
      );
    } catch (error) {
      this.failure = error;
      throw error;
    }
    this.#blockOffset = position;
    return this.#block.subarray(0, length);
  }
}
