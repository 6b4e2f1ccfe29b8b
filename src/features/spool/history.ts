import { inList, type Reader, type Transaction } from '../../db/client.ts';

export interface IngestActivity {
  /** Something waits to be read, or is being read. */
  readonly isIngesting: boolean;
  /** What somebody uploaded is being analysed. */
  readonly isAnalyzing: boolean;
  /** When something last happened to the newest file. */
  readonly lastChange: number | null;
}

export async function readIngestActivity(db: Reader): Promise<IngestActivity> {
  const row = await db.one<{ ingesting: number; analyzing: number; last_change: number | null }>(
    `select case when exists (select 1 from ingest_files where state in ('waiting', 'reading')) then 1 else 0 end as ingesting,
            case when exists (select 1 from uploads where status = 7) then 1 else 0 end as analyzing,
            (select updated_at from ingest_files order by id desc limit 1) as last_change`,
  );
  return {
    isIngesting: row?.ingesting === 1,
    isAnalyzing: row?.analyzing === 1,
    lastChange: row?.last_change ?? null,
  };
}

const atOnce = 500;
/** States of jobs and uploads in which nothing is under way any more. */
const ended = '-1, 2, 3, 4, 5, 8';

/**
 * Deletes a batch of files that are finished, of jobs and uploads that are, with their results; then uploads
 * without files. Bytes that were kept go with the next sweep of the spool.
 */
export async function deleteIngestHistory(
  db: Transaction,
  upTo: number,
): Promise<{ files: number; uploads: number }> {
  const rows = await db.query<{ id: number }>(
    `select f.id from ingest_files f left join jobs j on j.id = f.job_id left join uploads u on u.id = f.upload_id
     where f.state in ('complete', 'failed', 'canceled') and f.created_at <= $1
       and (j.id is null or j.status in (${ended})) and (u.id is null or u.status in (${ended}))
     order by f.id limit ${atOnce}`,
    [upTo],
  );
  if (rows.length === 0) {
    const uploads = await db.execute(
      `delete from uploads where id in (
         select u.id from uploads u where u.status in (${ended}) and u.created_at <= $1
           and not exists (select 1 from ingest_files f where f.upload_id = u.id) limit ${atOnce})`,
      [upTo],
    );
    return { files: 0, uploads };
  }
  const files = inList(
    rows.map(({ id }) => id),
    1,
  );
  await db.execute(`delete from ingest_results where file_id in (${files.sql})`, files.params);
  const deleted = await db.execute(`delete from ingest_files where id in (${files.sql})`, files.params);
  return { files: deleted, uploads: 0 };
}
