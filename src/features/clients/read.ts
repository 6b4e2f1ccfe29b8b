import type { Static } from 'typebox';
import { type Db, inList, type Reader } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { type ListRequest, readPage } from '../../http/list.ts';
import { findTokensOfClients, type TokenRow } from '../api-tokens/index.ts';
import {
  type Hydration,
  type JobRow,
  jobSelect,
  readJobDisplays,
  resultsByJob,
  toLiveView,
} from '../jobs/index.ts';
import { type EventRow, listEventsOf, readEventDisplays, toEventView } from '../schedules/index.ts';
import { type CollectorRow, collectorList } from './list.ts';
import {
  type Client,
  type ClientDisplay,
  type LiveClient,
  toClientView,
  toDisplayView,
  toLiveClientView,
} from './schema.ts';

export async function getCollector(db: Reader, id: string): Promise<CollectorRow> {
  const row = await db.one<CollectorRow>(
    `select ${collectorList.select} from ${collectorList.from} where c.id = $1`,
    [id],
  );
  if (row === undefined) throw noSuchClient(id);
  return row;
}

export function noSuchClient(id: string): AppError {
  return new AppError('not_found', `client ${id} does not exist`, { context: 'client_id' });
}

interface Collectors {
  /** How many there are on all pages. */
  readonly count: number;
  readonly rows: readonly CollectorRow[];
  readonly jobs: readonly JobRow[];
  readonly events: readonly EventRow[];
  readonly tokens: ReadonlyMap<string, TokenRow>;
}

/** Collectors with all that belongs to them, in the same few statements however many they are. */
export function readCollectors(db: Db, request: ListRequest): Promise<Collectors> {
  return db.snapshot(async (db) => {
    const { count, rows } = await readPage<CollectorRow>(db, collectorList, request);
    return withParts(db, count, rows);
  });
}

export function readCollector(db: Db, id: string): Promise<Collectors> {
  return db.snapshot(async (db) => withParts(db, 1, [await getCollector(db, id)]));
}

async function withParts(db: Reader, count: number, rows: readonly CollectorRow[]): Promise<Collectors> {
  const ids = rows.map(({ id }) => id);
  return {
    count,
    rows,
    jobs: await listRunningJobs(db, ids),
    events: await listEventsOf(db, ids),
    tokens: await findTokensOfClients(db, ids),
  };
}

/** Not inside the snapshot: the graph may be in the same store, and needs a connection of its own. */
export async function displaysOf(
  db: Db,
  graph: Db,
  { rows, tokens, ...parts }: Collectors,
  hydration: Hydration,
): Promise<Static<typeof ClientDisplay>[]> {
  const jobs = await readJobDisplays(db, graph, parts.jobs, hydration);
  const events = await readEventDisplays(graph, parts.events, hydration);
  const jobOf = new Map(jobs.map((job) => [job.client_id, job]));
  const eventsOf = new Map<string, typeof events>(rows.map(({ id }) => [id, []]));
  for (const event of events) eventsOf.get(event.client_id)?.push(event);
  return rows.map((row) =>
    toDisplayView(row, {
      job: jobOf.get(row.id) ?? null,
      events: eventsOf.get(row.id) ?? [],
      token: tokens.get(row.id),
    }),
  );
}

export async function readClient(db: Reader, id: string): Promise<Static<typeof Client>> {
  const row = await getCollector(db, id);
  const jobs = await listRunningJobs(db, [id]);
  const results = await resultsByJob(db, jobs);
  const [job] = jobs;
  return toClientView(row, {
    job: job === undefined ? null : toLiveView(job, results.get(job.id) ?? []),
    events: (await listEventsOf(db, [id])).map(toEventView),
    token: (await findTokensOfClients(db, [id])).get(id),
  });
}

/** gap 1.8 */
export async function readLiveClient(db: Reader, id: string): Promise<Static<typeof LiveClient>> {
  const row = await getCollector(db, id);
  const jobs = await listRunningJobs(db, [id]);
  const results = await resultsByJob(db, jobs);
  const [job] = jobs;
  return toLiveClientView(row, job === undefined ? null : toLiveView(job, results.get(job.id) ?? []));
}

/** At most one for each. */
async function listRunningJobs(db: Reader, clientIds: readonly string[]): Promise<JobRow[]> {
  if (clientIds.length === 0) return [];
  const ids = inList(clientIds, 1);
  return db.query<JobRow>(
    `select ${jobSelect} from jobs j where j.client_id in (${ids.sql}) and j.status = 1`,
    ids.params,
  );
}
