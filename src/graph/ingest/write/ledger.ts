import { inList, type Reader, type Transaction } from '../../../db/client.ts';
import type { FileResult } from '../result.ts';

/** The results of a file that was applied before. */
export async function findApplied(graph: Reader, fileId: string): Promise<FileResult[] | undefined> {
  const row = await graph.one<{ results: string }>('select results from applied_files where file_id = $1', [
    fileId,
  ]);
  if (row === undefined) return undefined;
  return (JSON.parse(row.results) as FileResult[]).map((result) => ({ ...result, archive: result.archive }));
}

/** Enters a file and gives its number; it counts only if the transaction is committed. */
export async function enterFile(graph: Transaction, fileId: string, now: number): Promise<number> {
  await graph.execute('insert into applied_files (file_id, applied_at, results) values ($1, $2, $3)', [
    fileId,
    now,
    '[]',
  ]);
  const row = await graph.one<{ id: number }>('select id from applied_files where file_id = $1', [fileId]);
  if (row === undefined) throw new Error('a file that was just entered is not there');
  return row.id;
}

export async function setResults(
  graph: Transaction,
  fileId: string,
  results: readonly FileResult[],
): Promise<void> {
  await graph.execute('update applied_files set results = $1 where file_id = $2', [
    JSON.stringify(results),
    fileId,
  ]);
}

const atOnce = 1000;

/**
 * Forgets a batch of files that were applied before that time; the newest stays, it tells when something was last
 * read. True when there may be more of them.
 */
export async function forgetApplied(graph: Transaction, before: number): Promise<boolean> {
  const rows = await graph.query<{ id: number; applied_at: number }>(
    `select id, applied_at from applied_files
     where id < (select max(id) from applied_files) order by id limit ${atOnce}`,
  );
  const old = rows.filter((row) => row.applied_at < before).map((row) => row.id);
  if (old.length === 0) return false;
  const { sql, params } = inList(old, 1);
  await graph.execute(`delete from applied_files where id in (${sql})`, params);
  return old.length === atOnce;
}
