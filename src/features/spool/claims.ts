import type { Db, Look, Reader, Transaction } from '../../db/client.ts';
import type { Progress } from '../../graph/ingest/result.ts';
import { fileColumns, type IngestFileRow } from './store.ts';

/** Without a word from its reader for this long, a file is somebody else's to read. */
export const leaseMs = 10_000;

/** A file in the hands of its reader. */
export interface ClaimedFile extends IngestFileRow {
  /** When the source said so. */
  readonly seen_at: number;
  /** Ids of what the collector was asked to collect; empty when that was left to it. */
  readonly domains: readonly string[];
}

/** Whether there is anything to read; `alone` counts what a reader that is gone had begun. */
export async function hasWaiting(db: Reader, now: number, alone: boolean): Promise<boolean> {
  const row = await db.one(
    `select 1 as found from ingest_files
     where state = 'waiting' or (state = 'reading' and lease_until < $1) limit 1`,
    [alone ? Number.MAX_SAFE_INTEGER : now],
  );
  return row !== undefined;
}

/** The same as a look; what a reader that is gone had begun waits for the end of its lease. */
export const waitingLook: Look = {
  store: 'db',
  sql: `select count(*) from (select id from ingest_files
     where state = 'waiting' or (state = 'reading' and lease_until < $1) limit 1) waiting`,
  due: 'while',
};

/** Whether somebody reads, whatever file it is. */
export async function isSomethingRead(db: Reader, now: number): Promise<boolean> {
  const row = await db.one(
    "select 1 as found from ingest_files where state = 'reading' and lease_until >= $1 limit 1",
    [now],
  );
  return row !== undefined;
}

/** For whoever knows to be the only reader: what others had begun waits again. */
export function releaseAll(db: Db): Promise<number> {
  return db.transaction((db) =>
    db.execute(
      "update ingest_files set state = 'waiting', reader = null, lease_until = null where state = 'reading'",
    ),
  );
}

/** The next file to read, of one upload or of all; it is the reader's own until its lease ends. */
export function claimFile(
  db: Db,
  reader: string,
  now: number,
  uploadId?: number,
): Promise<ClaimedFile | undefined> {
  const only = uploadId === undefined ? '' : 'and upload_id = $4';
  return db.transaction(async (db) => {
    await db.lock('ingest: claim');
    const file = await db.one<IngestFileRow>(
      `update ingest_files set state = 'reading', reader = $1, lease_until = $2, read_bytes = 0, read_records = 0
       where id = (select id from ingest_files
         where (state = 'waiting' or (state = 'reading' and lease_until < $3)) ${only} order by id limit 1)
       returning ${fileColumns}`,
      [reader, now + leaseMs, now, ...(uploadId === undefined ? [] : [uploadId])],
    );
    return file && { ...file, ...(await accountOf(db, file)) };
  });
}

/** The files of one upload or job are one account of the source, whenever each of them arrived. */
async function accountOf(db: Reader, file: IngestFileRow): Promise<Pick<ClaimedFile, 'seen_at' | 'domains'>> {
  const row =
    file.upload_id === null
      ? await db.one<{ at: number | null; domains: string }>(
          'select start_time as at, domains from jobs where id = $1',
          [file.job_id],
        )
      : await db.one<{ at: number; domains: string }>(
          "select start_time as at, '[]' as domains from uploads where id = $1",
          [file.upload_id],
        );
  return { seen_at: row?.at ?? file.created_at, domains: JSON.parse(row?.domains ?? '[]') };
}

/** Tells that the reader is still at it; false when the file is no longer its own. */
export function extendLease(
  db: Db,
  file: IngestFileRow,
  reader: string,
  { bytes, records }: Progress,
  now: number,
): Promise<boolean> {
  return db.transaction(async (db) => {
    const changed = await db.execute(
      `update ingest_files set lease_until = $3, read_bytes = $4, read_records = $5
       where id = $1 and reader = $2 and state = 'reading'`,
      [file.id, reader, now + leaseMs, Math.round(bytes), Math.round(records)],
    );
    return changed === 1;
  });
}

/** The file as it is now, if this reader may still say what became of it. */
export function lockClaimed(
  db: Transaction,
  file: IngestFileRow,
  reader: string,
): Promise<IngestFileRow | undefined> {
  return db.one<IngestFileRow>(
    `update ingest_files set updated_at = updated_at
     where id = $1 and reader = $2 and state in ('reading', 'canceled') returning ${fileColumns}`,
    [file.id, reader],
  );
}

/** It waits again; a crash is remembered. */
export async function releaseFile(db: Transaction, file: IngestFileRow, crashes: number): Promise<void> {
  await db.execute(
    "update ingest_files set state = 'waiting', reader = null, lease_until = null, crashes = $2 where id = $1",
    [file.id, crashes],
  );
}

/** Files that failed and whose bytes are there wait again; what of an archive was read is not read again. */
export function retryFailed(db: Transaction, uploadId: number, now: number): Promise<number> {
  return db.execute(
    `update ingest_files set state = 'waiting', crashes = 0, read_bytes = 0, read_records = 0, updated_at = $2
     where upload_id = $1 and state = 'failed' and spool_id is not null`,
    [uploadId, now],
  );
}
