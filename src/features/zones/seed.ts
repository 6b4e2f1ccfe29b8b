import type { Reader, Transaction } from '../../db/client.ts';
import { defaultSelectors } from '../../graph/analysis/default-selectors.ts';
import type { Zone } from '../../graph/analysis/zones.ts';
import { kindOfZone } from '../../graph/node-zones.ts';
import { listSelectors, withObjectIds } from './selector-store.ts';
import { listTags } from './store.ts';
import { tierZeroTag } from './tags.ts';

const maker = 'kennel';
/** 2 is kept for what others have there: the objects that somebody owns. */
const lastReserved = 2;

/** Tier Zero is there from the start, with the selectors that this version of the program knows. */
export async function seedTags(graph: Transaction, now: number): Promise<void> {
  await graph.bulk(
    'asset_group_tags',
    ['id', 'name', 'created_at', 'type', 'position', 'created_by', 'updated_at', 'updated_by'],
    [[tierZeroTag, 'Tier Zero', now, 1, 1, maker, now, maker]],
    // A store of an earlier version has the name only.
    `on conflict (id) do update set position = excluded.position, created_by = excluded.created_by,
       updated_at = excluded.updated_at, updated_by = excluded.updated_by
     where asset_group_tags.position is null`,
  );
  await graph.bulk(
    'asset_group_tag_numbers',
    ['id', 'last_used'],
    [[1, lastReserved]],
    'on conflict (id) do nothing',
  );
  const known = new Set((await listSelectors(graph)).map(({ rule }) => rule));
  await graph.bulk(
    'asset_group_selectors',
    [
      'tag_id',
      'name',
      'description',
      'rule',
      'allow_disable',
      'created_at',
      'created_by',
      'updated_at',
      'updated_by',
    ],
    defaultSelectors
      .filter(({ key }) => !known.has(key))
      .map(({ key, name, required }) => [
        tierZeroTag,
        name,
        '',
        key,
        required ? 0 : 1,
        now,
        maker,
        now,
        maker,
      ]),
    'on conflict (rule) do nothing',
  );
}

/** What an analysis goes by: every zone with the selectors that are enabled. */
export async function readZones(graph: Reader): Promise<Zone[]> {
  const tags = await listTags(graph);
  const enabled = (await listSelectors(graph)).filter((row) => row.disabled_at === null);
  const selections = await withObjectIds(graph, enabled);
  return tags.map(({ id, position, name }) => ({
    id,
    position,
    kind: kindOfZone(name),
    selectors: selections
      .filter((selection) => selection.tag_id === id)
      .map(({ rule, objectIds }) => (rule === null ? { objectIds } : { rule })),
  }));
}
