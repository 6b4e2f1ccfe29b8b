import { randomUUID } from 'node:crypto';
import type { Reader, Transaction } from '../../db/client.ts';
import { deletedAtColumn, type List } from '../../http/list.ts';
import { suspendTokensOfProvider } from '../api-tokens/index.ts';

export interface UserRow {
  readonly id: string;
  readonly principal_name: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email_address: string | null;
  readonly role_id: number;
  readonly sso_provider_id: number | null;
  readonly saml_provider_id: number | null;
  readonly is_disabled: number;
  readonly eula_accepted: number;
  readonly last_login: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly secret_id: number | null;
  readonly digest_method: string | null;
  readonly secret_expires_at: number | null;
  readonly totp_activated: number | null;
  readonly secret_created_at: number | null;
  readonly secret_updated_at: number | null;
}

export interface RoleRow {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface PermissionRow {
  readonly role_id: number;
  readonly id: number;
  readonly authority: string;
  readonly name: string;
  readonly created_at: number;
  readonly updated_at: number;
}

const userColumns = `u.id, u.principal_name, u.first_name, u.last_name, u.email_address, u.role_id, u.sso_provider_id,
         s.id as saml_provider_id, u.is_disabled, u.eula_accepted, u.last_login, u.created_at, u.updated_at,
         a.id as secret_id, a.digest_method, a.expires_at as secret_expires_at, a.totp_activated,
         a.created_at as secret_created_at, a.updated_at as secret_updated_at`;

const userTables = `users u
  left join auth_secrets a on a.user_id = u.id
  left join saml_providers s on s.sso_provider_id = u.sso_provider_id`;

const selectUsers = `select ${userColumns} from ${userTables}`;

export const userList: List = {
  select: userColumns,
  from: userTables,
  key: 'id',
  defaultSort: ['principal_name'],
  growth: 'few rows',
  columns: {
    id: { type: 'uuid', sql: 'u.id' },
    principal_name: { type: 'text', sql: 'u.principal_name' },
    first_name: { type: 'text', sql: 'u.first_name' },
    last_name: { type: 'text', sql: 'u.last_name' },
    email_address: { type: 'text', sql: 'u.email_address' },
    is_disabled: { type: 'boolean', sql: 'u.is_disabled' },
    sso_provider_id: { type: 'integer', sql: 'u.sso_provider_id' },
    last_login: { type: 'time', sql: 'u.last_login' },
    created_at: { type: 'time', sql: 'u.created_at' },
    updated_at: { type: 'time', sql: 'u.updated_at' },
    deleted_at: deletedAtColumn,
  },
};

/** What everybody may know of everybody else, and so filter by. */
export const minimalUserList: List = {
  select: 'u.id, u.first_name, u.last_name, u.email_address',
  from: '(select id, first_name, last_name, email_address from users where is_disabled = 0) u',
  key: 'id',
  defaultSort: ['last_name', 'first_name'],
  growth: 'few rows',
  columns: {
    id: { type: 'uuid', sql: 'u.id' },
    first_name: { type: 'text', sql: 'u.first_name' },
    last_name: { type: 'text', sql: 'u.last_name' },
    email: { type: 'text', sql: 'u.email_address' },
  },
};

export function findUser(db: Reader, id: string): Promise<UserRow | undefined> {
  return db.one<UserRow>(`${selectUsers} where u.id = $1`, [id]);
}

export function findUserByName(db: Reader, principalName: string): Promise<UserRow | undefined> {
  return db.one<UserRow>(`${selectUsers} where u.principal_name = $1`, [principalName]);
}

/** The user as they are now; nobody else can change them, and they can't sign in, until the transaction ends. */
export async function lockUser(db: Transaction, id: string): Promise<UserRow | undefined> {
  await db.execute('update users set updated_at = updated_at where id = $1', [id]);
  return findUser(db, id);
}

export function listUsersOfProvider(db: Reader, ssoProviderId: number): Promise<UserRow[]> {
  return db.query<UserRow>(`${selectUsers} where u.sso_provider_id = $1 order by u.principal_name`, [
    ssoProviderId,
  ]);
}

export function listRoles(db: Reader): Promise<RoleRow[]> {
  return db.query<RoleRow>('select id, name, description, created_at, updated_at from roles order by id');
}

export function listRolePermissions(db: Reader): Promise<PermissionRow[]> {
  return db.query<PermissionRow>(
    `select rp.role_id, p.id, p.authority, p.name, p.created_at, p.updated_at
     from role_permissions rp join permissions p on p.id = rp.permission_id order by rp.role_id, p.id`,
  );
}

export interface NewUser {
  /** Left out: a random one. */
  readonly id?: string;
  readonly principalName: string;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
  readonly emailAddress?: string | null;
  readonly roleId: number;
  readonly ssoProviderId?: number | null;
  readonly isDisabled?: boolean;
  readonly lastLogin?: number | null;
}

export async function insertUser(db: Transaction, user: NewUser, now: number): Promise<string> {
  const id = user.id ?? randomUUID();
  await db.execute(
    `insert into users (id, principal_name, first_name, last_name, email_address, email_key, role_id, sso_provider_id,
       is_disabled, eula_accepted, last_login, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11, $11)`,
    [
      id,
      user.principalName,
      user.firstName ?? null,
      user.lastName ?? null,
      user.emailAddress ?? null,
      user.emailAddress?.toLowerCase() ?? null,
      user.roleId,
      user.ssoProviderId ?? null,
      user.isDisabled === true ? 1 : 0,
      user.lastLogin ?? null,
      now,
    ],
  );
  return id;
}

/** What can be changed about a user; everything is given. */
export interface UserDetails {
  readonly principalName: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly emailAddress: string | null;
  readonly roleId: number;
  readonly ssoProviderId: number | null;
  readonly isDisabled: boolean;
}

export async function updateUser(db: Transaction, id: string, user: UserDetails, now: number): Promise<void> {
  await db.execute(
    `update users set principal_name = $2, first_name = $3, last_name = $4, email_address = $5, email_key = $6,
       role_id = $7, sso_provider_id = $8, is_disabled = $9, updated_at = $10
     where id = $1`,
    [
      id,
      user.principalName,
      user.firstName,
      user.lastName,
      user.emailAddress,
      user.emailAddress?.toLowerCase() ?? null,
      user.roleId,
      user.ssoProviderId,
      user.isDisabled ? 1 : 0,
      now,
    ],
  );
}

/** The one whose password the first start may have put into a file. */
export async function isFirstUser(db: Reader, id: string): Promise<boolean> {
  const first = await db.one<{ id: string }>('select id from users order by created_at, id limit 1');
  return first?.id === id;
}

export async function deleteUser(db: Transaction, id: string): Promise<void> {
  await db.execute('delete from sessions where user_id = $1', [id]);
  await db.execute('delete from auth_secrets where user_id = $1', [id]);
  await db.execute('delete from sign_in_places where user_id = $1', [id]);
  await db.execute('delete from one_time_password_failures where user_id = $1', [id]);
  await db.execute('delete from users where id = $1', [id]);
}

/** Enabled and off single sign-on: an ordinary local user. */
export async function makeLocalUser(db: Transaction, userId: string, now: number): Promise<void> {
  await db.execute(
    'update users set sso_provider_id = null, is_disabled = 0, updated_at = $2 where id = $1',
    [userId, now],
  );
}

/**
 * gap 2.3: takes a provider away from its users and tells who they are, as they are afterwards. Whoever had no
 * secret gets a locked one that has expired, so that an administrator's reset is all it takes; API tokens stay
 * refused until then.
 */
export async function detachFromProvider(
  db: Transaction,
  ssoProviderId: number,
  now: number,
): Promise<UserRow[]> {
  await db.execute(
    `insert into auth_secrets (user_id, digest, digest_method, locked, expires_at, totp_activated, created_at, updated_at)
     select u.id, '', 'argon2', 1, $2, 0, $2, $2 from users u
     where u.sso_provider_id = $1 and not exists (select 1 from auth_secrets a where a.user_id = u.id)`,
    [ssoProviderId, now],
  );
  const users = await listUsersOfProvider(db, ssoProviderId);
  await suspendTokensOfProvider(db, ssoProviderId);
  await db.execute('update users set sso_provider_id = null, updated_at = $2 where sso_provider_id = $1', [
    ssoProviderId,
    now,
  ]);
  return users.map((user) => ({ ...user, sso_provider_id: null, saml_provider_id: null, updated_at: now }));
}

/** gap 2.4: enabled administrators with a local secret that somebody knows; as if a provider had been deleted. */
export async function countAbleAdministrators(db: Reader, deletedProviderId = 0): Promise<number> {
  const row = await db.one<{ able: number }>(
    `select cast(count(*) as bigint) as able
     from users u join roles r on r.id = u.role_id join auth_secrets a on a.user_id = u.id
     where r.name = 'Administrator' and u.is_disabled = 0 and coalesce(u.sso_provider_id, $1) = $1 and a.locked = 0`,
    [deletedProviderId],
  );
  return row?.able ?? 0;
}
