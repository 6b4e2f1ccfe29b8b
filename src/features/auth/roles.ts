import { type Permission, permissions } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';

interface Role {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly Permission[];
}

export const administrator = 'Administrator';

const reader: readonly Permission[] = [
  'app.ReadAppConfig',
  'risks.GenerateReport',
  'auth.CreateToken',
  'auth.ManageSelf',
  'auth.ReadUsersMinimal',
  'graphdb.Read',
  'saved_queries.Read',
  'opengraph.Read',
];

/** The six built-in roles. A user has exactly one. */
export const roles: readonly Role[] = [
  {
    id: 1,
    name: administrator,
    description: 'Can manage users, clients, and application configuration',
    // Accepting the licence is nobody's role: it is granted to a session on its own.
    permissions: permissions.filter((permission) => permission !== 'auth.AcceptEULA'),
  },
  {
    id: 2,
    name: 'User',
    description: 'Can read data, modify asset group memberships',
    permissions: [...reader, 'clients.Read', 'saved_queries.Write'],
  },
  { id: 3, name: 'Read-Only', description: 'Used for integrations', permissions: reader },
  {
    id: 4,
    name: 'Upload-Only',
    description: 'Used for data collection clients, can post data but cannot read data',
    permissions: ['clients.Tasking', 'graphdb.IngestManage', 'graphdb.IngestRead'],
  },
  {
    id: 5,
    name: 'Power User',
    description: 'Can upload data, manage clients, and perform any action a User can',
    permissions: [
      ...reader,
      'risks.ManageRisks',
      'clients.Manage',
      'clients.Read',
      'clients.Tasking',
      'collection.ManageJobs',
      'graphdb.IngestManage',
      'graphdb.IngestRead',
      'graphdb.Write',
      'graphdb.Mutate',
      'saved_queries.Write',
    ],
  },
  {
    id: 6,
    name: 'Auditor',
    description: 'Can read data and audit logs',
    permissions: [
      ...reader,
      'alerts.Read',
      'audit_log.Read',
      'auth.ReadProviders',
      'auth.ReadUsers',
      'clients.Read',
      'collection.ReadJobs',
      'graphdb.IngestRead',
    ],
  },
];

/** gap 8.2: what a collector may do, and nothing else. */
export const collectorPermissions: ReadonlySet<Permission> = new Set<Permission>([
  'clients.Tasking',
  'graphdb.IngestManage',
]);

/** Brings the stored roles and permissions to what this version of the program says they are. */
export async function seedRoles(db: Transaction, now: number): Promise<void> {
  const idOf = await seedPermissions(db, now);
  await db.bulk(
    'roles',
    ['id', 'name', 'description', 'created_at', 'updated_at'],
    roles.map((role) => [role.id, role.name, role.description, now, now]),
    'on conflict (id) do nothing',
  );
  await db.execute('delete from role_permissions');
  await db.bulk(
    'role_permissions',
    ['role_id', 'permission_id'],
    roles.flatMap((role) => role.permissions.map((permission) => [role.id, idOf.get(permission) ?? 0])),
  );
}

/** Known permissions keep their ids; new ones take the next. */
async function seedPermissions(db: Transaction, now: number): Promise<Map<string, number>> {
  const rows = await db.query<{ id: number; authority: string; name: string }>(
    'select id, authority, name from permissions',
  );
  const ids = new Map(rows.map((row) => [`${row.authority}.${row.name}`, row.id]));
  let last = Math.max(0, ...ids.values());
  const added = permissions.filter((permission) => !ids.has(permission));
  for (const permission of added) ids.set(permission, ++last);
  await db.bulk(
    'permissions',
    ['id', 'authority', 'name', 'created_at', 'updated_at'],
    added.map((permission) => [ids.get(permission) ?? 0, ...splitPermission(permission), now, now]),
  );
  return ids;
}

function splitPermission(permission: Permission): [string, string] {
  const dot = permission.indexOf('.');
  return [permission.slice(0, dot), permission.slice(dot + 1)];
}
