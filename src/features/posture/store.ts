import { inList, type Reader, type Transaction } from '../../db/client.ts';
import { type CheckedType, checkedTypes } from '../../graph/analysis/measure/lists.ts';

export const dataTypes = [
  'findings',
  'exposure',
  'assets',
  'session-completeness',
  'group-completeness',
  'attack-paths',
] as const;
export type DataType = (typeof dataTypes)[number];

export interface PosturePoint {
  /** When the analysis run finished. */
  readonly at: number;
  readonly numerator: number;
  readonly denominator: number;
}

export interface PostureQuery {
  readonly dataType: DataType;
  readonly tags: readonly number[];
  readonly environments: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Environment ids compare without regard to case: they are stored in upper case. */
export function environmentKey(id: string): string {
  return id.toUpperCase();
}

/**
 * gap 6.3: one point per UTC day on which an analysis ran, that day's last run inside the range. Several
 * environments and tags are added up; the caller decides what the sums mean. The statement reads the runs of
 * the range and their points, whatever else is stored; the range is said twice for PostgreSQL, which would read all
 * runs to join a few.
 */
export function readPosture(graph: Reader, query: PostureQuery): Promise<PosturePoint[]> {
  const tags = inList(query.tags, 4);
  const environments = inList([...new Set(query.environments.map(environmentKey))], 4 + tags.params.length);
  return graph.query<PosturePoint>(
    `select r.finished_at as at, cast(sum(p.numerator) as bigint) as numerator, cast(sum(p.denominator) as bigint) as denominator
     from (select max(finished_at) as finished_at from analysis_runs
           where finished_at >= $1 and finished_at < $2 group by finished_at / 86400000) d
     join analysis_runs r on r.finished_at = d.finished_at and r.finished_at >= $1 and r.finished_at < $2
     join posture_points p on p.run_id = r.id and p.data_type = $3 and p.tag_id in (${tags.sql})
       and p.environment_id in (${environments.sql})
     group by r.finished_at order by r.finished_at`,
    [query.start, query.end, query.dataType, ...tags.params, ...environments.params],
  );
}

/** Not series of their own: they are in the rows of posture-stats alone. */
const [criticalFindings, archivedFindings] = ['critical-findings', 'archived-findings'] as const;
/** Of how many nodes it is known whether a finding of the type is there. */
const checked = 'checked ';

export interface NewPosturePoint {
  readonly dataType: DataType | typeof criticalFindings | typeof archivedFindings | `checked ${CheckedType}`;
  readonly tagId: number;
  readonly environmentId: string;
  readonly numerator: number;
  readonly denominator: number;
}

/** Records what one analysis run measured. */
export async function insertRun(
  graph: Transaction,
  run: { startedAt: number; finishedAt: number },
  points: Iterable<NewPosturePoint>,
): Promise<void> {
  const row = await graph.one<{ id: number }>(
    'insert into analysis_runs (started_at, finished_at) values ($1, $2) returning id',
    [run.startedAt, run.finishedAt],
  );
  const runId = row?.id ?? 0;
  const measured = Array.from(points, (point) => ({
    ...point,
    environmentId: environmentKey(point.environmentId),
  }));
  await graph.bulk(
    'posture_points',
    ['run_id', 'data_type', 'tag_id', 'environment_id', 'numerator', 'denominator'],
    measured
      .filter(({ dataType }) => dataType !== criticalFindings && dataType !== archivedFindings)
      .map((point) => [
        runId,
        point.dataType,
        point.tagId,
        point.environmentId,
        point.numerator,
        point.denominator,
      ]),
  );
  await insertStats(graph, { id: runId, finishedAt: run.finishedAt }, measured);
}

/** One row for each environment and tag that findings were counted for. */
async function insertStats(
  graph: Transaction,
  run: { id: number; finishedAt: number },
  points: readonly NewPosturePoint[],
): Promise<void> {
  const keyOf = ({ tagId, environmentId }: NewPosturePoint, dataType: string) =>
    `${dataType} ${tagId} ${environmentId}`;
  const known = new Map(points.map((point) => [keyOf(point, point.dataType), point]));
  const rows = points.flatMap((point) => {
    if (point.dataType !== 'findings') return [];
    const exposure = known.get(keyOf(point, 'exposure'));
    const assets = known.get(keyOf(point, 'assets'));
    const critical = known.get(keyOf(point, criticalFindings));
    const archived = known.get(keyOf(point, archivedFindings));
    return [
      [
        run.id,
        run.finishedAt,
        point.tagId,
        point.environmentId,
        exposure?.numerator ?? 0,
        exposure?.denominator ?? 0,
        assets?.numerator ?? 0,
        critical?.numerator ?? 0,
        archived?.numerator ?? 0,
      ],
    ];
  });
  await graph.bulk(
    'posture_stats',
    [
      'run_id',
      'finished_at',
      'tag_id',
      'environment_id',
      'exposed',
      'principals',
      'assets',
      'critical_findings',
      'archived_findings',
    ],
    rows,
  );
}

/** Of a type of findings: how many nodes of an environment the last run could tell it of, and how many there were. */
export interface CheckedNodes {
  readonly type: string;
  readonly environmentId: string;
  readonly known: number;
  readonly all: number;
}

/** Only where there was something to tell. */
export async function readChecked(graph: Reader): Promise<CheckedNodes[]> {
  const { sql, params } = inList(
    checkedTypes.map((type) => `${checked}${type}`),
    1,
  );
  const rows = await graph.query<CheckedNodes>(
    `select data_type as type, environment_id as "environmentId", numerator as known, denominator as "all"
     from posture_points
     where run_id = (select id from analysis_runs order by finished_at desc limit 1)
       and data_type in (${sql}) and denominator > 0
     order by data_type, environment_id`,
    params,
  );
  return rows.map((row) => ({ ...row, type: row.type.slice(checked.length) }));
}

/** The run of analysis that finished last; `undefined` before the first one. */
export async function readLastRun(
  graph: Reader,
): Promise<{ startedAt: number; finishedAt: number } | undefined> {
  const row = await graph.one<{ started_at: number; finished_at: number }>(
    'select started_at, finished_at from analysis_runs order by finished_at desc limit 1',
  );
  return row && { startedAt: row.started_at, finishedAt: row.finished_at };
}

/** The last run that finished before then. */
export async function findRunBefore(graph: Reader, before: number): Promise<number | undefined> {
  const row = await graph.one<{ at: number | null }>(
    'select max(finished_at) as at from analysis_runs where finished_at < $1',
    [before],
  );
  return row?.at ?? undefined;
}

/** Deletes some runs that finished by then, with all they measured; tells how many. */
export async function deleteRuns(graph: Transaction, upTo: number, atOnce = 20): Promise<number> {
  const rows = await graph.query<{ id: number }>(
    'select id from analysis_runs where finished_at <= $1 order by finished_at limit $2',
    [upTo, atOnce],
  );
  if (rows.length === 0) return 0;
  const runs = inList(
    rows.map(({ id }) => id),
    1,
  );
  await graph.execute(`delete from posture_stats where run_id in (${runs.sql})`, runs.params);
  await graph.execute(`delete from posture_points where run_id in (${runs.sql})`, runs.params);
  return graph.execute(`delete from analysis_runs where id in (${runs.sql})`, runs.params);
}
