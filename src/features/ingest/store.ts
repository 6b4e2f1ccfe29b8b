import { inList, type Reader, type Transaction } from '../../db/client.ts';
import type { Encoding } from './encoding.ts';

export interface NewIngestFile {
  readonly jobId: number;
  readonly clientId: string;
  readonly sha256: string;
  readonly encoding: Encoding;
  readonly contentType: string | undefined;
  readonly bytes: number;
  readonly unpackedBytes: number;
  readonly spoolId: string;
}

/** False when the same bytes are there for the same job. */
export async function insertIngestFile(db: Transaction, file: NewIngestFile, now: number): Promise<boolean> {
  const inserted = await db.execute(
    `insert into ingest_files (job_id, client_id, sha256, encoding, content_type, bytes, unpacked_bytes,
       spool_id, state, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 'waiting', $9, $9)
     on conflict (job_id, sha256, encoding) do nothing`,
    [
      file.jobId,
      file.clientId,
      file.sha256,
      file.encoding,
      file.contentType ?? null,
      file.bytes,
      file.unpackedBytes,
      file.spoolId,
      now,
    ],
  );
  return inserted === 1;
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

export async function sumKeptBytes(db: Reader): Promise<number> {
  const row = await db.one<{ total: number }>(
    'select cast(coalesce(sum(bytes), 0) as bigint) as total from ingest_files where spool_id is not null',
  );
  return row?.total ?? 0;
}
