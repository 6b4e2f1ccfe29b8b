import { analysisTasks } from '../features/analysis/index.ts';
import { auditTasks } from '../features/audit/index.ts';
import { sessionTasks, signInTasks } from '../features/auth/index.ts';
import { clearTask } from '../features/data-pipe/index.ts';
import { createTimeOutTask } from '../features/jobs/index.ts';
import { postureTasks } from '../features/posture/index.ts';
import { expiryTask, settleTask } from '../features/reading/index.ts';
import { scheduleTasks } from '../features/schedules/index.ts';
import { ingestTasks } from '../features/spool/index.ts';
import { uploadTasks } from '../features/uploads/index.ts';
import type { Task } from '../worker/worker.ts';

/** Everything that a server does by itself; each process runs all of it. */
export const backgroundTasks: readonly Task[] = [
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
