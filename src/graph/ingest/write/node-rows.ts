import { inList, type Reader, type Transaction } from '../../../db/client.ts';
import { slices } from './staged.ts';

/** A node as it is stored, with what ingest remembers of it. */
export interface NodeRow {
  readonly id: number;
  readonly object_id: string;
  readonly kind_list_id: number;
  readonly kinds: string;
  readonly name: string;
  readonly properties: string;
  readonly last_seen: number;
  readonly last_collected: number | null;
  readonly scanned: number | null;
  readonly record_hash: string | null;
  readonly stated_at: number;
  readonly record_file: number;
  readonly claimed_by: number | null;
  /** See `made-up.ts`. */
  readonly made_up: string | null;
}

/** The name that lists and searches show. */
export function nameOf({ name }: Readonly<Record<string, unknown>>): string {
  return typeof name === 'string' ? name : '';
}

export type NewNodeRow = Omit<NodeRow, 'id' | 'kinds'>;

export async function loadNodes(graph: Reader, objectIds: readonly string[]): Promise<Map<string, NodeRow>> {
  const found = new Map<string, NodeRow>();
  for (const some of slices(objectIds)) {
    const list = inList(some, 1);
    const rows = await graph.query<NodeRow>(
      `select n.id, n.object_id, n.kind_list_id, l.kinds, n.name, n.properties, n.last_seen, n.last_collected,
              n.scanned, n.record_hash, n.stated_at, n.record_file, n.claimed_by,
              n.made_up
       from nodes n join kind_lists l on l.id = n.kind_list_id where n.object_id in (${list.sql})`,
      list.params,
    );
    for (const row of rows) found.set(row.object_id, row);
  }
  return found;
}

export async function loadIds(graph: Reader, objectIds: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const some of slices(objectIds)) {
    const list = inList(some, 1);
    const rows = await graph.query<{ id: number; object_id: string }>(
      `select id, object_id from nodes where object_id in (${list.sql})`,
      list.params,
    );
    for (const row of rows) found.set(row.object_id, row.id);
  }
  return found;
}

/** What is known of the records that the store was last written from. */
export interface KnownRecord {
  readonly id: number;
  readonly object_id: string;
  readonly record_hash: string | null;
  readonly stated_at: number;
  readonly record_file: number;
}

export async function loadRecords(
  graph: Reader,
  objectIds: readonly string[],
): Promise<Map<string, KnownRecord>> {
  const found = new Map<string, KnownRecord>();
  for (const some of slices(objectIds)) {
    const list = inList(some, 1);
    const rows = await graph.query<KnownRecord>(
      `select id, object_id, record_hash, stated_at, record_file from nodes where object_id in (${list.sql})`,
      list.params,
    );
    for (const row of rows) found.set(row.object_id, row);
  }
  return found;
}

const columns = [
  'object_id',
  'kind_list_id',
  'name',
  'properties',
  'last_seen',
  'last_collected',
  'scanned',
  'record_hash',
  'stated_at',
  'record_file',
  'claimed_by',
  'made_up',
] as const satisfies readonly (keyof NewNodeRow)[];
const overwrite = columns
  .slice(1)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');

export async function upsertNodes(graph: Transaction, rows: readonly NewNodeRow[]): Promise<void> {
  await graph.bulk(
    'nodes',
    columns,
    rows.map((row) => columns.map((column) => row[column])),
    `on conflict (object_id) do update set ${overwrite}`,
  );
}

/** For nodes of which nothing is new but that they were seen. */
export async function touchNodes(graph: Transaction, ids: readonly number[], seenAt: number): Promise<void> {
  for (const some of slices(ids)) {
    const list = inList(some, 2);
    await graph.execute(`update nodes set last_seen = $1 where id in (${list.sql}) and last_seen < $1`, [
      seenAt,
      ...list.params,
    ]);
  }
}

/** For nodes whose record is as it was; how many of them this file had not named before. */
export async function touchRecords(
  graph: Transaction,
  ids: readonly number[],
  { file, seenAt }: { readonly file: number; readonly seenAt: number },
): Promise<number> {
  let count = 0;
  for (const some of slices(ids)) {
    const list = inList(some, 4);
    count += await graph.execute(
      `update nodes set record_file = $1,
         last_seen = case when last_seen < $2 then $2 else last_seen end,
         last_collected = case when coalesce(last_collected, 0) < $2 then $2 else last_collected end
       where id in (${list.sql}) and record_file <> $1 and record_file <> $3`,
      [-file, seenAt, file, ...list.params],
    );
  }
  return count;
}
