import type { Reader, Transaction, Value } from '../../db/client.ts';
import type { List } from '../../http/list.ts';
import { hygieneTag } from './tags.ts';

export interface TagRow {
  readonly id: number;
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly position: number;
  readonly created_at: number;
  readonly created_by: string;
  readonly updated_at: number;
  readonly updated_by: string;
}

const columns = [
  'id',
  'type',
  'name',
  'description',
  'position',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
] as const;
const select = columns.join(', ');

export const tagList: List = {
  columns: {
    id: { type: 'integer', sql: 'id' },
    type: { type: 'integer', sql: 'type', neverNull: true },
    name: { type: 'text', sql: 'name', neverNull: true },
    description: { type: 'text', sql: 'description', neverNull: true },
    position: { type: 'integer', sql: 'position', neverNull: true },
    created_at: { type: 'time', sql: 'created_at', neverNull: true },
    created_by: { type: 'text', sql: 'created_by', neverNull: true },
    updated_at: { type: 'time', sql: 'updated_at', neverNull: true },
    updated_by: { type: 'text', sql: 'updated_by', neverNull: true },
  },
  select,
  from: 'asset_group_tags',
  key: 'id',
  defaultSort: ['position'],
  // A handful of zones.
  growth: 'few rows',
};

/** By position. */
export function listTags(graph: Reader): Promise<TagRow[]> {
  return graph.query<TagRow>(`select ${select} from asset_group_tags order by position, id`);
}

export function findTag(graph: Reader, id: number): Promise<TagRow | undefined> {
  return graph.one<TagRow>(`select ${select} from asset_group_tags where id = $1`, [id]);
}

export async function tagExists(graph: Reader, id: number): Promise<boolean> {
  return id === hygieneTag || (await findTag(graph, id)) !== undefined;
}

/** Nobody else can change zones until the transaction ends. */
export function lockZones(graph: Transaction): Promise<void> {
  return graph.lock('zones');
}

/** A number that no tag ever had. */
export async function nextTagId(graph: Transaction): Promise<number> {
  const row = await graph.one<{ last_used: number }>(
    'update asset_group_tag_numbers set last_used = last_used + 1 where id = 1 returning last_used',
  );
  if (row === undefined) throw new Error('the numbers of tags are missing');
  return row.last_used;
}

export async function insertTag(graph: Transaction, row: TagRow): Promise<void> {
  await graph.bulk('asset_group_tags', columns, [columns.map((column): Value => row[column])]);
}

export async function updateTag(graph: Transaction, row: TagRow): Promise<void> {
  await graph.execute(
    `update asset_group_tags set name = $2, description = $3, position = $4, updated_at = $5, updated_by = $6
     where id = $1`,
    [row.id, row.name, row.description, row.position, row.updated_at, row.updated_by],
  );
}

/** Not a change that anybody made to those zones, so `updated_at` stays. */
export async function movePositions(graph: Transaction, from: number, to: number, by: 1 | -1): Promise<void> {
  await graph.execute(
    'update asset_group_tags set position = position + $3 where position >= $1 and position <= $2',
    [from, to, by],
  );
}

/** With its selectors. */
export async function deleteTag(graph: Transaction, id: number): Promise<void> {
  await graph.execute(
    'delete from asset_group_seeds where selector_id in (select id from asset_group_selectors where tag_id = $1)',
    [id],
  );
  await graph.execute('delete from asset_group_selectors where tag_id = $1', [id]);
  await graph.execute('delete from asset_group_tags where id = $1', [id]);
}
