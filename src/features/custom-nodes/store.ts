import { inList, type Reader, type Transaction } from '../../db/client.ts';
import { builtInKinds, type Icon } from '../../graph/kinds.ts';

export interface CustomNodeRow {
  readonly id: number;
  readonly kind_name: string;
  readonly icon_type: string;
  readonly icon_name: string;
  readonly icon_color: string;
  readonly built_in: number;
}

const columns = 'id, kind_name, icon_type, icon_name, icon_color, built_in';

/** gap 7.1: matched exactly, case included. */
export function findCustomNode(db: Reader, kindName: string): Promise<CustomNodeRow | undefined> {
  return db.one<CustomNodeRow>(`select ${columns} from custom_node_kinds where kind_name = $1`, [kindName]);
}

export function listCustomNodes(db: Reader): Promise<CustomNodeRow[]> {
  return db.query<CustomNodeRow>(`select ${columns} from custom_node_kinds order by id`);
}

/** Those of these names, at least one, that there are. */
export function listCustomNodesOf(db: Reader, kindNames: readonly string[]): Promise<CustomNodeRow[]> {
  const { sql, params } = inList(kindNames, 1);
  return db.query<CustomNodeRow>(
    `select ${columns} from custom_node_kinds where kind_name in (${sql}) order by id`,
    params,
  );
}

export function insertCustomNode(db: Transaction, kindName: string, icon: Icon, now: number): Promise<void> {
  return insertCustomNodes(db, new Map([[kindName, icon]]), now);
}

export async function insertCustomNodes(
  db: Transaction,
  kinds: ReadonlyMap<string, Icon>,
  now: number,
): Promise<void> {
  await db.bulk(
    'custom_node_kinds',
    insertColumns,
    [...kinds].map(([kind, icon]) => row(kind, icon, false, now)),
  );
}

export async function updateCustomNode(db: Transaction, id: number, icon: Icon, now: number): Promise<void> {
  await db.execute(
    `update custom_node_kinds set icon_type = $2, icon_name = $3, icon_color = $4, updated_at = $5 where id = $1`,
    [id, icon.type, icon.name, icon.color, now],
  );
}

export async function deleteCustomNode(db: Transaction, id: number): Promise<void> {
  await db.execute('delete from custom_node_kinds where id = $1', [id]);
}

/** The built-in kinds are there from the start, and look as this version of the program says. */
export async function seedBuiltInKinds(db: Transaction, now: number): Promise<void> {
  await db.bulk(
    'custom_node_kinds',
    insertColumns,
    [...builtInKinds].map(([kind, icon]) => row(kind, icon, true, now)),
    `on conflict (kind_name) do update set icon_type = excluded.icon_type, icon_name = excluded.icon_name,
       icon_color = excluded.icon_color, built_in = 1`,
  );
}

const insertColumns = [
  'kind_name',
  'icon_type',
  'icon_name',
  'icon_color',
  'built_in',
  'created_at',
  'updated_at',
];

function row(kind: string, icon: Icon, builtIn: boolean, now: number) {
  return [kind, icon.type, icon.name, icon.color, builtIn ? 1 : 0, now, now];
}
