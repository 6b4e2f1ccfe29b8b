import Type, { type Static } from 'typebox';
import type { Reader } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { type ListRequest, readRows } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { Int32Parameter, Struct, timestamps } from '../../http/schemas.ts';
import { Permission, Role, readRoleViews } from '../users/index.ts';
import { findPermission, type PermissionRow, permissionList, roleList } from './store.ts';

const record = timestamps({ created_at: Date.UTC(2026, 0, 5, 8), updated_at: Date.UTC(2026, 0, 5, 8) });
const permissionExample = { id: 23, ...record, authority: 'graphdb', name: 'Read' };
const roleExample = {
  id: 3,
  ...record,
  name: 'Read-Only',
  description: 'Used for integrations',
  permissions: [permissionExample],
};
const common = {
  method: 'GET',
  tag: 'Roles',
  // Whoever may manage themselves may know what they may do.
  access: { permission: 'auth.ManageSelf' },
} as const;

export function registerRoles(register: Register): void {
  register({
    ...common,
    id: 'ListRoles',
    url: '/api/v2/roles',
    summary: 'List roles, with their permissions',
    list: roleList,
    answer: Struct({ data: Struct({ roles: Type.Array(Role) }) }),
    answerExample: { data: { roles: [roleExample] } },
    handle: ({ db, list }) =>
      db.snapshot(async (db) => ({ data: { roles: await readListedRoles(db, list) } })),
  });

  register({
    ...common,
    id: 'GetRole',
    url: '/api/v2/roles/{role_id}',
    summary: 'Get a role, with its permissions',
    path: Struct({ role_id: Int32Parameter() }),
    answer: Struct({ data: Role }),
    answerExample: { data: roleExample },
    errors: { not_found: 'there is no role 7' },
    handle: async ({ db, path }) => {
      const role = (await db.snapshot(readRoleViews)).get(path.role_id);
      if (role !== undefined) return { data: role };
      throw new AppError('not_found', `there is no role ${path.role_id}`, { context: 'role_id' });
    },
  });

  register({
    ...common,
    id: 'ListPermissions',
    url: '/api/v2/permissions',
    summary: 'List permissions',
    list: permissionList,
    answer: Struct({ data: Struct({ permissions: Type.Array(Permission) }) }),
    answerExample: { data: { permissions: [permissionExample] } },
    handle: async ({ db, list }) => {
      const rows = await readRows<PermissionRow>(db, permissionList, list);
      return { data: { permissions: rows.map(toPermissionView) } };
    },
  });

  register({
    ...common,
    id: 'GetPermission',
    url: '/api/v2/permissions/{permission_id}',
    summary: 'Get a permission',
    path: Struct({ permission_id: Int32Parameter() }),
    answer: Struct({ data: Permission }),
    answerExample: { data: permissionExample },
    errors: { not_found: 'there is no permission 99' },
    handle: async ({ db, path }) => {
      const row = await findPermission(db, path.permission_id);
      if (row !== undefined) return { data: toPermissionView(row) };
      throw new AppError('not_found', `there is no permission ${path.permission_id}`, {
        context: 'permission_id',
      });
    },
  });
}

async function readListedRoles(db: Reader, list: ListRequest): Promise<Static<typeof Role>[]> {
  const rows = await readRows<{ id: number }>(db, roleList, list);
  const views = await readRoleViews(db);
  return rows.flatMap(({ id }) => views.get(id) ?? []);
}

function toPermissionView(row: PermissionRow): Static<typeof Permission> {
  return { id: row.id, ...timestamps(row), authority: row.authority, name: row.name };
}
