import { serverItself } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { type Answers, answerTo, askFor } from '../analysis/index.ts';
import { analysisFailed, jobStatus, statusWords } from '../jobs/index.ts';
import { failureWords, hasOpenFiles, type Tally, tallyFiles } from '../spool/index.ts';
import { changeUpload, dropFiles, removeBytes } from './service.ts';
import { awaitAnalysis, findIdle, findUnderWay, lockUpload, type UploadRow } from './store.ts';

const idleMinutes = 20;

/** Uploads whose files are all read, or whose analysis is published, go on. */
export async function settleUploads({ db, clock }: Deps, answers: Answers): Promise<void> {
  for (const found of await findUnderWay(db)) {
    const isAnalyzing = found.status === jobStatus.analyzing;
    const { id, analysis_request_id: requestId } = found;
    const answer = requestId === null ? undefined : answerTo(requestId, answers);
    if (isAnalyzing ? answer === 'open' : await hasOpenFiles(db, { uploadId: id })) continue;
    await db.transaction(async (db) => {
      const upload = await lockUpload(db, id);
      if (upload?.status !== found.status || (await hasOpenFiles(db, { uploadId: id }))) return;
      const now = clock();
      const tally = await tallyFiles(db, { uploadId: id });
      if (!isAnalyzing) await finishIngesting(db, upload, tally, now);
      else if (answer === undefined) await startAnalyzing(db, upload, now);
      else await finish(db, upload, tally, answer === 'analysed', now);
    });
  }
}

async function finishIngesting(db: Transaction, upload: UploadRow, tally: Tally, now: number): Promise<void> {
  // Nothing of it is in the graph.
  if (tally.complete === 0 && tally.failed > 0) return finish(db, upload, tally, true, now);
  const change = { status: jobStatus.analyzing, status_message: statusWords[jobStatus.analyzing] };
  await startAnalyzing(db, await changeUpload(db, serverItself, 'AnalyzeUpload', upload, change, now), now);
}

async function startAnalyzing(db: Transaction, { id }: UploadRow, now: number): Promise<void> {
  await awaitAnalysis(db, id, await askFor(db, serverItself, `upload ${id}`, now));
}

async function finish(
  db: Transaction,
  upload: UploadRow,
  tally: Tally,
  isAnalysed: boolean,
  now: number,
): Promise<void> {
  const status = !isAnalysed
    ? jobStatus.failed
    : tally.failed === 0
      ? jobStatus.complete
      : tally.complete === 0
        ? jobStatus.failed
        : jobStatus.partiallyComplete;
  const read = tally.failed === 0 ? statusWords[status] : failureWords(tally);
  const change = { status, status_message: isAnalysed ? read : analysisFailed, end_time: now };
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
