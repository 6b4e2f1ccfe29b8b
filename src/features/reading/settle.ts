import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { failureWords, hasOpenFiles, tallyFiles } from '../ingest/index.ts';
import { findJobsUnderWay, finishIngesting, lockJobUnderWay } from '../jobs/index.ts';
import { settleUploads } from '../uploads/index.ts';

/** Jobs and uploads whose files are all read go on. */
export async function settle(deps: Deps): Promise<void> {
  const { db, clock } = deps;
  for (const id of await findJobsUnderWay(db)) {
    if (await hasOpenFiles(db, { jobId: id })) continue;
    await db.transaction(async (db) => {
      const job = await lockJobUnderWay(db, id);
      if (job === undefined || (await hasOpenFiles(db, { jobId: id }))) return;
      const tally = await tallyFiles(db, { jobId: id });
      const reason = tally.failed > 0 ? failureWords(tally) : undefined;
      await finishIngesting(db, job, { complete: tally.complete, failed: tally.failed, reason }, clock());
    });
  }
  await settleUploads(deps);
}

/** Also for what had nothing left to read when its end came. */
export const settleTask: Task = { name: 'jobs and uploads that are read', everyMs: 1000, run: settle };
