import { inList, type Reader } from '../../db/client.ts';
import { publishedAnalysis } from '../../graph/node-zones.ts';
import { objectKey } from '../../graph/store.ts';
import { type List, type ListRequest, narrowed } from '../../http/list.ts';

export interface MemberRow {
  readonly id: number;
  readonly object_id: string;
  readonly name: string;
  readonly primary_kind: string;
  readonly kinds: string;
  readonly zone: string | null;
  readonly environment_id: string;
  readonly environment_name: string | null;
  readonly source: number;
}

/** Of the analysis that is published; a node that is gone since is no member. */
export const memberList: List = {
  columns: {
    id: { type: 'integer', sql: 'z.node_id' },
    object_id: { type: 'text', sql: 'z.object_id', neverNull: true },
    name: { type: 'text', sql: 'z.name', neverNull: true },
    primary_kind: { type: 'text', sql: 'z.kind', neverNull: true },
    environment_id: { type: 'text', sql: 'z.environment', neverNull: true },
  },
  select: `z.node_id as id, n.object_id, n.name, z.kind as primary_kind, l.kinds,
    (select k.kind from analysis_zones k where k.analysis_id = z.analysis_id and k.tag_id = z.tag_id) as zone,
    z.environment as environment_id,
    (select e.name from nodes e where e.object_id = z.environment) as environment_name, z.source`,
  from: 'node_zones z join nodes n on n.id = z.node_id join kind_lists l on l.id = n.kind_list_id',
  key: 'id',
  defaultSort: ['name'],
  defaultLimit: 100,
  growth: 'every column indexed',
};

export function membersOf(
  request: ListRequest,
  tagId: number,
  environments: readonly string[] = [],
): ListRequest {
  const own = narrowed(request, `z.analysis_id = ${publishedAnalysis} and z.tag_id = $1`, tagId);
  if (environments.length === 0) return own;
  const { sql, params } = inList(environments.map(objectKey), own.params.length + 1);
  return {
    ...own,
    where: `${own.where} and z.environment in (${sql})`,
    params: [...own.params, ...params],
  };
}

/** How many nodes of a zone its selectors name by their object ids. */
export async function countSelected(
  graph: Reader,
  tagId: number,
  selectorIds: readonly number[],
): Promise<Map<number, number>> {
  if (selectorIds.length === 0) return new Map();
  const { sql, params } = inList(selectorIds, 2);
  const rows = await graph.query<{ id: number; members: number }>(
    `select s.selector_id as id, cast(count(*) as bigint) as members
     from asset_group_seeds s join nodes n on n.object_id = s.object_id
     join node_zones z on z.node_id = n.id and z.analysis_id = ${publishedAnalysis} and z.tag_id = $1
     where s.selector_id in (${sql}) group by s.selector_id`,
    [tagId, ...params],
  );
  return new Map(rows.map(({ id, members }) => [id, members]));
}

export function countMembersByKind(graph: Reader, tagId: number): Promise<{ kind: string; count: number }[]> {
  return graph.query(
    `select z.kind, cast(count(*) as bigint) as count from node_zones z join nodes n on n.id = z.node_id
     where z.analysis_id = ${publishedAnalysis} and z.tag_id = $1 group by z.kind order by z.kind`,
    [tagId],
  );
}

export interface TagCounts {
  readonly selectors: number;
  readonly custom_selectors: number;
  readonly default_selectors: number;
  readonly disabled_selectors: number;
  readonly members: number;
}

/** Of every tag, or of one. */
export async function countByTag(graph: Reader, tagId?: number): Promise<Map<number, TagCounts>> {
  const rows = await graph.query<TagCounts & { id: number }>(
    `select t.id,
       (select cast(count(*) as bigint) from asset_group_selectors s where s.tag_id = t.id) as selectors,
       (select cast(count(*) as bigint) from asset_group_selectors s
        where s.tag_id = t.id and s.rule is null) as custom_selectors,
       (select cast(count(*) as bigint) from asset_group_selectors s
        where s.tag_id = t.id and s.rule is not null) as default_selectors,
       (select cast(count(*) as bigint) from asset_group_selectors s
        where s.tag_id = t.id and s.disabled_at is not null) as disabled_selectors,
       (select cast(count(*) as bigint) from node_zones z join nodes n on n.id = z.node_id
        where z.analysis_id = ${publishedAnalysis} and z.tag_id = t.id) as members
     from asset_group_tags t${tagId === undefined ? '' : ' where t.id = $1'}`,
    tagId === undefined ? [] : [tagId],
  );
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}
