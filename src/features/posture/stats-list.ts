import { inList, type Reader } from '../../db/client.ts';
import { type List, type ListRequest, narrowed, readRows } from '../../http/list.ts';
import { tierZeroTag } from '../zones/index.ts';

export interface StatsRow {
  readonly id: number;
  readonly finished_at: number;
  readonly tag_id: number;
  readonly environment_id: string;
  readonly exposed: number;
  readonly principals: number;
  readonly assets: number;
  readonly critical_findings: number;
  readonly archived_findings: number | null;
}

const exposureIndex =
  'case when s.principals = 0 then 0.0 else cast(s.exposed as double precision) / s.principals end';

/** Always read within a range of time, along its index. */
export const statsList: List = {
  columns: {
    id: { type: 'integer', sql: 's.id', neverNull: true },
    ts: { type: 'time', sql: 's.finished_at', neverNull: true },
    domain_sid: { type: 'text', sql: 's.environment_id', neverNull: true },
    asset_group_tag_id: { type: 'integer', sql: 's.tag_id', neverNull: true },
    exposure_index: { type: 'number', sql: `(${exposureIndex})`, neverNull: true },
    tier_zero_count: { type: 'integer', sql: 's.assets', neverNull: true },
    critical_risk_count: { type: 'integer', sql: 's.critical_findings', neverNull: true },
    archived_findings_count: { type: 'integer', sql: 's.archived_findings' },
  },
  select: `s.id, s.finished_at, s.tag_id, s.environment_id, s.exposed, s.principals, s.assets, s.critical_findings,
    s.archived_findings`,
  from: 'posture_stats s',
  key: 'id',
  defaultSort: ['-ts'],
  defaultLimit: 1000,
  growth: 'every column indexed',
};

/** Whoever does not ask for zones gets one row of an environment and run, as deployed clients expect. */
export function ofOneTag(request: ListRequest): ListRequest {
  return request.given.has('asset_group_tag_id') ? request : narrowed(request, 's.tag_id = $1', tierZeroTag);
}

export function inRange(request: ListRequest, start: number, end: number): ListRequest {
  const since = narrowed(request, 's.finished_at >= cast($1 as bigint)', start);
  return narrowed(since, 's.finished_at < cast($1 as bigint)', end);
}

/** The numbers of all that a request is about, in its order. */
export async function readStatsIds(graph: Reader, request: ListRequest): Promise<number[]> {
  const rows = await readRows<{ id: number }>(graph, { ...statsList, select: 's.id' }, request);
  return rows.map(({ id }) => id);
}

/** In the order of the numbers; what is not there any more is left out. */
export async function findStats(graph: Reader, ids: readonly number[]): Promise<StatsRow[]> {
  if (ids.length === 0) return [];
  const { sql, params } = inList(ids, 1);
  const rows = await graph.query<StatsRow>(
    `select ${statsList.select} from ${statsList.from} where s.id in (${sql})`,
    params,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
