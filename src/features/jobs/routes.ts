import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Int64Parameter, Struct } from '../../http/schemas.ts';
import { endDeclaration, isSigning, LiveOne, liveAnswer, registerCollectorJobs } from './collector-routes.ts';
import { readEndRequest } from './end-request.ts';
import { jobExample, taskExample } from './examples.ts';
import { registerJobFamily } from './family-routes.ts';
import { Job, Task, toJobView, toTaskView } from './schema.ts';
import { cancelTask, endJob } from './service.ts';

export function registerJobs(register: Register, deps: Deps): void {
  register({
    id: 'CancelTask',
    method: 'PUT',
    url: '/api/v2/tasks/{task_id}/cancel',
    tag: 'Collection',
    summary: 'Cancel a scheduled task',
    description:
      'Cancels a ready or running task. Cancelling it again is the same answer; any other state is refused.',
    access: { permission: 'collection.ManageJobs' },
    edition: 'enterprise',
    path: Struct({ task_id: Int64Parameter() }),
    answer: Struct({ data: Task }),
    answerExample: { data: taskExample },
    errors: { not_found: 'task 7 does not exist', conflict: "task 7 is complete and can't become canceled" },
    handle: async ({ db, graph, origin, path }) => {
      const { job, results, scope } = await cancelTask(deps, db, graph, origin, path.task_id);
      return { data: toTaskView(job, results, scope) };
    },
  });

  register({
    id: 'EndJob',
    method: 'POST',
    url: '/api/v2/jobs/end',
    tag: 'Collection',
    summary: 'Notify the API of a job ending',
    description:
      'A collector ends its own running job. A user with the permission ends the job named by job_id, or the only one that is running. Without a body the job is complete.',
    ...endDeclaration,
    liveAnswer: LiveOne,
    answer: Struct({ data: Job }),
    answerExample: { data: jobExample },
    handle: async ({ db, caller, origin, body }) => {
      const { job, results } = await endJob(deps, db, caller, origin, readEndRequest(body));
      return isSigning(caller) ? liveAnswer(job, results) : { data: toJobView(job, results) };
    },
  });
  registerCollectorJobs(register, deps);
  registerJobFamily(register, deps);
}
