import type { Reader, Transaction } from '../../db/client.ts';
import { inList } from '../../db/client.ts';
import { kindsWithZone, publishedAnalysis, zoneOf } from '../../graph/node-zones.ts';
import { type List, type ListRequest, readPage, readRows } from '../../http/list.ts';

export const severities = ['low', 'moderate', 'high', 'critical'] as const;
export const states = ['active', 'accepted', 'remediated'] as const;

export interface FindingRow {
  readonly id: number;
  readonly tag_id: number;
  readonly type: string;
  readonly environment_id: string;
  readonly source_id: string;
  readonly target_id: string;
  readonly severity: number;
  readonly state: (typeof states)[number];
  readonly exposure_count: number;
  readonly exposure_percent: number;
  readonly impact_count: number;
  readonly impact_percent: number;
  readonly first_seen: number | null;
  readonly last_seen: number | null;
  readonly gone_at: number | null;
}

const numbers = ['severity', 'exposure_count', 'exposure_percent', 'impact_count', 'impact_percent'];
const columnsOf = (table: string, names: readonly string[]) =>
  names.map((name) => `${table}.${name}`).join(', ');
const identity = columnsOf('f', [
  'tag_id',
  'type',
  'environment_id',
  'source_id',
  'target_id',
  'since_analysis',
]);
/** Of the same thing, whichever spell it was accepted in, unless that has run out. */
const accepting = (now: string) => `accepted_findings a where a.source_id = f.source_id
  and a.target_id = f.target_id and a.type = f.type and a.tag_id = f.tag_id
  and (a.accepted_until is null or a.accepted_until > cast(${now} as bigint))`;

/** What the published analysis saw; it has measured each of them. `tables` in the order in which to look. */
const present = (now: string, tables: string) => `select m.finding_id as id, ${identity},
    ${columnsOf('m', numbers)}, cast(null as bigint) as until_analysis,
    case when exists (select 1 from ${accepting(now)}) then 'accepted' else 'active' end as state
  from ${tables} where m.analysis_id = ${publishedAnalysis} and m.finding_id = f.id`;
const severeFirst = 'finding_measures m cross join findings f';
const selectedFirst = 'findings f cross join finding_measures m';
/** What was there and is not any more. */
const gone = `select f.id, ${identity}, ${columnsOf('f', numbers)}, f.until_analysis, 'remediated' as state
  from findings f where f.until_analysis <= ${publishedAnalysis}`;

/** When a run was published; of one that is forgotten, when the first one after it was. */
const publishedAt = (id: string) => `(select p.published_at from analyses p
  where p.id >= ${id} and p.published_at is not null order by p.id limit 1)`;
const firstSeen = publishedAt('x.since_analysis');
const goneAt = `case when x.until_analysis is null then null else ${publishedAt('x.until_analysis')} end`;
const lastSeen = `case when x.until_analysis is null then ${publishedAt(publishedAnalysis)} else coalesce(
  (select p.published_at from analyses p where p.id >= x.since_analysis and p.id < x.until_analysis
     and p.published_at is not null order by p.id desc limit 1), ${firstSeen}) end`;
/** As it is shown: what has no name goes by its id. */
const nameOf = (id: string) =>
  `coalesce((select nullif(n.name, '') from nodes n where n.object_id = ${id}), ${id})`;

const stateNumber = `case x.state ${states.map((state, number) => `when '${state}' then ${number}`).join(' ')} end`;

export const findingList: List = {
  columns: {
    id: { type: 'integer', sql: 'x.id' },
    environment_id: { type: 'text', sql: 'x.environment_id', neverNull: true },
    asset_group_tag_id: { type: 'integer', sql: 'x.tag_id', neverNull: true },
    type: { type: 'text', sql: 'x.type', neverNull: true },
    severity: { type: 'integer', sql: 'x.severity', neverNull: true, words: severities },
    state: { type: 'integer', sql: stateNumber, neverNull: true, words: states },
    source_id: { type: 'text', sql: 'x.source_id', neverNull: true },
    source_name: { type: 'text', sql: nameOf('x.source_id'), neverNull: true },
    target_id: { type: 'text', sql: 'x.target_id', neverNull: true },
    target_name: { type: 'text', sql: nameOf('x.target_id'), neverNull: true },
    exposure_count: { type: 'integer', sql: 'x.exposure_count', neverNull: true },
    exposure_percent: { type: 'integer', sql: 'x.exposure_percent', neverNull: true },
    impact_count: { type: 'integer', sql: 'x.impact_count', neverNull: true },
    impact_percent: { type: 'integer', sql: 'x.impact_percent', neverNull: true },
    first_seen: { type: 'time', sql: firstSeen },
    last_seen: { type: 'time', sql: lastSeen },
    gone_at: { type: 'time', sql: goneAt },
  },
  select: `x.id, x.tag_id, x.type, x.environment_id, x.source_id, x.target_id, x.state,
    ${columnsOf('x', numbers)}, ${firstSeen} as first_seen, ${lastSeen} as last_seen, ${goneAt} as gone_at`,
  // Given with the moment that decides whether an acceptance still holds.
  from: '',
  key: 'id',
  defaultSort: ['-severity'],
  defaultLimit: 100,
  growth: 'the usual orders indexed',
};

/** The list and the request as of now: what is gone is looked at only by who asks about states. */
function asOf(request: ListRequest, now: number, withGone: boolean): [List, ListRequest] {
  const parameter = `$${request.params.length + 1}`;
  // SQLite knows too little of the rows to choose; PostgreSQL chooses by itself.
  const isSelective = request.given.has('source_id') || request.given.has('target_id');
  const seen = present(parameter, isSelective ? selectedFirst : severeFirst);
  const rows = withGone ? `${seen} union all ${gone}` : seen;
  return [
    { ...findingList, from: `(${rows}) x` },
    { ...request, params: [...request.params, now] },
  ];
}

export function readFindings(graph: Reader, request: ListRequest, now: number) {
  return readPage<FindingRow>(graph, ...asOf(request, now, request.given.has('state')));
}

/** The numbers of all that a request is about, in its order. */
export async function readFindingIds(graph: Reader, request: ListRequest, now: number): Promise<number[]> {
  const [list, asked] = asOf(request, now, request.given.has('state'));
  const rows = await readRows<{ id: number }>(graph, { ...list, select: 'x.id' }, asked);
  return rows.map(({ id }) => id);
}

/** In the order of the numbers; what is not there any more is left out. */
export async function findFindings(
  graph: Reader,
  ids: readonly (number | bigint)[],
  now: number,
): Promise<FindingRow[]> {
  if (ids.length === 0) return [];
  const { sql, params } = inList(ids, 1);
  const request = { where: `x.id in (${sql})`, params, orderBy: 'x.id', skip: 0, limit: undefined };
  const rows = await readRows<FindingRow>(graph, ...asOf({ ...request, given: new Set() }, now, true));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(Number(id)) ?? []);
}

/** What holds for these findings, by their number. */
export async function readAcceptances(
  graph: Reader,
  ids: readonly number[],
  now: number,
): Promise<Map<number, Acceptance>> {
  if (ids.length === 0) return new Map();
  const { sql, params } = inList(ids, 2);
  const rows = await graph.query<Acceptance & { id: number }>(
    `select f.id, a.accepted_at, a.accepted_by, a.accepted_until, a.reason
     from findings f cross join ${accepting('$1')} and f.id in (${sql})`,
    [now, ...params],
  );
  return new Map(rows.map(({ id, ...acceptance }) => [id, acceptance]));
}

export interface ShownNode {
  readonly objectId: string;
  readonly name: string;
  /** With that of its zone. */
  readonly kinds: readonly string[];
}

const lookupsAtOnce = 1024;

/** The nodes with these object ids, as lists show them. */
export async function readShown(graph: Reader, objectIds: Iterable<string>): Promise<Map<string, ShownNode>> {
  const keys = [...new Set(objectIds)];
  const nodes = new Map<string, ShownNode>();
  for (let from = 0; from < keys.length; from += lookupsAtOnce) {
    const list = inList(keys.slice(from, from + lookupsAtOnce), 1);
    const rows = await graph.query<{ id: string; name: string; kinds: string; zone: string | null }>(
      `select n.object_id as id, n.name, l.kinds, ${zoneOf('n')} as zone
       from nodes n join kind_lists l on l.id = n.kind_list_id where n.object_id in (${list.sql})`,
      list.params,
    );
    for (const { id, name, kinds, zone } of rows)
      nodes.set(id, { objectId: id, name: name || id, kinds: kindsWithZone(JSON.parse(kinds), zone) });
  }
  return nodes;
}

export interface Acceptance {
  readonly accepted_at: number;
  readonly accepted_by: string;
  readonly accepted_until: number | null;
  readonly reason: string;
}

type Key = Pick<FindingRow, 'source_id' | 'target_id' | 'type' | 'tag_id'>;
const keyOf = ({ source_id: source, target_id: target, type, tag_id: tag }: Key) => [
  source,
  target,
  type,
  tag,
];
const ofKey = 'source_id = $1 and target_id = $2 and type = $3 and tag_id = $4';

/** Whether it still holds or not. */
export function findAcceptance(graph: Reader, finding: Key): Promise<Acceptance | undefined> {
  return graph.one<Acceptance>(
    `select accepted_at, accepted_by, accepted_until, reason from accepted_findings where ${ofKey}`,
    keyOf(finding),
  );
}

export async function putAcceptance(graph: Transaction, finding: Key, given: Acceptance): Promise<void> {
  await deleteAcceptance(graph, finding);
  await graph.execute(
    `insert into accepted_findings
       (source_id, target_id, type, tag_id, accepted_at, accepted_by, accepted_until, reason)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...keyOf(finding), given.accepted_at, given.accepted_by, given.accepted_until, given.reason],
  );
}

export async function deleteAcceptance(graph: Transaction, finding: Key): Promise<void> {
  await graph.execute(`delete from accepted_findings where ${ofKey}`, keyOf(finding));
}

/** Nobody else can accept or take back until the transaction ends. */
export function lockAcceptances(graph: Transaction): Promise<void> {
  return graph.lock('kennel: accepted findings');
}
