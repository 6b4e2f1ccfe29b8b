import type { Static } from 'typebox';
import type { Origin } from '../../caller.ts';
import type { Reader } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { quoted } from '../../http/parameters.ts';
import { changesBetween, recordAudit } from '../audit/index.ts';
import { changeZones, type Stores, type ZoneTools } from './change.ts';
import { check, objectIdsOf, seedProblems, wordProblems } from './rules.ts';
import type { ChangedSelector, NewSelector } from './schema.ts';
import {
  countOwnSelectors,
  deleteSelector,
  findSelector,
  insertSelector,
  type Selection,
  updateSelector,
} from './selector-store.ts';
import { getOwnTag, getTag } from './service.ts';
import { maxSelectors } from './tags.ts';

export async function getSelector(graph: Reader, tagId: number, id: bigint): Promise<Selection> {
  await getTag(graph, tagId);
  const row = await findSelector(graph, tagId, id);
  if (row !== undefined) return row;
  throw new AppError('not_found', `selector ${id} of asset group tag ${tagId} does not exist`, {
    context: 'selector_id',
  });
}

export async function createSelector(
  stores: Stores,
  tools: ZoneTools,
  origin: Origin,
  tagId: number,
  wish: Static<typeof NewSelector>,
): Promise<Selection> {
  check([...wordProblems(wish), ...seedProblems(wish.seeds)]);
  return changeZones(stores, tools, origin, async (graph, db) => {
    await getOwnTag(graph, tagId, 'given selectors');
    const count = await countOwnSelectors(graph, tagId);
    if (count >= maxSelectors)
      throw new AppError('conflict', `the zone has ${count} selectors: at most ${maxSelectors} are allowed`);
    const now = tools.clock();
    const by = origin.actor.name;
    const row = await insertSelector(graph, {
      tag_id: tagId,
      name: wish.name,
      description: wish.description ?? '',
      rule: null,
      allow_disable: 1,
      disabled_at: wish.disabled === true ? now : null,
      disabled_by: wish.disabled === true ? by : null,
      created_at: now,
      created_by: by,
      updated_at: now,
      updated_by: by,
      objectIds: objectIdsOf(wish.seeds),
    });
    await recordAudit(db, origin, now, {
      action: 'CreateAssetGroupTagSelector',
      fields: { asset_group_tag_id: tagId, selector_id: row.id, after: recorded(row) },
    });
    return { result: row, matters: row.disabled_at === null };
  });
}

export async function changeSelector(
  stores: Stores,
  tools: ZoneTools,
  origin: Origin,
  tagId: number,
  id: bigint,
  wish: Static<typeof ChangedSelector>,
): Promise<Selection> {
  check([...wordProblems(wish), ...seedProblems(wish.seeds)]);
  return changeZones(stores, tools, origin, async (graph, db) => {
    const before = await getSelector(graph, tagId, id);
    const now = tools.clock();
    const by = origin.actor.name;
    const disabled = wish.disabled ?? before.disabled_at !== null;
    const after: Selection = {
      ...before,
      name: wish.name ?? before.name,
      description: wish.description ?? before.description,
      objectIds: wish.seeds === undefined ? before.objectIds : objectIdsOf(wish.seeds),
      disabled_at: disabled ? (before.disabled_at ?? now) : null,
      disabled_by: disabled ? (before.disabled_by ?? by) : null,
      updated_at: now,
      updated_by: by,
    };
    const changes = changesBetween(recorded(before), recorded(after));
    if (Object.keys(changes).length === 0) return { result: before, matters: false };
    refuseIfBuiltIn(before, changes);
    await updateSelector(graph, after);
    await recordAudit(db, origin, now, {
      action: 'UpdateAssetGroupTagSelector',
      fields: { asset_group_tag_id: tagId, selector_id: before.id, changes },
    });
    const wasOff = before.disabled_at !== null;
    return {
      result: after,
      matters: 'disabled' in changes || ('object_ids' in changes && !wasOff),
    };
  });
}

export async function removeSelector(
  stores: Stores,
  tools: ZoneTools,
  origin: Origin,
  tagId: number,
  id: bigint,
): Promise<void> {
  await changeZones(stores, tools, origin, async (graph, db) => {
    const row = await getSelector(graph, tagId, id);
    if (row.rule !== null) throw refused(row, 'is built in: it can be disabled, but not deleted');
    await deleteSelector(graph, row.id);
    await recordAudit(db, origin, tools.clock(), {
      action: 'DeleteAssetGroupTagSelector',
      fields: { asset_group_tag_id: tagId, selector_id: row.id, before: recorded(row) },
    });
    return { result: undefined, matters: row.disabled_at === null };
  });
}

function refuseIfBuiltIn(row: Selection, changes: Readonly<Record<string, unknown>>): void {
  if (row.rule === null) return;
  if (Object.keys(changes).some((member) => member !== 'disabled'))
    throw refused(row, 'is built in: it can only be disabled and enabled');
  if (row.allow_disable === 0)
    throw refused(row, "can't be disabled: whoever controls what it selects controls everything");
}

function refused(row: Selection, why: string): AppError {
  return new AppError('conflict', `the selector ${quoted(row.name)} ${why}`, { context: 'selector_id' });
}

function recorded({ name, description, disabled_at, objectIds }: Selection) {
  return { name, description, disabled: disabled_at !== null, object_ids: objectIds };
}
