import type { Static } from 'typebox';
import { inList, type Reader } from '../../db/client.ts';
import type { ListRequest } from '../../http/list.ts';
import { type Column, deletedAtColumn, type List, narrowed } from '../../http/list.ts';
import { type JobDisplay, toDisplayView } from './schema.ts';
import { readScopes } from './scope.ts';
import {
  collectionFlags,
  type DomainResultRow,
  type JobRow,
  jobSelect,
  listDomainResultsOf,
} from './store.ts';

const flag = (name: string): [string, Column] => [name, { type: 'boolean', sql: `j.${name}` }];
const time = (name: string): [string, Column] => [name, { type: 'time', sql: `j.${name}` }];
const text = (name: string): [string, Column] => [name, { type: 'text', sql: `j.${name}` }];

/** Jobs, newest first unless told otherwise. */
export const jobList: List = {
  select: jobSelect,
  from: 'jobs j',
  key: 'id',
  defaultSort: ['-id'],
  defaultLimit: 1000,
  growth: 'every column indexed',
  columns: {
    id: { type: 'integer', sql: 'j.id' },
    client_id: { type: 'uuid', sql: 'j.client_id' },
    event_id: { type: 'integer', sql: 'j.event_id' },
    status: { type: 'integer', sql: 'j.status' },
    ...Object.fromEntries(
      [
        'execution_time',
        'start_time',
        'end_time',
        'last_ingest',
        'abandoned_at',
        'created_at',
        'updated_at',
      ].map(time),
    ),
    ...Object.fromEntries(['event_title', 'log_path', 'domain_controller'].map(text)),
    ...Object.fromEntries(collectionFlags.map(flag)),
    deleted_at: deletedAtColumn,
  },
};

/** Those that a person would call finished: everything that is neither ready nor running. */
export function onlyFinished(request: ListRequest): ListRequest {
  return narrowed(request, '(j.status >= $1 or j.status < 0)', 2);
}

export interface Hydration {
  /** Left out: true. */
  readonly hydrate_ous?: boolean | undefined;
  readonly hydrate_domains?: boolean | undefined;
}

/** Jobs as lists show them, with what belongs to them read in a few statements for all. */
export async function readJobDisplays(
  db: Reader,
  graph: Reader,
  jobs: readonly JobRow[],
  { hydrate_ous = true, hydrate_domains = true }: Hydration,
): Promise<Static<typeof JobDisplay>[]> {
  const results = await resultsByJob(db, jobs);
  const scopes = await readScopes(
    graph,
    jobs.map((job) => ({ ous: hydrate_ous ? job.ous : '[]', domains: hydrate_domains ? job.domains : '[]' })),
  );
  return jobs.map((job, index) => {
    const scope = scopes[index] ?? { ous: [], domains: [] };
    return toDisplayView(job, results.get(job.id) ?? [], {
      ous: hydrate_ous ? scope.ous : JSON.parse(job.ous),
      domains: hydrate_domains ? scope.domains : JSON.parse(job.domains),
    });
  });
}

export async function resultsByJob(
  db: Reader,
  jobs: readonly JobRow[],
): Promise<Map<number, DomainResultRow[]>> {
  const byJob = new Map<number, DomainResultRow[]>();
  for (let from = 0; from < jobs.length; from += 500) {
    const ids = inList(
      jobs.slice(from, from + 500).map(({ id }) => id),
      1,
    );
    for (const row of await listDomainResultsOf(db, ids)) {
      const known = byJob.get(row.job_id);
      if (known === undefined) byJob.set(row.job_id, [row]);
      else known.push(row);
    }
  }
  return byJob;
}
