import { openStores } from '../../db/open.ts';
import type { AnalysisProgress, AnalysisStage } from '../../graph/analysis/run.ts';
import { createLog } from '../../log.ts';
import { nowAndThen, serveParent, tellParent } from '../../worker/serve-parent.ts';
import { lockAnalysis } from './analyst.ts';
import type { FromAnalyst, RunOutcome, ToAnalyst } from './messages.ts';
import { perform } from './perform.ts';

const progressEveryMs = 200;
const poolSize = 3;

type Open = Extract<ToAnalyst, { type: 'open' }>;
type Task = Extract<ToAnalyst, { type: 'analyse' }>;

// A server starts this file in a process of its own: see `ChildAnalyst`.
serveParent<Open, Task, RunOutcome>('the analysis', async ({ settings }, isStopped) => {
  await lockAnalysis(settings);
  const log = createLog(settings);
  const stores = openStores({ ...settings, databasePool: Math.min(settings.databasePool, poolSize) });
  return ({ requestId }) => {
    const deps = { ...stores, clock: Date.now, log };
    return perform(deps, requestId, { onProgress: progressTeller(), isStopped });
  };
});

/** Every stage is told, and within a stage now and then. */
function progressTeller(): (progress: AnalysisProgress) => void {
  const tell = (progress: AnalysisProgress) =>
    tellParent({ type: 'progress', ...progress } satisfies FromAnalyst);
  const seldom = nowAndThen(progressEveryMs, tell);
  let stage: AnalysisStage | undefined;
  return (progress) => {
    (progress.stage === stage ? seldom : tell)(progress);
    stage = progress.stage;
  };
}
