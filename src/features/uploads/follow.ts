import { serverItself } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { failureWords, hasOpenFiles, type Tally, tallyFiles } from '../ingest/index.ts';
import { jobStatus, statusWords } from '../jobs/index.ts';
import { changeUpload, dropFiles, removeBytes } from './service.ts';
import { findIdle, findUnderWay, lockUpload, type UploadRow } from './store.ts';

const idleMinutes = 20;

/** Uploads whose files are all read go on to their end. Tells how many did. */
export async function settleUploads(deps: Deps): Promise<number> {
  let settled = 0;
  for (const id of await findUnderWay(deps.db)) {
    if (await hasOpenFiles(deps.db, { uploadId: id })) continue;
    const isSettled = await deps.db.transaction(async (db) => {
      const upload = await lockUpload(db, id);
      if (upload === undefined || upload.status < jobStatus.ingesting || upload.status > jobStatus.analyzing)
        return false;
      if (await hasOpenFiles(db, { uploadId: id })) return false;
      const tally = await tallyFiles(db, { uploadId: id });
      await finishAnalyzing(db, await startAnalyzing(db, upload, deps.clock()), tally, deps.clock());
      return true;
    });
    if (isSettled) settled += 1;
  }
  return settled;
}

async function startAnalyzing(db: Transaction, upload: UploadRow, now: number): Promise<UploadRow> {
  if (upload.status === jobStatus.analyzing) return upload;
  const change = { status: jobStatus.analyzing, status_message: statusWords[jobStatus.analyzing] };
  return changeUpload(db, serverItself, 'AnalyzeUpload', upload, change, now);
}

/** There is no analysis yet that could be waited for: what is read is done. */
async function finishAnalyzing(db: Transaction, upload: UploadRow, tally: Tally, now: number): Promise<void> {
  const status =
    tally.failed === 0
      ? jobStatus.complete
      : tally.complete === 0
        ? jobStatus.failed
        : jobStatus.partiallyComplete;
  const message = tally.failed === 0 ? statusWords[status] : failureWords(tally);
  const change = { status, status_message: message, end_time: now };
  await changeUpload(db, serverItself, 'FinishUpload', upload, change, now);
}

/** Ends running uploads that nobody goes on with: nothing of them was read, and nothing will be. */
export async function timeOutUploads(deps: Deps): Promise<number> {
  const { db, clock } = deps;
  const since = () => clock() - idleMinutes * 60_000;
  let ended = 0;
  for (const id of await findIdle(db, since())) {
    const unwanted = await db.transaction(async (db) => {
      const upload = await lockUpload(db, id);
      const isIdle =
        upload?.status === jobStatus.running && (upload.last_ingest ?? upload.start_time) <= since();
      if (!isIdle) return undefined;
      const now = clock();
      const message = `Ingest timeout: No ingest activity observed in ${idleMinutes} minutes. Upload incomplete.`;
      const change = { status: jobStatus.timedOut, status_message: message, end_time: now };
      await changeUpload(db, serverItself, 'TimeOutUpload', upload, change, now);
      return dropFiles(db, id, now);
    });
    if (unwanted === undefined) continue;
    ended += 1;
    await removeBytes(deps, unwanted);
  }
  return ended;
}

export const uploadTasks: readonly Task[] = [
  {
    name: 'time-outs of uploads',
    everyMs: 15_000,
    run: async (deps) => {
      const ended = await timeOutUploads(deps);
      if (ended > 0) deps.log.warn({ uploads: ended }, 'uploads timed out: nobody went on with them');
    },
  },
];
