import Type from 'typebox';
import type { Db } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { readPage, readRows } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { BooleanParameter, Int64Parameter, Struct } from '../../http/schemas.ts';
import { jobDisplayExample } from './examples.ts';
import { type Hydration, jobList, onlyFinished, readJobDisplays } from './list.ts';
import { readLog } from './log.ts';
import { JobDisplay, toDisplayView } from './schema.ts';
import { cancelTask } from './service.ts';
import { findJob, type JobRow } from './store.ts';

/** Whether `ous` and `domains` are told with what the graph knows of them, or by their object ids alone. */
export const hydrationMembers = {
  hydrate_ous: Type.Optional(BooleanParameter({ default: true, description: 'Objects, not only their ids' })),
  hydrate_domains: Type.Optional(
    BooleanParameter({ default: true, description: 'Objects, not only their ids' }),
  ),
};
const idPath = Struct({ job_id: Int64Parameter() });
const notFound = { not_found: 'job 7 does not exist' };

/** The two names of one thing; the older one is deprecated as a whole. */
export const families = [
  { path: 'jobs', one: 'Job', many: 'Jobs', old: {} },
  { path: 'tasks', one: 'Task', many: 'Tasks', old: { deprecated: true } },
] as const;

/** What people see of jobs, under both of their names. */
export function registerJobFamily(register: Register, deps: Deps): void {
  for (const family of families) registerFamily(register, deps, family);
}

function registerFamily(register: Register, deps: Deps, { path, one, many, old }: (typeof families)[number]) {
  const common = { tag: 'Collection', edition: 'enterprise', ...old } as const;
  const read = { permission: 'clients.Read' } as const;

  register({
    ...common,
    id: `List${many}`,
    method: 'GET',
    url: `/api/v2/${path}`,
    summary: `List ${path}, newest first`,
    access: read,
    query: Struct(hydrationMembers),
    list: jobList,
    answer: Struct({ data: Type.Array(JobDisplay) }),
    answerExample: { data: [jobDisplayExample] },
    handle: async ({ db, graph, list, query }) => ({
      data: await readJobDisplays(db, graph, await readRows<JobRow>(db, jobList, list), query),
    }),
  });

  register({
    ...common,
    id: `ListFinished${many}`,
    method: 'GET',
    url: `/api/v2/${path}/finished`,
    summary: `List the ${path} that are neither ready nor running`,
    access: read,
    query: Struct(hydrationMembers),
    list: jobList,
    answer: JobPage,
    answerExample: jobPageExample,
    handle: async ({ db, graph, list, query }) => {
      const { count, rows } = await readPage<JobRow>(db, jobList, onlyFinished(list));
      return {
        count,
        limit: list.limit ?? rows.length,
        skip: list.skip,
        data: await readJobDisplays(db, graph, rows, query),
      };
    },
  });

  register({
    ...common,
    id: `Get${one}`,
    method: 'GET',
    url: `/api/v2/${path}/{job_id}`,
    summary: `Get a ${one.toLowerCase()}`,
    access: read,
    path: idPath,
    query: Struct(hydrationMembers),
    answer: Struct({ data: JobDisplay }),
    answerExample: { data: jobDisplayExample },
    errors: notFound,
    handle: async ({ db, graph, path, query }) => ({
      data: await displayOf(db, graph, await mustFindJob(db, path.job_id), query),
    }),
  });

  register({
    ...common,
    id: `Get${one}Log`,
    method: 'GET',
    url: `/api/v2/${path}/{job_id}/log`,
    summary: `What happened to a ${one.toLowerCase()}, line by line`,
    access: read,
    path: idPath,
    answer: Struct({ data: Struct({ log: Type.String() }) }),
    answerExample: { data: { log: '2026-01-05T08:00:00Z created\n2026-01-05T08:00:04Z started\n' } },
    errors: notFound,
    handle: async ({ db, path }) => ({
      data: { log: await readLog(db, await mustFindJob(db, path.job_id)) },
    }),
  });

  if (path === 'tasks') return; // PUT /tasks/{task_id}/cancel is one of the eight: routes.ts has it
  register({
    ...common,
    id: 'CancelJob',
    method: 'PUT',
    url: '/api/v2/jobs/{job_id}/cancel',
    summary: 'Cancel a scheduled job',
    description:
      'Cancels a ready or running job. Cancelling it again is the same answer; any other state is refused.',
    access: { permission: 'collection.ManageJobs' },
    path: idPath,
    answer: Struct({ data: JobDisplay }),
    answerExample: { data: jobDisplayExample },
    errors: { ...notFound, conflict: "job 7 is complete and can't become canceled" },
    handle: async ({ db, graph, origin, path }) => {
      const { job, results, scope } = await cancelTask(deps, db, graph, origin, path.job_id, 'job');
      return { data: toDisplayView(job, results, scope) };
    },
  });
}

const JobPage = Struct({
  count: Type.Integer(),
  limit: Type.Integer(),
  skip: Type.Integer(),
  data: Type.Array(JobDisplay),
});
const jobPageExample = { count: 1, limit: 1000, skip: 0, data: [jobDisplayExample] };

export async function displayOf(db: Db, graph: Db, job: JobRow, hydration: Hydration) {
  const [display] = await readJobDisplays(db, graph, [job], hydration);
  if (display === undefined) throw new Error('the job is gone');
  return display;
}

async function mustFindJob(db: Db, id: bigint): Promise<JobRow> {
  const job = await findJob(db, id);
  if (job !== undefined) return job;
  throw new AppError('not_found', `job ${id} does not exist`, { context: 'job_id' });
}
