import { auditTasks } from '../features/audit/index.ts';
import { sessionTasks } from '../features/auth/index.ts';
import { ingestTasks } from '../features/ingest/index.ts';
import { timeOutTask } from '../features/jobs/index.ts';
import { scheduleTasks } from '../features/schedules/index.ts';
import type { Task } from '../worker/worker.ts';

/** Everything that a server does by itself; each process runs all of it. */
export const backgroundTasks: readonly Task[] = [
  timeOutTask,
  ...auditTasks,
  ...sessionTasks,
  ...ingestTasks,
  ...scheduleTasks,
];
