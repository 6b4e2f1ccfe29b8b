import { auditTasks } from '../features/audit/index.ts';
import { sessionTasks } from '../features/auth/index.ts';
import type { Task } from '../worker/worker.ts';

/** Everything that a server does by itself; each process runs all of it. */
export const backgroundTasks: readonly Task[] = [...auditTasks, ...sessionTasks];
