import type { Reader, Transaction } from '../../db/client.ts';
import { builtInKinds, type Icon } from '../../graph/kinds.ts';

export interface CustomNodeRow {
  readonly id: number;
  readonly kind_name: string;
  readonly icon_type: string;
  readonly icon_name: string;
  readonly icon_color: string;
}

const columns = 'id, kind_name, icon_type, icon_name, icon_color';

/** gap 7.1: matched exactly, case included. */
export function findCustomNode(db: Reader, kindName: string): Promise<CustomNodeRow | undefined> {
  return db.one<CustomNodeRow>(`select ${columns} from custom_node_kinds where kind_name = $1`, [kindName]);
}

export function listCustomNodes(db: Reader): Promise<CustomNodeRow[]> {
  return db.query<CustomNodeRow>(`select ${columns} from custom_node_kinds order by id`);
}

export async function insertCustomNode(
  db: Transaction,
  kindName: string,
  icon: Icon,
  now: number,
): Promise<void> {
  await db.bulk('custom_node_kinds', insertColumns, [row(kindName, icon, false, now)]);
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
