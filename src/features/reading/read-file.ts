import { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { ingestFile } from '../../graph/ingest/ingest-file.ts';
import type { FileResult, Progress } from '../../graph/ingest/result.ts';
import type { ClaimedFile, Spool } from '../spool/index.ts';
import type { FileLimits } from './limits.ts';

/** What of a file its reader needs to know; it may be told to another process. */
export type ReadableFile = Pick<
  ClaimedFile,
  'id' | 'name' | 'encoding' | 'bytes' | 'unpacked_bytes' | 'spool_id' | 'reading_id' | 'seen_at' | 'domains'
>;

export type Outcome =
  | { readonly kind: 'read'; readonly results: readonly FileResult[] }
  /** On demand; of an archive these entries are in the graph. */
  | { readonly kind: 'stopped'; readonly results: readonly FileResult[] }
  /** The store can't be used now, which is not the file's fault. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** Unforeseen: the same again may go well. */
  | { readonly kind: 'broken'; readonly reason: string };

interface Hooks {
  onProgress(progress: Progress): void;
  isStopped(): boolean;
}

/** Reads one file into the graph: all of it or nothing, and only once whatever happens. */
export async function readFile(
  graph: Db,
  spool: Spool,
  file: ReadableFile,
  limits: FileLimits,
  { onProgress, isStopped }: Hooks,
): Promise<Outcome> {
  const name = file.name === '' ? `batch ${file.id}` : file.name;
  const { spool_id: spoolId, encoding } = file;
  if (spoolId === null) return { kind: 'read', results: [failure(name, 'its bytes are no longer kept')] };
  const access = encoding === 'identity' ? await spool.openAt({ id: spoolId, bytes: file.bytes }) : undefined;
  try {
    const source = {
      name,
      size: file.unpacked_bytes,
      open: () => (encoding === 'identity' ? spool.open(spoolId) : unpacked(spool.open(spoolId), encoding)),
      ...(access === undefined ? {} : { randomAccess: access }),
    };
    const options = {
      fileId: file.reading_id,
      seenAt: file.seen_at,
      limits,
      domains: speakingFor(file.domains),
      onProgress,
      isCanceled: isStopped,
    };
    const results = await ingestFile(graph, source, options);
    const complete = results.filter(({ outcome }) => outcome === 'complete');
    // Whatever failed may have failed because it was stopped; entries of an archive before that are in the graph.
    return isStopped() && complete.length < results.length
      ? { kind: 'stopped', results: complete }
      : { kind: 'read', results };
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable')
      return { kind: 'unavailable', reason: error.message };
    throw error;
  } finally {
    await access?.close();
  }
}

/** A job can name anything: only domains of Active Directory are spoken for. */
function speakingFor(ids: readonly string[]): ReadonlySet<string> | undefined {
  const domains = ids.map((id) => id.toUpperCase()).filter((id) => id.startsWith('S-1-5-21-'));
  return domains.length === 0 ? undefined : new Set(domains);
}

async function* unpacked(
  bytes: AsyncIterable<Uint8Array>,
  encoding: 'gzip' | 'deflate',
): AsyncIterable<Uint8Array> {
  const zlib = encoding === 'gzip' ? createGunzip() : createInflate();
  const source = Readable.from(bytes).on('error', (error) => zlib.destroy(error));
  source.pipe(zlib);
  try {
    yield* zlib;
  } finally {
    source.destroy();
    zlib.destroy();
  }
}

export function failure(name: string, error: string): FileResult {
  return {
    name,
    archive: undefined,
    outcome: 'failed',
    records: 0,
    nodes: 0,
    edges: 0,
    withdrawn: 0,
    skipped: {},
    warnings: [],
    errors: [error],
  };
}
