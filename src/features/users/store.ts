import { randomUUID } from 'node:crypto';
import type { Reader, Transaction } from '../../db/client.ts';

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

const selectUsers = `
  select u.id, u.principal_name, u.first_name, u.last_name, u.email_address, u.role_id, u.sso_provider_id,
         s.id as saml_provider_id, u.is_disabled, u.eula_accepted, u.last_login, u.created_at, u.updated_at,
         a.id as secret_id, a.digest_method, a.expires_at as secret_expires_at, a.totp_activated,
         a.created_at as secret_created_at, a.updated_at as secret_updated_at
  from users u
  left join auth_secrets a on a.user_id = u.id
  left join saml_providers s on s.sso_provider_id = u.sso_provider_id`;

export function findUser(db: Reader, id: string): Promise<UserRow | undefined> {
  return db.one<UserRow>(`${selectUsers} where u.id = $1`, [id]);
}

export function findUserByName(db: Reader, principalName: string): Promise<UserRow | undefined> {
  return db.one<UserRow>(`${selectUsers} where u.principal_name = $1`, [principalName]);
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

export interface NewSecret {
  /** `undefined` locks the account: nobody knows the secret, only an administrator's reset replaces it. */
  readonly digest: string | undefined;
  readonly expiresAt: number;
}

/** Gives a user a secret, or replaces the one they have. */
export async function putSecret(
  db: Transaction,
  userId: string,
  secret: NewSecret,
  now: number,
): Promise<void> {
  await db.execute(
    `insert into auth_secrets (user_id, digest, digest_method, locked, expires_at, totp_activated, created_at, updated_at)
     values ($1, $2, 'argon2', $3, $4, 0, $5, $5)
     on conflict (user_id) do update set
       digest = excluded.digest, locked = excluded.locked, expires_at = excluded.expires_at, updated_at = excluded.updated_at`,
    [userId, secret.digest ?? '', secret.digest === undefined ? 1 : 0, secret.expiresAt, now],
  );
}

/** Enabled, off single sign-on, with API tokens allowed again: an ordinary local user. */
export async function makeLocalUser(db: Transaction, userId: string, now: number): Promise<void> {
  await db.execute(
    'update users set sso_provider_id = null, tokens_suspended = 0, is_disabled = 0, updated_at = $2 where id = $1',
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
  await db.execute(
    'update users set sso_provider_id = null, tokens_suspended = 1, updated_at = $2 where sso_provider_id = $1',
    [ssoProviderId, now],
  );
  return users.map((user) => ({ ...user, sso_provider_id: null, saml_provider_id: null, updated_at: now }));
}

/** gap 2.4: enabled administrators with a local secret that somebody knows. */
export async function countAbleAdministrators(db: Reader): Promise<number> {
  const row = await db.one<{ able: number }>(
    `select cast(count(*) as bigint) as able
     from users u join roles r on r.id = u.role_id join auth_secrets a on a.user_id = u.id
     where r.name = 'Administrator' and u.is_disabled = 0 and u.sso_provider_id is null and a.locked = 0`,
  );
  return row?.able ?? 0;
}
