import type { Db, Look, Reader, Transaction } from '../../db/client.ts';
import { inList } from '../../db/client.ts';
import { Deadline } from '../../deadline.ts';
import { writerLock } from '../ingest/write/apply-file.ts';
import { rebuiltKinds } from './edge-kinds.ts';

/** Somebody else has begun a run since: this one must leave the store alone. */
export class Superseded extends Error {
  constructor() {
    super('a newer analysis has begun');
    this.name = 'Superseded';
  }
}

export interface Published {
  readonly id: number;
  /** The last request that it answers. */
  readonly requestId: number;
  readonly startedAt: number;
}

export async function startAnalysis(graph: Db, requestId: number, now: number): Promise<number> {
  const row = await graph.transaction(async (graph) => {
    await graph.lock(runLock);
    return graph.one<{ id: number }>(
      'insert into analyses (started_at, request_id) values ($1, $2) returning id',
      [now, requestId],
    );
  });
  if (row === undefined) throw new Error('the store gave the analysis no number');
  return row.id;
}

/** Whatever run is under way must start over: what it has read of the store is about to change. */
export async function supersedeRuns(graph: Transaction, now: number): Promise<void> {
  await graph.lock(runLock);
  await graph.execute('insert into analyses (started_at, request_id) values ($1, 0)', [now]);
}

/** A run begins between two writes of the one before, so that it sees all of what that one leaves behind. */
const runLock = 'kennel: analysis run';

/** Every write of a run begins with it. */
async function checkNewest(graph: Transaction, id: number): Promise<void> {
  await graph.lock(runLock);
  const row = await graph.one<{ id: number | null }>('select max(id) as id from analyses');
  if (row?.id !== id) throw new Superseded();
}

/** A short write of a run, unless a newer run has begun. */
export function writeAsNewest<T>(
  graph: Db,
  analysisId: number,
  write: (graph: Transaction) => Promise<T>,
): Promise<T> {
  return graph.transaction(async (graph) => {
    await checkNewest(graph, analysisId);
    return write(graph);
  });
}

/** The run whose results readers see. */
export function findPublished(graph: Reader): Promise<Published | undefined> {
  return graph.one<Published>(
    `select a.id, a.request_id as "requestId", a.started_at as "startedAt"
     from published_analysis p join analyses a on a.id = p.analysis_id`,
  );
}

/** The last request that a published run has answered, 0 before the first; stays when its results are deleted. */
export async function answeredRequest(graph: Reader): Promise<number> {
  const row = await graph.one<{ request_id: number }>(
    'select request_id from analyses where published_at is not null order by id desc limit 1',
  );
  return row?.request_id ?? 0;
}

export const publishedLook: Look = {
  store: 'graph',
  sql: 'select coalesce(max(id), 0) from analyses where published_at is not null',
  due: 'on change',
};

export interface DerivedRow {
  readonly start: number;
  readonly kind: number;
  readonly end: number;
}

/** Rows of one run, in one short transaction. */
export function writeDerived(graph: Db, analysisId: number, rows: readonly DerivedRow[]): Promise<void> {
  return graph.transaction(async (graph) => {
    await checkNewest(graph, analysisId);
    await graph.bulk(
      'derived_edges',
      ['analysis_id', 'start_id', 'kind_id', 'end_id'],
      rows.map(({ start, kind, end }) => [analysisId, start, kind, end]),
    );
  });
}

export interface ZoneRow {
  readonly node: number;
  readonly tag: number;
  readonly source: number;
  readonly objectId: string;
  readonly name: string;
  readonly kind: string;
  readonly environment: string;
}

/** What the nodes of each zone show among their kinds from this run on, and how privileged they are. */
export function writeZoneKinds(
  graph: Db,
  analysisId: number,
  zones: readonly { readonly id: number; readonly kind: string; readonly position: number }[],
): Promise<void> {
  return graph.transaction(async (graph) => {
    await checkNewest(graph, analysisId);
    await graph.bulk(
      'analysis_zones',
      ['analysis_id', 'tag_id', 'kind', 'position'],
      zones.map(({ id, kind, position }) => [analysisId, id, kind, position]),
    );
  });
}

export function writeZones(graph: Db, analysisId: number, rows: readonly ZoneRow[]): Promise<void> {
  return graph.transaction(async (graph) => {
    await checkNewest(graph, analysisId);
    await graph.bulk(
      'node_zones',
      ['analysis_id', 'node_id', 'tag_id', 'source', 'object_id', 'name', 'kind', 'environment'],
      rows.map((row) => [
        analysisId,
        row.node,
        row.tag,
        row.source,
        row.objectId,
        row.name,
        row.kind,
        row.environment,
      ]),
    );
  });
}

/** From this moment on readers see the run; `more` is what becomes true with it. */
export function publishAnalysis(
  graph: Db,
  analysisId: number,
  now: number,
  more: (graph: Transaction, at: number) => Promise<void>,
): Promise<void> {
  return writeAsNewest(graph, analysisId, async (graph) => {
    const last = await graph.one<{ at: number | null }>('select max(published_at) as at from analyses');
    // A point in time names a run.
    const at = last?.at === now ? now + 1 : now;
    await graph.execute('update analyses set published_at = $2 where id = $1', [analysisId, at]);
    await graph.execute(
      `insert into published_analysis (id, analysis_id) values (1, $1)
       on conflict (id) do update set analysis_id = excluded.analysis_id`,
      [analysisId],
    );
    await more(graph, at);
  });
}

/** Readers see no results until the next run; the rows are swept up later. */
export async function unpublish(graph: Transaction): Promise<void> {
  await graph.execute('delete from published_analysis');
}

/** The numbers of kinds of edges; new ones are added. */
export async function edgeKindIds(graph: Db, names: readonly string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  return graph.transaction(async (graph) => {
    await graph.bulk(
      'edge_kinds',
      ['name'],
      names.map((name) => [name]),
      'on conflict (name) do nothing',
    );
    const rows = await graph.query<{ id: number; name: string }>('select id, name from edge_kinds');
    return new Map(rows.map(({ id, name }) => [name, id]));
  });
}

const deletedAtOnce = 2000;

/** Deletes some edges that somebody uploaded and that analysis makes itself; false when there are none left. */
export function deleteUploaded(graph: Db): Promise<boolean> {
  return graph.transaction(async (graph) => {
    await graph.lock(writerLock);
    const names = inList(rebuiltKinds, 1);
    const rows = await graph.query<{ id: number }>(
      `select e.id from edge_kinds k join edges e on e.kind_id = k.id where k.name in (${names.sql})
       limit ${deletedAtOnce}`,
      names.params,
    );
    if (rows.length === 0) return false;
    const edges = inList(
      rows.map(({ id }) => id),
      1,
    );
    await graph.execute(`delete from edges where id in (${edges.sql})`, edges.params);
    return rows.length === deletedAtOnce;
  });
}

const sweptTables = [
  ['derived_edges', ['start_id', 'kind_id', 'end_id']],
  ['node_zones', ['node_id']],
  ['analysis_zones', ['tag_id']],
  ['finding_measures', ['finding_id']],
] as const;
const sweptAtOnce = 5000;

/** Deletes some rows of runs that nobody sees or writes any more; false when there are none. */
export function sweepAnalyses(graph: Db): Promise<boolean> {
  return graph.transaction(async (graph) => {
    const kept = await keptRuns(graph);
    for (const [table, key] of sweptTables) {
      const old = await findUnkept(graph, table, kept);
      if (old === undefined) continue;
      const columns = key.join(', ');
      const last = await graph.one<Record<string, number>>(
        `select ${columns} from ${table} where analysis_id = $1 order by ${columns} limit 1 offset ${sweptAtOnce}`,
        [old],
      );
      const upTo =
        last === undefined ? '' : `and (${columns}) < (${key.map((_, index) => `$${index + 2}`).join(', ')})`;
      await graph.execute(`delete from ${table} where analysis_id = $1 ${upTo}`, [
        old,
        ...(last === undefined ? [] : key.map((column) => last[column] as number)),
      ]);
      return true;
    }
    // Those that were published stay: they say when something was first seen, and what was answered.
    const list = inList(kept, 1);
    await graph.execute(
      `delete from analyses where published_at is null and id not in (${list.sql})`,
      list.params,
    );
    return false;
  });
}

/** What readers see, and what may be being written. */
async function keptRuns(graph: Reader): Promise<number[]> {
  const rows = await graph.query<{ id: number | null }>(
    'select analysis_id as id from published_analysis union all select max(id) as id from analyses',
  );
  return [0, ...rows.flatMap(({ id }) => (id === null ? [] : [id]))];
}

/** By steps from run to run: the tables have millions of rows of a few runs. */
async function findUnkept(
  graph: Reader,
  table: string,
  kept: readonly number[],
): Promise<number | undefined> {
  let after = 0;
  for (;;) {
    const row = await graph.one<{ id: number | null }>(
      `select min(analysis_id) as id from ${table} where analysis_id > $1`,
      [after],
    );
    // One that is newer than those has begun just now.
    if (row?.id == null || row.id > Math.max(...kept)) return undefined;
    if (!kept.includes(row.id)) return row.id;
    after = row.id;
  }
}

/** How many edges of each kind the published run has derived. */
export async function countDerived(graph: Db): Promise<Record<string, number>> {
  const rows = await graph.within(new Deadline(undefined)).slowly((graph) =>
    graph.query<{ name: string; count: number }>(
      `select k.name, cast(count(*) as bigint) as count
       from published_analysis p join derived_edges d on d.analysis_id = p.analysis_id
       join edge_kinds k on k.id = d.kind_id group by k.name order by k.name`,
    ),
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
