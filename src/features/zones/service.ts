import type { Static } from 'typebox';
import type { Origin } from '../../caller.ts';
import type { Reader } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { quoted } from '../../http/parameters.ts';
import { changesBetween, recordAudit } from '../audit/index.ts';
import { changeZones, type Stores, type ZoneTools } from './change.ts';
import {
  check,
  checkPosition,
  refuseTakenName,
  refuseTooMany,
  typeProblems,
  wordProblems,
  zoneNameProblems,
} from './rules.ts';
import { type ChangedTag, hygiene, type NewTag } from './schema.ts';
import {
  deleteTag,
  findTag,
  insertTag,
  listTags,
  movePositions,
  nextTagId,
  type TagRow,
  updateTag,
} from './store.ts';
import { hygieneTag, tierZeroTag } from './tags.ts';

export async function getTag(graph: Reader, id: number): Promise<TagRow> {
  const tag = id === hygieneTag ? hygiene : await findTag(graph, id);
  if (tag !== undefined) return tag;
  throw new AppError('not_found', `asset group tag ${id} does not exist`, { context: 'asset_group_tag_id' });
}

export async function createZone(
  stores: Stores,
  tools: ZoneTools,
  origin: Origin,
  wish: Static<typeof NewTag>,
): Promise<TagRow> {
  check([...wordProblems(wish), ...zoneNameProblems(wish.name), ...typeProblems(wish.type)]);
  return changeZones(stores, tools, origin, async (graph, db) => {
    const zones = await listTags(graph);
    refuseTooMany(zones);
    refuseTakenName(wish.name, zones);
    const last = zones.length + 1;
    const position = wish.position ?? last;
    checkPosition(position, last);
    await movePositions(graph, position, last, 1);
    const now = tools.clock();
    const by = origin.actor.name;
    const row: TagRow = {
      id: await nextTagId(graph),
      type: 1,
      name: wish.name,
      description: wish.description ?? '',
      position,
      created_at: now,
      created_by: by,
      updated_at: now,
      updated_by: by,
    };
    await insertTag(graph, row);
    await recordAudit(db, origin, now, {
      action: 'CreateAssetGroupTag',
      fields: { asset_group_tag_id: row.id, after: recorded(row) },
    });
    // Nothing selects its nodes yet.
    return { result: row, matters: false };
  });
}

export async function changeZone(
  stores: Stores,
  tools: ZoneTools,
  origin: Origin,
  id: number,
  wish: Static<typeof ChangedTag>,
): Promise<TagRow> {
  check([...wordProblems(wish), ...zoneNameProblems(wish.name), ...typeProblems(wish.type)]);
  return changeZones(stores, tools, origin, async (graph, db) => {
    const before = await getOwnTag(graph, id, 'changed');
    const zones = await listTags(graph);
    const after: TagRow = {
      ...before,
      name: wish.name ?? before.name,
      description: wish.description ?? before.description,
      position: wish.position ?? before.position,
      updated_at: tools.clock(),
      updated_by: origin.actor.name,
    };
    const changes = changesBetween(recorded(before), recorded(after));
    if (Object.keys(changes).length === 0) return { result: before, matters: false };
    const matters = after.name !== before.name || after.position !== before.position;
    if (matters && id === tierZeroTag) throw builtIn(before, 'renamed or moved');
    if (after.name !== before.name)
      refuseTakenName(
        after.name,
        zones.filter((zone) => zone.id !== id),
      );
    if (after.position !== before.position) {
      checkPosition(after.position, zones.length);
      const [from, to] = [before.position, after.position];
      if (from < to) await movePositions(graph, from + 1, to, -1);
      else await movePositions(graph, to, from - 1, 1);
    }
    await updateTag(graph, after);
    await recordAudit(db, origin, after.updated_at, {
      action: 'UpdateAssetGroupTag',
      fields: { asset_group_tag_id: id, changes },
    });
    return { result: after, matters };
  });
}

export async function removeZone(
  stores: Stores,
  tools: ZoneTools,
  origin: Origin,
  id: number,
): Promise<void> {
  await changeZones(stores, tools, origin, async (graph, db) => {
    const row = await getOwnTag(graph, id, 'deleted');
    if (id === tierZeroTag) throw builtIn(row, 'deleted');
    const { length: last } = await listTags(graph);
    await deleteTag(graph, id);
    await movePositions(graph, row.position + 1, last, -1);
    await recordAudit(db, origin, tools.clock(), {
      action: 'DeleteAssetGroupTag',
      fields: { asset_group_tag_id: id, before: recorded(row) },
    });
    return { result: undefined, matters: true };
  });
}

/** Hygiene is no zone: nothing of it can be changed, and nothing selects into it. */
export async function getOwnTag(graph: Reader, id: number, what: string): Promise<TagRow> {
  const tag = await getTag(graph, id);
  if (id === hygieneTag) throw builtIn(tag, what);
  return tag;
}

function builtIn(tag: TagRow, what: string): AppError {
  return new AppError('conflict', `${quoted(tag.name)} is built in: it can't be ${what}`, {
    context: 'asset_group_tag_id',
  });
}

function recorded({ name, description, position }: TagRow) {
  return { name, description, position };
}
