import { clockTask } from '../clock-hold.ts';
import type { Deps } from '../deps.ts';
import { analysisTasks, startAnalysing } from '../features/analysis/index.ts';
import { auditTasks } from '../features/audit/index.ts';
import { sessionTasks, signInTasks } from '../features/auth/index.ts';
import { clearTask } from '../features/data-pipe/index.ts';
import { createTimeOutTask } from '../features/jobs/index.ts';
import { postureTasks } from '../features/posture/index.ts';
import { expiryTask, settleTask, startReading } from '../features/reading/index.ts';
import { scheduleTasks } from '../features/schedules/index.ts';
import { ingestTasks } from '../features/spool/index.ts';
import { uploadTasks } from '../features/uploads/index.ts';
import { startPulse } from '../worker/pulse.ts';
import { startWorker, type Task, type Worker } from '../worker/worker.ts';

/** The short work that a server does by itself; each process runs all of it. */
const backgroundTasks: readonly Task[] = [
  clockTask,
  createTimeOutTask(),
  clearTask,
  ...analysisTasks,
  ...auditTasks,
  ...sessionTasks,
  ...signInTasks,
  ...ingestTasks,
  ...scheduleTasks,
  ...uploadTasks,
  ...postureTasks,
  settleTask,
  expiryTask,
];

/** Everything that a server does beside its requests; `own` is what belongs to this one server. */
export function startBackground(deps: Deps, own: readonly Task[] = []): Worker {
  const pulse = startPulse(deps);
  const workers = [
    startWorker(deps, [...backgroundTasks, ...own], pulse),
    startReading(deps, pulse),
    startAnalysing(deps, pulse),
  ];
  return {
    stop: async () => {
      await Promise.all([pulse, ...workers].map((worker) => worker.stop()));
    },
  };
}
