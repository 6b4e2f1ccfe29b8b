import Type from 'typebox';
import { readPage } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { Int32Parameter, Struct } from '../../http/schemas.ts';
import { memberExample } from './examples.ts';
import { countMembersByKind, type MemberRow, memberList, membersOf } from './member-store.ts';
import { Count, Member, toMemberView } from './schema.ts';
import { getTag } from './service.ts';

const tag = 'Zones';
const access = { permission: 'graphdb.Read' } as const;
const path = Struct({ asset_group_tag_id: Int32Parameter({ description: '1 is Tier Zero' }) });
const noSuchTag = 'asset group tag 9 does not exist';

export function registerMembers(register: Register): void {
  register({
    id: 'ListAssetGroupTagMembers',
    method: 'GET',
    url: '/api/v2/asset-group-tags/{asset_group_tag_id}/members',
    tag,
    summary: 'List the nodes that are in a zone since the last analysis',
    description:
      'Sorted and filtered as they were when that analysis ran; names count up to their 200th character.',
    access,
    path,
    query: Struct({
      environments: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: 1000,
          description: 'Only nodes of these environments; repeat it for several',
        }),
      ),
    }),
    list: memberList,
    answer: Struct({
      count: Count,
      limit: Count,
      skip: Count,
      data: Struct({ members: Type.Array(Member) }),
    }),
    answerExample: { count: 1, limit: 100, skip: 0, data: { members: [memberExample] } },
    errors: { not_found: noSuchTag },
    handle: ({ graph, list, path, query }) =>
      graph.slowly(async (graph) => {
        const { id } = await getTag(graph, path.asset_group_tag_id);
        const { count, rows } = await readPage<MemberRow>(
          graph,
          memberList,
          membersOf(list, id, query.environments),
        );
        return {
          count,
          limit: list.limit ?? count,
          skip: list.skip,
          data: { members: rows.map(toMemberView) },
        };
      }),
  });

  register({
    id: 'CountAssetGroupTagMembers',
    method: 'GET',
    url: '/api/v2/asset-group-tags/{asset_group_tag_id}/members/counts',
    tag,
    summary: 'Count the nodes that are in a zone since the last analysis, by kind',
    access,
    path,
    answer: Struct({
      data: Struct({
        total_count: Count,
        counts: Type.Object(
          {},
          { additionalProperties: Count, description: 'By the kind that each is shown as' },
        ),
      }),
    }),
    answerExample: { data: { total_count: 3, counts: { Computer: 2, Group: 1 } } },
    errors: { not_found: noSuchTag },
    handle: ({ graph, path }) =>
      graph.slowly(async (graph) => {
        const { id } = await getTag(graph, path.asset_group_tag_id);
        const kinds = await countMembersByKind(graph, id);
        return {
          data: {
            total_count: kinds.reduce((sum, { count }) => sum + count, 0),
            counts: Object.fromEntries(kinds.map(({ kind, count }) => [kind, count])),
          },
        };
      }),
  });
}
