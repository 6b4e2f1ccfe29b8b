import { randomUUID } from 'node:crypto';
import type { Db, Transaction } from '../../../db/client.ts';
import type { FileResult } from '../result.ts';
import { Applier } from './apply.ts';
import { Chunks } from './chunks.ts';
import { enterFile, findApplied, setResults } from './ledger.ts';
import { loadRecords } from './node-rows.ts';
import { type Reading, readStatements } from './read-statements.ts';
import type { Report } from './report.ts';
import type { StagedRecord } from './staged.ts';

/** One JSON file, or one entry of an archive. */
export interface JsonFile extends Pick<Reading, 'open' | 'limits' | 'domains' | 'onBatch'> {
  readonly fileId: string;
  readonly name: string;
  readonly archive: string | undefined;
  readonly seenAt: number;
  /** Called now and then while others have their turn: waiting for them is no standstill. */
  readonly onWait: () => void;
}

const waitEveryMs = 1000;

/** Everyone who writes much to the graph takes it first, so that writers can't deadlock. */
export const writerLock = 'graph writer';

interface Attempt {
  readonly graph: Db;
  readonly file: JsonFile;
  /** False when every record has to be applied. */
  readonly mayPassOver: boolean;
  /** Kept by the caller, so that it knows what was found out when this fails. */
  readonly report: Report;
}

/** Applies a file in one transaction with its entry in the ledger. */
export function applyFile(attempt: Attempt): Promise<FileResult[]> {
  // SQLite has one writer, so there is nothing to be gained by reading beforehand.
  return attempt.graph.dialect === 'sqlite' ? applyWhileReading(attempt) : applyAfterReading(attempt);
}

function applyWhileReading({ graph, file, mayPassOver, report }: Attempt): Promise<FileResult[]> {
  return graph.transaction((db) =>
    applyOnce(db, file, report, () =>
      readStatements({ ...file, report, lookUp: mayPassOver ? (ids) => loadRecords(db, ids) : undefined }),
    ),
  );
}

/** Reads without a lock, so that several processes can, and keeps what is read in the store until its turn. */
async function applyAfterReading({ graph, file, mayPassOver, report }: Attempt): Promise<FileResult[]> {
  const lookUp = mayPassOver ? (ids: readonly string[]) => loadRecords(graph, ids) : undefined;
  const chunks = new Chunks<StagedRecord>(randomUUID());
  let last: StagedRecord[] = [];
  try {
    for await (const batch of readStatements({ ...file, report, lookUp })) {
      const full = last;
      last = batch;
      if (full.length > 0) await graph.transaction((db) => chunks.write(db, full, file.seenAt));
    }
    return await graph.transaction((db) =>
      applyOnce(
        db,
        file,
        report,
        async function* () {
          yield* chunks.read(db);
          if (last.length > 0) yield last;
        },
        chunks,
      ),
    );
  } catch (error) {
    if (chunks.count > 0) await graph.transaction((db) => chunks.remove(db));
    throw error;
  }
}

async function applyOnce(
  db: Transaction,
  file: JsonFile,
  report: Report,
  read: () => AsyncIterable<StagedRecord[]>,
  chunks?: Chunks<StagedRecord>,
): Promise<FileResult[]> {
  const waiting = setInterval(() => file.onWait(), waitEveryMs);
  await db.lock(writerLock).finally(() => clearInterval(waiting));
  const before = await findApplied(db, file.fileId);
  if (before !== undefined) {
    await chunks?.remove(db);
    return before;
  }
  const number = await enterFile(db, file.fileId, file.seenAt);
  const applier = await Applier.start(
    db,
    { file: number, seenAt: file.seenAt, isStaged: chunks !== undefined },
    (warning) => report.warn(warning),
  );
  for await (const batch of read()) {
    file.onBatch();
    await applier.apply(db, batch);
  }
  const results = [report.complete(file.name, file.archive, await applier.finish(db))];
  await chunks?.remove(db);
  await setResults(db, file.fileId, results);
  return results;
}
