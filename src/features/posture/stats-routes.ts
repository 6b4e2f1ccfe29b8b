import Type, { type Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import { csvLine } from '../../http/csv.ts';
import { csvPages, unpaged } from '../../http/csv-pages.ts';
import { readPage } from '../../http/list.ts';
import { Document, type Register } from '../../http/operation.ts';
import {
  DateTime,
  DateTimeParameter,
  Struct,
  sqlTime,
  timestampMembers,
  timestamps,
} from '../../http/schemas.ts';
import { day, formatRfc3339 } from '../../values/time.ts';
import { csv, rangeProblems } from './parameters.ts';
import { findStats, inRange, ofOneTag, readStatsIds, type StatsRow, statsList } from './stats-list.ts';

const defaultRange = 30 * day;

const members = {
  id: Type.Integer({ format: 'int64' }),
  ts: DateTime,
  ...timestampMembers,
  domain_sid: Type.String(),
  asset_group_tag_id: Type.Integer({ format: 'int32' }),
  exposure_index: Type.Number({
    format: 'double',
    description: 'Share of the principals of the environment that can reach the zone, 0 to 1',
  }),
  tier_zero_count: Type.Integer({ description: 'Objects of the zone in the environment' }),
  critical_risk_count: Type.Integer({ description: 'Critical findings' }),
  archived_findings_count: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Findings that are gone by then; null for runs of versions that did not count them',
  }),
};
const PostureStat = Struct(members);
const columns = Object.keys(members).filter((name) => name !== 'deleted_at');

export function registerStats(register: Register, deps: Pick<Deps, 'graph' | 'clock'>): void {
  register({
    id: 'ListPostureStats',
    method: 'GET',
    url: '/api/v2/posture-stats',
    tag: 'Risk posture',
    summary: 'List posture statistics',
    description:
      'One row for each run of analysis and environment, newest first: that of Tier Zero. With a filter of `asset_group_tag_id` there is one for each tag that it leaves; `asset_group_tag_id=gte:0` leaves all. Tag 0 is Hygiene, which has no exposure and no objects. With `Accept: text/csv` all rows that match are exported; `skip` and `limit` then count only if they are given.',
    rules: ['`from` is earlier than `to`, which is now if it is left out'],
    access: { permission: 'graphdb.Read' },
    edition: 'enterprise',
    query: Type.Object({
      from: Type.Optional(
        DateTimeParameter({ description: 'Beginning of the range, inclusive; default 30 days ago' }),
      ),
      to: Type.Optional(DateTimeParameter({ description: 'End of the range, exclusive; default now' })),
    }),
    list: statsList,
    volatile: true,
    answer: Struct({
      count: Type.Integer({ description: 'How many there are on all pages' }),
      limit: Type.Integer(),
      skip: Type.Integer(),
      start: DateTime,
      end: DateTime,
      data: Type.Array(PostureStat),
    }),
    answerExample: {
      count: 1,
      limit: 1000,
      skip: 0,
      start: '2026-01-01T00:00:00Z',
      end: '2026-01-31T00:00:00Z',
      data: [
        {
          id: 7,
          ts: '2026-01-05T02:10:00Z',
          created_at: '2026-01-05T02:10:00Z',
          updated_at: '2026-01-05T02:10:00Z',
          deleted_at: sqlTime(null),
          domain_sid: 'S-1-5-21-1-2-3',
          asset_group_tag_id: 1,
          exposure_index: 0.375,
          tier_zero_count: 42,
          critical_risk_count: 3,
          archived_findings_count: 12,
        },
      ],
    },
    documents: { [csv]: 'A line of names, then one row per line' },
    errors: { bad_request: 'from must be before to' },
    checkQuery: (query, invalid) => rangeProblems(['from', 'to'], rangeOf(query, deps.clock()), invalid),
    handle: async (call) => {
      const { graph, list } = call;
      const [start, end] = rangeOf(call.query, deps.clock());
      const request = inRange(ofOneTag(list), start, end);
      if (call.prefers(csv)) {
        const text = await csvPages(graph, deps.graph, {
          header: columns,
          ids: (graph) => readStatsIds(graph, unpaged(request)),
          lines: async (graph, ids) => (await findStats(graph, ids)).map(toLine).join(''),
        });
        return new Document(csv, text, 'posture-stats.csv');
      }
      const { count, rows } = await readPage<StatsRow>(graph, statsList, request);
      return {
        count,
        limit: list.limit ?? rows.length,
        skip: list.skip,
        start: formatRfc3339(start),
        end: formatRfc3339(end),
        data: rows.map(toView),
      };
    },
  });
}

/** Each end has its own default. */
function rangeOf(query: { from?: number; to?: number }, now: number): [number, number] {
  return [query.from ?? now - defaultRange, query.to ?? now];
}

function toView(row: StatsRow): Static<typeof PostureStat> {
  return {
    id: row.id,
    ts: formatRfc3339(row.finished_at),
    ...timestamps({ created_at: row.finished_at, updated_at: row.finished_at }),
    domain_sid: row.environment_id,
    asset_group_tag_id: row.tag_id,
    exposure_index: row.principals === 0 ? 0 : row.exposed / row.principals,
    tier_zero_count: row.assets,
    critical_risk_count: row.critical_findings,
    archived_findings_count: row.archived_findings,
  };
}

function toLine(row: StatsRow): string {
  const { deleted_at: _never, ...plain } = toView(row);
  const view: Readonly<Record<string, string | number | null>> = plain;
  return csvLine(columns.map((name) => view[name] ?? null));
}
