import type { Reader, Transaction } from '../../db/client.ts';
import type { FileResult } from '../../graph/ingest/result.ts';
import { cleanText } from '../../values/text.ts';
import { type FileState, type IngestFileRow, type Owner, ownerColumn } from './store.ts';

export interface ResultRow {
  readonly id: number;
  readonly file_id: number;
  readonly file_name: string;
  readonly parent_file_name: string | null;
  readonly outcome: 'complete' | 'failed';
  readonly records: number;
  readonly nodes: number;
  readonly edges: number;
  readonly withdrawn: number;
  /** JSON. */
  readonly skipped: string;
  readonly warnings: string;
  readonly errors: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What became of a file; it replaces what an earlier reading said. */
export async function putResults(
  db: Transaction,
  file: IngestFileRow,
  state: FileState,
  results: readonly FileResult[],
  now: number,
): Promise<void> {
  await db.execute('delete from ingest_results where file_id = $1', [file.id]);
  await db.bulk(
    'ingest_results',
    [
      'file_id',
      'file_name',
      'parent_file_name',
      'outcome',
      'records',
      'nodes',
      'edges',
      'withdrawn',
      'skipped',
      'warnings',
      'errors',
      'created_at',
      'updated_at',
    ],
    results.map((result) => [
      file.id,
      cleanText(result.name),
      result.archive === undefined ? null : cleanText(result.archive),
      result.outcome,
      result.records,
      result.nodes,
      result.edges,
      result.withdrawn,
      JSON.stringify(result.skipped),
      JSON.stringify(result.warnings.map(cleanText)),
      JSON.stringify(result.errors.map(cleanText)),
      now,
      now,
    ]),
  );
  await db.execute(
    'update ingest_files set state = $2, reader = null, lease_until = null, updated_at = $3 where id = $1',
    [file.id, state, now],
  );
}

export function listResults(db: Reader, owner: Owner): Promise<ResultRow[]> {
  const { column, id } = ownerColumn(owner);
  return db.query<ResultRow>(
    `select r.id, r.file_id, r.file_name, r.parent_file_name, r.outcome, r.records, r.nodes, r.edges, r.withdrawn,
       r.skipped, r.warnings, r.errors, r.created_at, r.updated_at
     from ingest_results r join ingest_files f on f.id = r.file_id where f.${column} = $1 order by r.file_id, r.id`,
    [id],
  );
}

/** What became of all files of a job or upload. An archive counts as its entries once it is read. */
export interface Tally {
  readonly total: number;
  readonly complete: number;
  readonly failed: number;
  /** Archives of which some entries failed. */
  readonly partial: number;
  /** Of the first failure: the file and why. */
  readonly reason: string | undefined;
}

export async function tallyFiles(db: Reader, owner: Owner): Promise<Tally> {
  const { column, id } = ownerColumn(owner);
  const files = await db.query<{ state: FileState; complete: number; failed: number; files: number }>(
    `select state, complete, failed, cast(count(*) as bigint) as files from (
       select f.id, f.state,
         (select count(*) from ingest_results r where r.file_id = f.id and r.outcome = 'complete') as complete,
         (select count(*) from ingest_results r where r.file_id = f.id and r.outcome = 'failed') as failed
       from ingest_files f where f.${column} = $1) counted
     group by state, complete, failed`,
    [id],
  );
  let [total, complete, failed, partial] = [0, 0, 0, 0];
  for (const group of files) {
    const done = group.state === 'complete' || group.state === 'failed';
    total += group.files * (done ? Math.max(1, group.complete + group.failed) : 1);
    if (!done) continue;
    complete += group.files * group.complete;
    failed += group.files * group.failed;
    if (group.complete > 0 && group.failed > 0) partial += group.files;
  }
  return { total, complete, failed, partial, reason: failed > 0 ? await firstFailure(db, owner) : undefined };
}

async function firstFailure(db: Reader, owner: Owner): Promise<string | undefined> {
  const { column, id } = ownerColumn(owner);
  const row = await db.one<{ file_name: string; errors: string }>(
    `select r.file_name, r.errors from ingest_results r join ingest_files f on f.id = r.file_id
     where f.${column} = $1 and r.outcome = 'failed' order by r.file_id, r.id limit 1`,
    [id],
  );
  if (row === undefined) return undefined;
  const [error = 'no reason is known'] = JSON.parse(row.errors) as string[];
  return row.file_name === '' ? error : `${row.file_name}: ${error}`;
}

/** The sentence that a job or upload says of itself, where not all of it could be read. */
export function failureWords({ total, failed, reason }: Tally): string {
  const count =
    total === 1 ? 'The file' : failed === total ? `All ${total} files` : `${failed} of ${total} files`;
  return `${count} could not be read. ${reason ?? ''}`.trim().slice(0, 1000);
}
