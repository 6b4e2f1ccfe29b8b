import { inList, type Reader, type Transaction } from '../../db/client.ts';
import type { List } from '../../http/list.ts';

export interface SelectorRow {
  readonly id: number;
  readonly tag_id: number;
  readonly name: string;
  readonly description: string;
  /** The key of a built-in rule; null where object ids select. */
  readonly rule: string | null;
  readonly allow_disable: number;
  readonly disabled_at: number | null;
  readonly disabled_by: string | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly updated_at: number;
  readonly updated_by: string;
}

/** A selector with the object ids that it selects, in order. */
export interface Selection extends SelectorRow {
  readonly objectIds: readonly string[];
}

const select =
  'id, tag_id, name, description, rule, allow_disable, disabled_at, disabled_by, created_at, created_by, updated_at, updated_by';

export const selectorList: List = {
  columns: {
    id: { type: 'integer', sql: 'id' },
    name: { type: 'text', sql: 'name', neverNull: true },
    is_default: { type: 'boolean', sql: 'case when rule is null then 0 else 1 end', neverNull: true },
    allow_disable: { type: 'boolean', sql: 'allow_disable', neverNull: true },
    disabled: { type: 'boolean', sql: 'case when disabled_at is null then 0 else 1 end', neverNull: true },
    created_at: { type: 'time', sql: 'created_at', neverNull: true },
    created_by: { type: 'text', sql: 'created_by', neverNull: true },
    updated_at: { type: 'time', sql: 'updated_at', neverNull: true },
    updated_by: { type: 'text', sql: 'updated_by', neverNull: true },
  },
  select,
  from: 'asset_group_selectors',
  key: 'id',
  defaultLimit: 100,
  // The default ones, and at most a hundred of a zone's own.
  growth: 'few rows',
};

export async function findSelector(
  graph: Reader,
  tagId: number,
  id: number | bigint,
): Promise<Selection | undefined> {
  const row = await graph.one<SelectorRow>(
    `select ${select} from asset_group_selectors where id = $1 and tag_id = $2`,
    [id, tagId],
  );
  if (row === undefined) return undefined;
  const [selection] = await withObjectIds(graph, [row]);
  return selection;
}

export function listSelectors(graph: Reader): Promise<SelectorRow[]> {
  return graph.query<SelectorRow>(`select ${select} from asset_group_selectors order by tag_id, id`);
}

export async function withObjectIds(graph: Reader, rows: readonly SelectorRow[]): Promise<Selection[]> {
  const byId = new Map(rows.map((row) => [row.id, { ...row, objectIds: [] as string[] }]));
  if (rows.length === 0) return [];
  const ids = inList([...byId.keys()], 1);
  const seeds = await graph.query<{ selector_id: number; object_id: string }>(
    `select selector_id, object_id from asset_group_seeds where selector_id in (${ids.sql})
     order by selector_id, object_id`,
    ids.params,
  );
  for (const seed of seeds) byId.get(seed.selector_id)?.objectIds.push(seed.object_id);
  return [...byId.values()];
}

/** Without the default ones. */
export async function countOwnSelectors(graph: Reader, tagId: number): Promise<number> {
  const row = await graph.one<{ count: number }>(
    'select cast(count(*) as bigint) as count from asset_group_selectors where tag_id = $1 and rule is null',
    [tagId],
  );
  return row?.count ?? 0;
}

export async function insertSelector(graph: Transaction, wish: Omit<Selection, 'id'>): Promise<Selection> {
  const row = await graph.one<{ id: number }>(
    `insert into asset_group_selectors (tag_id, name, description, rule, allow_disable, disabled_at, disabled_by,
       created_at, created_by, updated_at, updated_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
    [
      wish.tag_id,
      wish.name,
      wish.description,
      wish.rule,
      wish.allow_disable,
      wish.disabled_at,
      wish.disabled_by,
      wish.created_at,
      wish.created_by,
      wish.updated_at,
      wish.updated_by,
    ],
  );
  if (row === undefined) throw new Error('the store gave the selector no number');
  await insertSeeds(graph, row.id, wish.objectIds);
  return { ...wish, id: row.id };
}

export async function updateSelector(graph: Transaction, row: Selection): Promise<void> {
  await graph.execute(
    `update asset_group_selectors set name = $2, description = $3, disabled_at = $4, disabled_by = $5,
       updated_at = $6, updated_by = $7 where id = $1`,
    [row.id, row.name, row.description, row.disabled_at, row.disabled_by, row.updated_at, row.updated_by],
  );
  await graph.execute('delete from asset_group_seeds where selector_id = $1', [row.id]);
  await insertSeeds(graph, row.id, row.objectIds);
}

export async function deleteSelector(graph: Transaction, id: number): Promise<void> {
  await graph.execute('delete from asset_group_seeds where selector_id = $1', [id]);
  await graph.execute('delete from asset_group_selectors where id = $1', [id]);
}

async function insertSeeds(graph: Transaction, id: number, objectIds: readonly string[]): Promise<void> {
  await graph.bulk(
    'asset_group_seeds',
    ['selector_id', 'object_id'],
    objectIds.map((objectId) => [id, objectId]),
  );
}
