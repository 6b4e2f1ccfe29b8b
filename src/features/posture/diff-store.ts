import { inList, type Reader, type Value } from '../../db/client.ts';
import { publishedAnalysis } from '../../graph/node-zones.ts';
import { environmentKey } from './store.ts';

export interface Run {
  readonly id: number;
  readonly publishedAt: number;
}

/** The run whose results were seen at that time. */
export function findRunInForce(graph: Reader, at: number): Promise<Run | undefined> {
  return graph.one<Run>(
    `select id, published_at as "publishedAt" from analyses where published_at <= $1
     order by published_at desc limit 1`,
    [at],
  );
}

export function findFirstRun(graph: Reader): Promise<Run | undefined> {
  return graph.one<Run>(
    `select id, published_at as "publishedAt" from analyses where published_at is not null
     order by published_at limit 1`,
  );
}

export interface DiffQuery {
  readonly from: Run;
  readonly to: Run;
  readonly environments: readonly string[];
  readonly tags: readonly number[];
}

/** Whether a row of spells was seen in the run of this parameter. */
const isSeen = (run: string) =>
  `since_analysis <= ${run} and (until_analysis is null or until_analysis > ${run})`;

/**
 * One row for each thing that was there at some time from one run to the other, with the spell that was seen in the
 * first (`was`) and in the last (`stays`). What went and came back is two spells of one thing.
 */
function spells(
  table: string,
  key: string,
  { from, to, environments, tags }: DiffQuery,
): { sql: string; params: Value[] } {
  const environmentList = inList([...new Set(environments.map(environmentKey))], 5);
  const tagList = inList(tags, 5 + environmentList.params.length);
  // What was over long ago is not to be gone through: no index helps with an or, and the plus keeps SQLite from the
  // one of since_analysis, which all of it is in.
  const lasting = (condition: string) => `select id, ${key}, since_analysis, until_analysis from ${table}
    where environment_id in (${environmentList.sql}) and tag_id in (${tagList.sql})
      and +since_analysis <= $3 and ${condition}`;
  const sql = `(select max(case when ${isSeen('$1')} then id end) as was,
      max(case when ${isSeen('$2')} then id end) as stays, max(id) as latest
    from (${lasting('until_analysis is null')} union all ${lasting('until_analysis > $4')}) x
    group by ${key})`;
  const ids = [from.id, to.id];
  return {
    sql,
    params: [...ids, Math.max(...ids), Math.min(...ids), ...environmentList.params, ...tagList.params],
  };
}

export type Change = 'new' | 'gone' | 'unchanged' | 'passing';

const change = `case when k.was is null and k.stays is null then 'passing' when k.was is null then 'new'
  when k.stays is null then 'gone' else 'unchanged' end`;

const findingKey = 'source_id, target_id, type, tag_id, environment_id';
/** What was measured last is in the published run while the finding is there, and in its row afterwards. */
const findingMeasures = `left join finding_measures m on m.analysis_id = ${publishedAnalysis} and m.finding_id = f.id`;
const lastMeasured = (name: string) => `coalesce(m.${name}, f.${name})`;
const severity = lastMeasured('severity');
/** What has no name goes by its id, like what is gone. */
const nameOf = (node: string) => `nullif(${node}.name, '')`;

export interface FindingCount {
  readonly type: string;
  readonly severity: number;
  readonly change: Change;
  readonly count: number;
}

export function countFindings(graph: Reader, query: DiffQuery): Promise<FindingCount[]> {
  const { sql, params } = spells('findings', findingKey, query);
  return graph.query<FindingCount>(
    `select f.type, ${severity} as severity, ${change} as change, cast(count(*) as bigint) as count
     from ${sql} k join findings f on f.id = coalesce(k.stays, k.was, k.latest) ${findingMeasures}
     group by 1, 2, 3 order by 1, 2 desc, 3`,
    params,
  );
}

export interface ChangedFinding {
  readonly id: number;
  readonly type: string;
  readonly severity: number;
  readonly exposure_count: number;
  readonly impact_count: number;
  readonly tag_id: number;
  readonly environment_id: string;
  readonly source_id: string;
  readonly source_name: string | null;
  readonly target_id: string;
  readonly target_name: string | null;
  readonly since_at: number | null;
  readonly until_at: number | null;
}

/** The most severe ones first. */
export function listFindings(
  graph: Reader,
  query: DiffQuery,
  which: 'new' | 'gone',
  limit: number,
): Promise<ChangedFinding[]> {
  const { sql, params } = spells('findings', findingKey, query);
  const [spell, other] = which === 'new' ? ['k.stays', 'k.was'] : ['k.was', 'k.stays'];
  return graph.query<ChangedFinding>(
    `select f.id, f.type, ${severity} as severity, f.tag_id, f.environment_id, f.source_id,
       ${nameOf('s')} as source_name, f.target_id, ${nameOf('t')} as target_name,
       ${lastMeasured('exposure_count')} as exposure_count, ${lastMeasured('impact_count')} as impact_count,
       since.published_at as since_at, until.published_at as until_at
     from ${sql} k join findings f on f.id = ${spell} ${findingMeasures}
     left join nodes s on s.object_id = f.source_id left join nodes t on t.object_id = f.target_id
     left join analyses since on since.id = f.since_analysis
     left join analyses until on until.id = f.until_analysis
     where ${other} is null order by 3 desc, f.id limit $${params.length + 1}`,
    [...params, limit],
  );
}

const zoneKey = 'object_id, tag_id, environment_id';

export function countObjects(
  graph: Reader,
  query: DiffQuery,
): Promise<{ readonly change: Change; readonly count: number }[]> {
  const { sql, params } = spells('zone_spells', zoneKey, query);
  return graph.query(
    `select ${change} as change, cast(count(*) as bigint) as count from ${sql} k group by 1`,
    params,
  );
}

export interface ChangedObject {
  readonly object_id: string;
  readonly name: string | null;
  readonly environment_id: string;
  readonly tag_id: number;
}

export function listObjects(
  graph: Reader,
  query: DiffQuery,
  which: 'new' | 'gone',
  limit: number,
): Promise<ChangedObject[]> {
  const { sql, params } = spells('zone_spells', zoneKey, query);
  const [spell, other] = which === 'new' ? ['k.stays', 'k.was'] : ['k.was', 'k.stays'];
  return graph.query<ChangedObject>(
    `select z.object_id, ${nameOf('n')} as name, z.environment_id, z.tag_id
     from ${sql} k join zone_spells z on z.id = ${spell} left join nodes n on n.object_id = z.object_id
     where ${other} is null order by z.object_id, z.tag_id limit $${params.length + 1}`,
    [...params, limit],
  );
}
