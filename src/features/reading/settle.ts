import { serverItself } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { type Answers, answerTo, askFor, readAnswers } from '../analysis/index.ts';
import {
  awaitAnalysis,
  findJobsUnderWay,
  finishAnalyzing,
  finishIngesting,
  jobStatus,
  jobsUnderWayLook,
  lockJobUnderWay,
} from '../jobs/index.ts';
import { failureWords, hasOpenFiles, tallyFiles } from '../spool/index.ts';
import { settleUploads, uploadsUnderWayLook } from '../uploads/index.ts';

/**
 * Jobs and uploads whose files are all read go on to analysis, and those whose analysis is published to their end.
 * What the published run answered is looked up in the graph's own store, so a crash between the two loses nothing.
 */
export async function settle(deps: Deps): Promise<void> {
  const answers = await readAnswers(deps.db, deps.graph);
  await settleJobs(deps, answers);
  await settleUploads(deps, answers);
}

async function settleJobs({ db, clock }: Deps, answers: Answers): Promise<void> {
  for (const found of await findJobsUnderWay(db)) {
    const isAnalyzing = found.status === jobStatus.analyzing;
    const { id, analysis_request_id: requestId } = found;
    const answer = requestId === null ? undefined : answerTo(requestId, answers);
    if (isAnalyzing ? answer === 'open' : await hasOpenFiles(db, { jobId: id })) continue;
    await db.transaction(async (db) => {
      const job = await lockJobUnderWay(db, found);
      if (job === undefined || (await hasOpenFiles(db, { jobId: id }))) return;
      const now = clock();
      const ask = () => askFor(db, serverItself, `job ${id}`, now);
      const tally = await tallyFiles(db, { jobId: id });
      const reason = tally.failed > 0 ? failureWords(tally) : undefined;
      const outcome = { complete: tally.complete, failed: tally.failed, reason };
      if (!isAnalyzing) await finishIngesting(db, job, outcome, ask, now);
      else if (answer === undefined) await awaitAnalysis(db, job, await ask());
      else await finishAnalyzing(db, job, outcome, answer === 'analysed', now);
    });
  }
}

/** Also for what had nothing left to read when its end came. */
export const settleTask: Task = {
  name: 'jobs and uploads that are read',
  everyMs: 60_000,
  looks: [jobsUnderWayLook, uploadsUnderWayLook],
  run: settle,
};
