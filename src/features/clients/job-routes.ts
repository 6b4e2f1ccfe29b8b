import Type from 'typebox';
import type { Origin } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { narrowed, readPage } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import {
  createJob,
  displayOf,
  families,
  hydrationMembers,
  JobDisplay,
  type JobRow,
  jobDisplayExample,
  jobList,
  onlyFinished,
  readCollection,
  readJobDisplays,
} from '../jobs/index.ts';
import { getCollector } from './read.ts';
import { JobRequest, type JobWish } from './requests.ts';
import { clientPath, notFound } from './routes.ts';
import { mustLock } from './service.ts';

/** The jobs of one collector, under both names of a job. */
export function registerClientJobs(register: Register, deps: Deps): void {
  for (const { path: name, one, many, old } of families) {
    const common = { tag: 'Collectors', edition: 'enterprise', path: clientPath, ...old } as const;

    register({
      ...common,
      id: `ListCompleted${many}OfClient`,
      method: 'GET',
      url: `/api/v2/clients/{client_id}/completed-${name}`,
      summary: `List the ${name} of a collector that are neither ready nor running`,
      access: { permission: 'clients.Read' },
      query: Struct(hydrationMembers),
      list: jobList,
      answer: Struct({
        count: Type.Integer({ description: 'How many there are on all pages' }),
        limit: Type.Integer(),
        skip: Type.Integer(),
        data: Type.Array(JobDisplay),
      }),
      answerExample: { count: 1, limit: 1000, skip: 0, data: [jobDisplayExample] },
      errors: { not_found: notFound },
      handle: async ({ db, graph, path, list, query }) => {
        const { id } = await getCollector(db, path.client_id);
        const own = onlyFinished(narrowed(list, 'j.client_id = $1', id));
        const { count, rows } = await readPage<JobRow>(db, jobList, own);
        const data = await readJobDisplays(db, graph, rows, query);
        return { count, limit: list.limit ?? rows.length, skip: list.skip, data };
      },
    });

    register({
      ...common,
      id: `Create${one}ForClient`,
      method: 'POST',
      url: `/api/v2/clients/{client_id}/${name}`,
      summary: `Give a collector a ${one.toLowerCase()} that is due at once`,
      description:
        'A `sharphound` collector must be told what to collect; the others collect all they can. `domain_controller` counts for this one alone.',
      access: { permission: 'collection.ManageJobs' },
      body: JobRequest,
      bodyExample: { session_collection: true, domains: ['S-1-5-21-1-2-3'] },
      query: Struct(hydrationMembers),
      answer: Struct({ data: JobDisplay }),
      answerExample: { data: jobDisplayExample },
      errors: {
        bad_request: 'may only scope collection by exactly one of OU, Domain, or All Trusted Domains',
        not_found: notFound,
      },
      handle: async ({ db, graph, origin, path, query, body }) => {
        const job = await createClientJob(deps, db, origin, path.client_id, body);
        return { data: await displayOf(db, graph, job, query) };
      },
    });
  }
}

function createClientJob(
  deps: Deps,
  db: Db,
  origin: Origin,
  clientId: string,
  wish: JobWish,
): Promise<JobRow> {
  return db.transaction(async (db) => {
    const client = await mustLock(db, clientId);
    const now = deps.clock();
    const collection = readCollection(wish, client.type);
    const domainController = wish.domain_controller || client.domain_controller;
    const assignee = { ...client, domain_controller: domainController };
    return createJob(db, origin, { client: assignee, dueAt: now, collection }, now);
  });
}
