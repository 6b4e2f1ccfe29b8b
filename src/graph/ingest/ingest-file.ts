import type { Db } from '../../db/client.ts';
import { Deadline } from '../../deadline.ts';
import { type ArchiveFile, openArchive } from './reader/archive.ts';
import {
  type ArchiveLimits,
  defaultArchiveLimits,
  defaultReadLimits,
  type ReadLimits,
} from './reader/limits.ts';
import { FileProblem } from './reader/problem.ts';
import { isZip, type RandomAccess } from './reader/random-access.ts';
import type { FileResult, Progress } from './result.ts';
import { applyFile, type JsonFile } from './write/apply-file.ts';
import { enterFile, findApplied, setResults } from './write/ledger.ts';
import { Report } from './write/report.ts';
import { MustApplyAll } from './write/staged.ts';

export interface FileSource {
  readonly name: string;
  readonly size: number;
  /** May be called more than once. */
  open(): AsyncIterable<Uint8Array>;
  /** Without it the file is not taken for an archive. */
  readonly randomAccess?: RandomAccess;
}

export interface IngestLimits {
  readonly read: ReadLimits;
  readonly archive: ArchiveLimits;
}

export const defaultIngestLimits: IngestLimits = { read: defaultReadLimits, archive: defaultArchiveLimits };

export interface IngestOptions {
  /** The file is applied once, however often it is given. */
  readonly fileId: string;
  readonly seenAt: number;
  readonly limits: IngestLimits;
  /** SIDs of the domains that the collection speaks for, if it is known; otherwise the file tells (gap 4.5). */
  readonly domains?: ReadonlySet<string> | undefined;
  onProgress?(progress: Progress): void;
  isCanceled?(): boolean;
}

/**
 * Applies one file to the graph: all of it or nothing, once. The entries of an archive are files of their own, in
 * the ledger as `<fileId>/<n>`, so that a crash repeats only what was not finished. What is wrong with a file is in
 * its result; what is wrong with the store is thrown, and then the same call can be made again.
 */
export async function ingestFile(
  graph: Db,
  source: FileSource,
  options: IngestOptions,
): Promise<FileResult[]> {
  // A large file takes as long as it takes.
  const unbound = graph.within(new Deadline(undefined));
  const before = await findApplied(unbound, options.fileId);
  if (before !== undefined) return before;
  const { randomAccess } = source;
  if (randomAccess !== undefined && (await isZip(randomAccess))) {
    return ingestArchive(unbound, { name: source.name, size: source.size, bytes: randomAccess }, options);
  }
  const progress = new Counter(options, source.size);
  return ingestJson(unbound, options, progress, {
    fileId: options.fileId,
    name: source.name,
    archive: undefined,
    size: source.size,
    open: () => source.open(),
  });
}

interface ArchiveSource {
  readonly name: string;
  readonly size: number;
  readonly bytes: RandomAccess;
}

async function ingestArchive(
  graph: Db,
  source: ArchiveSource,
  options: IngestOptions,
): Promise<FileResult[]> {
  const { fileId, seenAt, limits } = options;
  let files: readonly ArchiveFile[];
  try {
    ({ files } = await openArchive(source.bytes, limits.archive));
  } catch (error) {
    if (error instanceof FileProblem) return [new Report().failed(source.name, undefined, [error.message])];
    throw error;
  }
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const progress = new Counter(options, source.size, total);
  const results: FileResult[] = [];
  for (const [index, { name, size, open }] of files.entries()) {
    const entry = { fileId: `${fileId}/${index}`, name, archive: source.name, size, open };
    results.push(...(await ingestJson(graph, options, progress, entry)));
  }
  // What failed may be tried again, so the archive as a whole is done only without.
  if (results.every((result) => result.outcome === 'complete')) {
    await graph.transaction(async (db) => {
      if ((await findApplied(db, fileId)) !== undefined) return;
      await enterFile(db, fileId, seenAt);
      await setResults(db, fileId, results);
    });
  }
  return results;
}

type Entry = Pick<JsonFile, 'fileId' | 'name' | 'archive' | 'open'> & { readonly size: number };

async function ingestJson(
  graph: Db,
  options: IngestOptions,
  progress: Counter,
  entry: Entry,
): Promise<FileResult[]> {
  const { name, archive } = entry;
  for (const mayPassOver of [true, false]) {
    const report = new Report();
    const onBatch = () => {
      if (options.isCanceled?.() === true) throw new FileProblem('it was canceled');
      progress.records = report.records;
      progress.tell();
    };
    try {
      const applied = await findApplied(graph, entry.fileId);
      if (applied !== undefined) return applied;
      onBatch();
      const file = {
        ...entry,
        open: progress.counting(entry.open, onBatch),
        limits: options.limits.read,
        seenAt: options.seenAt,
        domains: options.domains,
        onBatch,
        onWait: () => progress.tell(),
      };
      const results = await applyFile({ graph, file, mayPassOver, report });
      progress.endFile(entry.size, report.records);
      return results;
    } catch (error) {
      if (error instanceof MustApplyAll && mayPassOver) continue;
      if (!(error instanceof FileProblem)) throw error;
      progress.endFile(entry.size, report.records);
      const errors = report.errors.length === 0 ? [error.message] : report.errors;
      return [report.failed(name, archive, errors)];
    }
  }
  throw new Error('a file was passed over twice');
}

/** How far the reading is, in bytes of the file as it was sent. */
class Counter {
  records = 0;
  readonly #options: IngestOptions;
  readonly #scale: number;
  #finishedBytes = 0;
  #finishedRecords = 0;
  #bytes = 0;

  constructor(options: IngestOptions, size: number, unpacked = size) {
    this.#options = options;
    this.#scale = unpacked === 0 ? 1 : size / unpacked;
  }

  tell(): void {
    this.#options.onProgress?.({
      bytes: Math.floor((this.#finishedBytes + this.#bytes) * this.#scale),
      records: this.#finishedRecords + this.records,
    });
  }

  endFile(size: number, records: number): void {
    this.#finishedBytes += size;
    this.#finishedRecords += records;
    this.#bytes = 0;
    this.records = 0;
    this.tell();
  }

  /** The first pass only looks for the envelope; the second one is what takes time, and what is counted. */
  counting(open: () => AsyncIterable<Uint8Array>, onLook: () => void): () => AsyncIterable<Uint8Array> {
    let passes = 0;
    return () => {
      passes += 1;
      this.#bytes = 0;
      const count = (piece: Uint8Array) => {
        this.#bytes += piece.length;
      };
      return watched(open(), passes === 1 ? onLook : count);
    };
  }
}

async function* watched(
  bytes: AsyncIterable<Uint8Array>,
  onPiece: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes) {
    onPiece(piece);
    yield piece;
  }
}
