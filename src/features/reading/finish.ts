import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import type { FileResult } from '../../graph/ingest/result.ts';
import { readParameter } from '../app-config/index.ts';
import { countRead } from '../jobs/index.ts';
import {
  createSpool,
  type IngestFileRow,
  lockClaimed,
  putResults,
  releaseFile,
  takeSpoolIds,
} from '../spool/index.ts';
import { countFile } from '../uploads/index.ts';
import { failure, type Outcome } from './read-file.ts';

/** A file that ends its reader this often is not tried again. */
const maxCrashes = 2;

/** Writes down what became of a file that this reader had claimed. */
export async function finishFile(
  deps: Deps,
  file: IngestFileRow,
  reader: string,
  outcome: Outcome,
): Promise<readonly FileResult[]> {
  const { db, clock, log } = deps;
  let results: readonly FileResult[] = [];
  const unwanted = await db.transaction(async (db) => {
    const now = clock();
    const row = await lockClaimed(db, file, reader);
    // Its lease had ended, and somebody else has it: what they read is the same.
    if (row === undefined) return [];
    results = resultsOf(row, outcome) ?? [];
    if (results.length > 0) return conclude(deps, db, row, results, now);
    if (row.state !== 'canceled') {
      await releaseFile(db, row, outcome.kind === 'broken' ? row.crashes + 1 : row.crashes);
      return [];
    }
    await putResults(db, row, 'canceled', outcome.kind === 'stopped' ? outcome.results : [], now);
    return takeSpoolIds(db, 'id = $1', [row.id]);
  });
  const spool = createSpool(deps);
  for (const id of unwanted) {
    await spool.remove(id).catch((error: unknown) => {
      log.warn({ err: error, spool_id: id }, 'the bytes of a file could not be removed: a sweep will');
    });
  }
  return results;
}

/** Nothing where the file is to be read again, or was canceled. */
function resultsOf(file: IngestFileRow, outcome: Outcome): readonly FileResult[] | undefined {
  if (outcome.kind === 'read') {
    const { results } = outcome;
    const isKept = file.state !== 'canceled' || results.some((result) => result.outcome === 'complete');
    if (!isKept) return undefined;
    return results.length > 0 ? results : [failure(file.name, 'there is no file in it')];
  }
  if (outcome.kind !== 'broken' || file.state === 'canceled' || file.crashes + 1 < maxCrashes)
    return undefined;
  const reason = `reading it broke off ${maxCrashes} times, at last with: ${outcome.reason}`;
  return [failure(file.name === '' ? `batch ${file.id}` : file.name, reason)];
}

async function conclude(
  deps: Deps,
  db: Transaction,
  file: IngestFileRow,
  results: readonly FileResult[],
  now: number,
): Promise<string[]> {
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  await putResults(db, file, failed === 0 ? 'complete' : 'failed', results, now);
  if (file.job_id !== null) await countRead(db, file.job_id, results);
  if (file.upload_id !== null) await countFile(db, file.upload_id, results.length, failed, now);
  if ((await readParameter(db, 'analysis.retain_ingest_files')).enabled) return [];
  // Only a person can ask for another try.
  const isKept = failed > 0 && file.upload_id !== null && deps.settings.failedFileHours > 0;
  return isKept ? [] : takeSpoolIds(db, 'id = $1', [file.id]);
}
