import Type from 'typebox';
import type { Caller, ClientCaller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { LiveAnswer, type Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import { availableList, currentJob, heardOf, listAvailable, startJob } from './collector-service.ts';
import { EndJobRequest, readEndRequest } from './end-request.ts';
import { jobDisplayExample, liveJobExample } from './examples.ts';
import { displayOf, families, hydrationMembers } from './family-routes.ts';
import { readJobDisplays, resultsByJob } from './list.ts';
import { JobDisplay, LiveJob, toLiveView } from './schema.ts';
import { endJob } from './service.ts';
import { noteAsking, noteSign } from './signs.ts';
import { type DomainResultRow, type JobRow, listDomainResults } from './store.ts';

export const LiveOne = Struct({ data: LiveJob });
const LiveMany = Struct({ data: Type.Array(LiveJob) });

/** What is true of the end of a job under both of its names. */
export const endDeclaration = {
  // gap 3.3: a collector's own job, or anybody's for who manages jobs; not for who may only upload.
  access: { permission: 'clients.Tasking', ofPeople: 'collection.ManageJobs' },
  edition: 'enterprise',
  rateLimited: false,
  rules: [
    'A user without `job_id` means the one running job: there must be exactly one',
    'Each of `domain_results` has a name, and counts that are whole numbers from 0 on',
  ],
  body: EndJobRequest,
  bodyOptional: true,
  bodyAnyCase: true,
  bodyExample: { status: 'COMPLETE', message: 'Collection completed successfully' },
  errors: {
    bad_request: 'status must be COMPLETE or FAILED, but is "DONE"',
    not_found: 'this collector has no running job',
    conflict: 'job 7 is canceled already',
  },
} as const;

/** The operations that collectors call, under both names of a job. */
export function registerCollectorJobs(register: Register, deps: Deps): void {
  for (const { path, one, many, old } of families) {
    const common = {
      tag: 'Collectors',
      access: { permission: 'clients.Tasking' },
      edition: 'enterprise',
      rateLimited: false,
      ...old,
    } as const;

    register({
      ...common,
      id: `ListAvailable${many}`,
      method: 'GET',
      url: `/api/v2/${path}/available`,
      summary: `The ${path} that the calling collector may start now, oldest first`,
      query: Struct(hydrationMembers),
      list: availableList,
      answer: Struct({ data: Type.Array(JobDisplay) }),
      answerExample: { data: [jobDisplayExample] },
      liveAnswer: LiveMany,
      errors: onlyCollectors,
      volatile: true,
      handle: async ({ db, graph, caller, origin, list, query }) => {
        const collector = mustBeCollector(caller);
        await heardOf(deps, db, collector);
        await noteAsking(deps, db, origin, collector.id);
        const jobs = await listAvailable(db, list, collector.id, deps.clock());
        if (isSigning(caller)) {
          const results = await resultsByJob(db, jobs);
          return new LiveAnswer({ data: jobs.map((job) => toLiveView(job, results.get(job.id) ?? [])) });
        }
        return { data: await readJobDisplays(db, graph, jobs, query) };
      },
    });

    register({
      ...common,
      id: `GetCurrent${one}`,
      method: 'GET',
      url: `/api/v2/${path}/current`,
      summary: `The ${one.toLowerCase()} that the calling collector runs; asking for it shows that it is worked on`,
      query: Struct(hydrationMembers),
      answer: Struct({ data: JobDisplay }),
      answerExample: { data: jobDisplayExample },
      liveAnswer: LiveOne,
      errors: { not_found: 'this collector has no running job', conflict: 'job 7 is canceled already' },
      volatile: true,
      handle: async ({ db, graph, caller, query }) => {
        const collector = mustBeCollector(caller);
        await heardOf(deps, db, collector);
        await noteSign(deps, db, collector.id);
        const job = await currentJob(db, collector.id);
        if (isSigning(caller)) return liveAnswer(job, await listDomainResults(db, job.id));
        return { data: await displayOf(db, graph, job, query) };
      },
    });

    register({
      ...common,
      id: `Start${one}`,
      method: 'POST',
      url: `/api/v2/${path}/start`,
      summary: `Start a ${one.toLowerCase()} of the calling collector`,
      body: Type.Object({ id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }),
      bodyAnyCase: true,
      bodyExample: { id: 7 },
      answer: LiveOne,
      answerExample: { data: liveJobExample },
      errors: {
        not_found: 'job 7 does not exist',
        conflict: 'job 6 is running already: end it before you start another',
      },
      handle: async ({ db, caller, origin, body }) => {
        const { job, results } = await startJob(deps, db, mustBeCollector(caller), origin, body.id);
        return { data: toLiveView(job, results) };
      },
    });
  }

  register({
    id: 'EndTask',
    method: 'POST',
    url: '/api/v2/tasks/end',
    tag: 'Collectors',
    summary: 'Notify the API of a task ending: the same as POST /api/v2/jobs/end',
    ...endDeclaration,
    deprecated: true,
    answer: LiveOne,
    answerExample: { data: liveJobExample },
    handle: async ({ db, caller, origin, body }) => {
      const { job, results } = await endJob(deps, db, caller, origin, readEndRequest(body));
      return { data: toLiveView(job, results) };
    },
  });
}

const onlyCollectors = { not_found: 'this operation is for collectors' };

/** A person has no jobs to do: for them there is nothing here. */
export function mustBeCollector(caller: Caller): ClientCaller {
  if (caller.kind === 'client') return caller;
  throw new AppError('not_found', 'this operation is for collectors');
}

/** gap 1.8: deployed collectors sign their requests and read flat values. */
export function isSigning(caller: Caller): boolean {
  return caller.kind === 'client' && caller.sessionId === undefined;
}

export function liveAnswer(job: JobRow, results: DomainResultRow[]): LiveAnswer {
  return new LiveAnswer({ data: toLiveView(job, results) });
}
