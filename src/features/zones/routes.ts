import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { readRows } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { BooleanParameter, Empty, Int32Parameter, Struct } from '../../http/schemas.ts';
import type { AskForAnalysis } from './change.ts';
import { tagExample } from './examples.ts';
import { registerMembers } from './member-routes.ts';
import { countByTag } from './member-store.ts';
import { ChangedTag, NewTag, Tag, toTagView } from './schema.ts';
import { registerSelectors } from './selector-routes.ts';
import { changeZone, createZone, getTag, removeZone } from './service.ts';
import { type TagRow, tagList } from './store.ts';

const tag = 'Zones';
const read = { permission: 'graphdb.Read' } as const;
const write = { permission: 'graphdb.Write' } as const;
const path = Struct({ asset_group_tag_id: Int32Parameter({ description: '0 is Hygiene, 1 is Tier Zero' }) });
const countsQuery = Struct({
  counts: Type.Optional(
    BooleanParameter({
      default: false,
      description: 'Whether to count selectors, and members of the last analysis',
    }),
  ),
});
const noSuchTag = 'asset group tag 9 does not exist';
const takenName = 'a zone "Payment systems" exists already';
const later = 'It takes effect with the next analysis, which is asked for.';

export function registerZones(
  register: Register,
  { clock }: Pick<Deps, 'clock'>,
  askForAnalysis: AskForAnalysis,
): void {
  const tools = { clock, askForAnalysis };
  register({
    id: 'ListAssetGroupTags',
    method: 'GET',
    url: '/api/v2/asset-group-tags',
    tag,
    summary: 'List zones, by position',
    description: 'Hygiene, the reserved tag 0, is not a zone and not in the list.',
    access: read,
    query: countsQuery,
    list: tagList,
    answer: Struct({ data: Struct({ tags: Type.Array(Tag) }) }),
    answerExample: { data: { tags: [tagExample] } },
    handle: async ({ graph, list, query }) => {
      const withCounts = query.counts === true;
      const look = withCounts ? graph.slowly.bind(graph) : graph.snapshot.bind(graph);
      return look(async (graph) => {
        const rows = await readRows<TagRow>(graph, tagList, list);
        const counts = withCounts ? await countByTag(graph) : undefined;
        return { data: { tags: rows.map((row) => toTagView(row, counts)) } };
      });
    },
  });

  register({
    id: 'GetAssetGroupTag',
    method: 'GET',
    url: '/api/v2/asset-group-tags/{asset_group_tag_id}',
    tag,
    summary: 'Get a zone',
    access: read,
    path,
    query: countsQuery,
    answer: Struct({ data: Struct({ tag: Tag }) }),
    answerExample: { data: { tag: tagExample } },
    errors: { not_found: noSuchTag },
    handle: async ({ graph, path, query }) => {
      const row = await getTag(graph, path.asset_group_tag_id);
      const counts =
        query.counts === true ? await graph.slowly((graph) => countByTag(graph, row.id)) : undefined;
      return { data: { tag: toTagView(row, counts) } };
    },
  });

  register({
    id: 'CreateAssetGroupTag',
    method: 'POST',
    url: '/api/v2/asset-group-tags',
    tag,
    summary: 'Add a zone',
    description: 'It has no members until something selects them. Zones behind its position move down.',
    rules: ['`position` is at most one more than there are zones'],
    access: write,
    body: NewTag,
    bodyExample: { name: 'Payment systems', description: 'What money goes through', position: 2 },
    status: 201,
    answer: Struct({ data: Tag }),
    answerExample: { data: tagExample },
    errors: {
      bad_request: 'position must be 2 to 3, but is 9: position 1 is that of Tier Zero',
      conflict: takenName,
    },
    handle: async ({ db, graph, origin, body }) => ({
      data: toTagView(await createZone({ db, graph }, tools, origin, body)),
    }),
  });

  register({
    id: 'UpdateAssetGroupTag',
    method: 'PATCH',
    url: '/api/v2/asset-group-tags/{asset_group_tag_id}',
    tag,
    summary: 'Rename, describe or move a zone',
    description: `What is left out stays. ${later}`,
    rules: ['`position` is at most the number of zones'],
    access: write,
    path,
    body: ChangedTag,
    bodyExample: { position: 3 },
    answer: Struct({ data: Tag }),
    answerExample: { data: { ...tagExample, position: 3 } },
    errors: {
      bad_request: 'position must be 2 to 3, but is 9: position 1 is that of Tier Zero',
      not_found: noSuchTag,
      conflict: `"Tier Zero" is built in: it can't be renamed or moved`,
    },
    handle: async ({ db, graph, origin, path, body }) => ({
      data: toTagView(await changeZone({ db, graph }, tools, origin, path.asset_group_tag_id, body)),
    }),
  });

  register({
    id: 'DeleteAssetGroupTag',
    method: 'DELETE',
    url: '/api/v2/asset-group-tags/{asset_group_tag_id}',
    tag,
    summary: 'Delete a zone with its selectors',
    description: `Zones behind its position move up. ${later}`,
    access: write,
    path,
    answer: Empty,
    errors: { not_found: noSuchTag, conflict: `"Tier Zero" is built in: it can't be deleted` },
    handle: ({ db, graph, origin, path }) =>
      removeZone({ db, graph }, tools, origin, path.asset_group_tag_id),
  });

  registerSelectors(register, tools);
  registerMembers(register);
}
