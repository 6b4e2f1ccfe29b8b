import { randomUUID } from 'node:crypto';
import { inList, type Reader, type Transaction, type Value } from '../../db/client.ts';
import type { Encoding } from './encoding.ts';
import type { Received } from './spool.ts';

/**
 * `arrived`: of an upload that has not ended, so nobody reads it yet. `waiting`: for a reader. The last three are
 * its end, unless it is tried again.
 */
export type FileState = 'arrived' | 'waiting' | 'reading' | 'complete' | 'failed' | 'canceled';

export interface IngestFileRow {
  readonly id: number;
  readonly job_id: number | null;
  readonly upload_id: number | null;
  readonly name: string;
  readonly encoding: Encoding;
  readonly bytes: number;
  readonly unpacked_bytes: number;
  readonly spool_id: string | null;
  readonly state: FileState;
  readonly reading_id: string;
  readonly crashes: number;
  readonly read_bytes: number;
  readonly read_records: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export const fileColumns = `id, job_id, upload_id, name, encoding, bytes, unpacked_bytes, spool_id, state, reading_id,
  crashes, read_bytes, read_records, created_at, updated_at`;

/** What a file belongs to. */
export type Owner = { readonly jobId: number } | { readonly uploadId: number };

export function ownerColumn(owner: Owner): { column: 'job_id' | 'upload_id'; id: number } {
  return 'jobId' in owner
    ? { column: 'job_id', id: owner.jobId }
    : { column: 'upload_id', id: owner.uploadId };
}

interface NewFile {
  readonly name: string;
  readonly contentType: string | undefined;
  readonly state: 'arrived' | 'waiting';
  readonly received: Received;
}
export type NewIngestFile = NewFile &
  ({ readonly jobId: number; readonly clientId: string } | { readonly uploadId: number });

/** Its id; nothing when the same bytes are there for the same job. */
export async function insertIngestFile(
  db: Transaction,
  file: NewIngestFile,
  now: number,
): Promise<number | undefined> {
  const { written, sha256, encoding, unpackedBytes } = file.received;
  const row = await db.one<{ id: number }>(
    `insert into ingest_files (job_id, upload_id, client_id, name, sha256, encoding, content_type, bytes,
       unpacked_bytes, spool_id, state, reading_id, crashes, read_bytes, read_records, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, 0, 0, $13, $13)
     on conflict (job_id, sha256, encoding) do nothing returning id`,
    [
      'jobId' in file ? file.jobId : null,
      'uploadId' in file ? file.uploadId : null,
      'clientId' in file ? file.clientId : null,
      file.name,
      sha256,
      encoding,
      file.contentType ?? null,
      written.bytes,
      unpackedBytes,
      written.id,
      file.state,
      randomUUID(),
      now,
    ],
  );
  return row?.id;
}

/** Which of these names belong to a file that is kept. */
export async function findKept(db: Reader, spoolIds: readonly string[]): Promise<Set<string>> {
  if (spoolIds.length === 0) return new Set();
  const { sql, params } = inList(spoolIds, 1);
  const rows = await db.query<{ spool_id: string }>(
    `select spool_id from ingest_files where spool_id in (${sql})`,
    params,
  );
  return new Set(rows.map((row) => row.spool_id));
}

/** What counts for the quota: not what was read and is only kept because somebody wants it so. */
export async function sumKeptBytes(db: Reader): Promise<number> {
  const row = await db.one<{ total: number }>(
    `select cast(coalesce(sum(bytes), 0) as bigint) as total from ingest_files
     where spool_id is not null and state <> 'complete'`,
  );
  return row?.total ?? 0;
}

export function listFiles(db: Reader, owner: Owner): Promise<IngestFileRow[]> {
  const { column, id } = ownerColumn(owner);
  return db.query<IngestFileRow>(`select ${fileColumns} from ingest_files where ${column} = $1 order by id`, [
    id,
  ]);
}

/** Whether some are still to be read. */
export async function hasOpenFiles(db: Reader, owner: Owner): Promise<boolean> {
  const { column, id } = ownerColumn(owner);
  const row = await db.one(
    `select 1 as found from ingest_files where ${column} = $1 and state in ('waiting', 'reading') limit 1`,
    [id],
  );
  return row !== undefined;
}

/** Moves all files of an upload or job from one state to another; tells how many there were. */
export function moveFiles(
  db: Transaction,
  owner: Owner,
  from: FileState,
  to: FileState,
  now: number,
): Promise<number> {
  const { column, id } = ownerColumn(owner);
  return db.execute(
    `update ingest_files set state = $3, updated_at = $4 where ${column} = $1 and state = $2`,
    [id, from, to, now],
  );
}

/** The names of the bytes of some files; they are given up with the row's own name for them. */
export async function takeSpoolIds(
  db: Transaction,
  where: string,
  params: readonly Value[],
): Promise<string[]> {
  const rows = await db.query<{ spool_id: string }>(
    `select spool_id from ingest_files where spool_id is not null and ${where}`,
    params,
  );
  if (rows.length > 0)
    await db.execute(
      `update ingest_files set spool_id = null where spool_id is not null and ${where}`,
      params,
    );
  return rows.map((row) => row.spool_id);
}
