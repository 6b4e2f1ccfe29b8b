import Type from 'typebox';
import { narrowed, readPage } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { BooleanParameter, Empty, Int32Parameter, Int64Parameter, Struct } from '../../http/schemas.ts';
import type { ZoneTools } from './change.ts';
import { selectorExample } from './examples.ts';
import { countSelected } from './member-store.ts';
import { ChangedSelector, Count, NewSelector, Selector, toSelectorView } from './schema.ts';
import { changeSelector, createSelector, getSelector, removeSelector } from './selector-service.ts';
import { type SelectorRow, selectorList, withObjectIds } from './selector-store.ts';
import { getTag } from './service.ts';

const tag = 'Zones';
const read = { permission: 'graphdb.Read' } as const;
const write = { permission: 'graphdb.Write' } as const;
const listUrl = '/api/v2/asset-group-tags/{asset_group_tag_id}/selectors';
const url = '/api/v2/asset-group-tags/{asset_group_tag_id}/selectors/{selector_id}';
const tagMembers = { asset_group_tag_id: Int32Parameter({ description: '1 is Tier Zero' }) };
const path = Struct({ ...tagMembers, selector_id: Int64Parameter() });
const countsQuery = Struct({
  counts: Type.Optional(
    BooleanParameter({ default: false, description: 'Whether to count members of the last analysis' }),
  ),
});
const answer = Struct({ data: Selector });
const answerExample = { data: selectorExample };
const noSuchTag = 'asset group tag 9 does not exist';
const noSuchSelector = 'selector 7 of asset group tag 3 does not exist';
const later = 'It takes effect with the next analysis, which is asked for.';

export function registerSelectors(register: Register, tools: ZoneTools): void {
  register({
    id: 'ListAssetGroupTagSelectors',
    method: 'GET',
    url: listUrl,
    tag,
    summary: 'List what selects the nodes of a zone',
    access: read,
    path: Struct(tagMembers),
    query: countsQuery,
    list: selectorList,
    answer: Struct({
      count: Count,
      limit: Count,
      skip: Count,
      data: Struct({ selectors: Type.Array(Selector) }),
    }),
    answerExample: { count: 1, limit: 100, skip: 0, data: { selectors: [selectorExample] } },
    errors: { not_found: noSuchTag },
    handle: ({ graph, list, path, query }) =>
      graph.slowly(async (graph) => {
        const { id } = await getTag(graph, path.asset_group_tag_id);
        const own = narrowed(list, 'tag_id = $1', id);
        const { count, rows } = await readPage<SelectorRow>(graph, selectorList, own);
        const selectors = await withObjectIds(graph, rows);
        const ids = rows.map(({ id }) => id);
        const counts = query.counts === true ? await countSelected(graph, id, ids) : undefined;
        return {
          count,
          limit: list.limit ?? count,
          skip: list.skip,
          data: { selectors: selectors.map((row) => toSelectorView(row, counts)) },
        };
      }),
  });

  register({
    id: 'CreateAssetGroupTagSelector',
    method: 'POST',
    url: listUrl,
    tag,
    summary: 'Select nodes for a zone by their object ids',
    description: `Nothing needs to have these ids yet. ${later}`,
    access: write,
    path: Struct(tagMembers),
    body: NewSelector,
    bodyExample: {
      name: 'Payment servers',
      seeds: [{ type: 1, value: selectorExample.seeds[0]?.value ?? '' }],
    },
    status: 201,
    answer,
    answerExample,
    errors: {
      bad_request: 'seeds takes 1 to 500 object ids, 0 are given',
      not_found: noSuchTag,
      conflict: 'the zone has 100 selectors: at most 100 are allowed',
    },
    handle: async ({ db, graph, origin, path, body }) => ({
      data: toSelectorView(await createSelector({ db, graph }, tools, origin, path.asset_group_tag_id, body)),
    }),
  });

  register({
    id: 'GetAssetGroupTagSelector',
    method: 'GET',
    url,
    tag,
    summary: 'Get a selector of a zone',
    access: read,
    path,
    answer,
    answerExample,
    errors: { not_found: noSuchSelector },
    handle: ({ graph, path }) =>
      graph.snapshot(async (graph) => ({
        data: toSelectorView(await getSelector(graph, path.asset_group_tag_id, path.selector_id)),
      })),
  });

  register({
    id: 'UpdateAssetGroupTagSelector',
    method: 'PATCH',
    url,
    tag,
    summary: 'Change, disable or enable a selector of a zone',
    description: `What is left out stays. Default selectors can only be disabled and enabled, some not even that. ${later}`,
    access: write,
    path,
    body: ChangedSelector,
    bodyExample: { disabled: true },
    answer,
    answerExample,
    errors: {
      bad_request: 'seeds takes 1 to 500 object ids, 0 are given',
      not_found: noSuchSelector,
      conflict: 'the selector "DnsAdmins" is built in: it can only be disabled and enabled',
    },
    handle: async ({ db, graph, origin, path, body }) => {
      const { asset_group_tag_id: tagId, selector_id: id } = path;
      return { data: toSelectorView(await changeSelector({ db, graph }, tools, origin, tagId, id, body)) };
    },
  });

  register({
    id: 'DeleteAssetGroupTagSelector',
    method: 'DELETE',
    url,
    tag,
    summary: 'Delete a selector of a zone',
    description: later,
    access: write,
    path,
    answer: Empty,
    errors: {
      not_found: noSuchSelector,
      conflict: 'the selector "DnsAdmins" is built in: it can be disabled, but not deleted',
    },
    handle: ({ db, graph, origin, path }) =>
      removeSelector({ db, graph }, tools, origin, path.asset_group_tag_id, path.selector_id),
  });
}
