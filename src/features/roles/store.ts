import type { Reader } from '../../db/client.ts';
import { deletedAtColumn, type List } from '../../http/list.ts';

export interface PermissionRow {
  readonly id: number;
  readonly authority: string;
  readonly name: string;
  readonly created_at: number;
  readonly updated_at: number;
}

const permissionColumns = 'id, authority, name, created_at, updated_at';
const commonColumns: List['columns'] = {
  id: { type: 'integer', sql: 'id' },
  name: { type: 'text', sql: 'name' },
  created_at: { type: 'time', sql: 'created_at' },
  updated_at: { type: 'time', sql: 'updated_at' },
  deleted_at: deletedAtColumn,
};

export const roleList: List = {
  select: 'id',
  from: 'roles',
  key: 'id',
  growth: 'few rows',
  columns: { ...commonColumns, description: { type: 'text', sql: 'description' } },
};

export const permissionList: List = {
  select: permissionColumns,
  from: 'permissions',
  key: 'id',
  growth: 'few rows',
  columns: { ...commonColumns, authority: { type: 'text', sql: 'authority' } },
};

export function findPermission(db: Reader, id: number): Promise<PermissionRow | undefined> {
  return db.one<PermissionRow>(`select ${permissionColumns} from permissions where id = $1`, [id]);
}
