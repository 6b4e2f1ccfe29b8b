import Type, { type Static } from 'typebox';
import {
  DateTime,
  dateTime,
  NullInt32,
  NullString,
  nullInt32,
  nullString,
  Struct,
  timestampMembers,
  timestamps,
  Uuid,
} from '../../http/schemas.ts';
import { zeroTime } from '../../values/time.ts';
import type { PermissionRow, RoleRow, UserRow } from './store.ts';

export const Permission = Struct(
  {
    id: Type.Integer(),
    ...timestampMembers,
    authority: Type.String(),
    name: Type.String(),
  },
  { title: 'Permission' },
);

export const Role = Struct(
  {
    id: Type.Integer(),
    ...timestampMembers,
    name: Type.String(),
    description: Type.String(),
    permissions: Type.Array(Permission),
  },
  { title: 'Role' },
);

/** The secret itself is not part of it. */
export const AuthSecret = Struct(
  {
    id: Type.Integer(),
    ...timestampMembers,
    digest_method: Type.String(),
    expires_at: DateTime,
    totp_activated: Type.Boolean(),
  },
  { title: 'AuthSecret' },
);

export const User = Struct(
  {
    id: Uuid,
    ...timestampMembers,
    saml_provider_id: NullInt32,
    sso_provider_id: NullInt32,
    AuthSecret,
    roles: Type.Array(Role),
    first_name: NullString,
    last_name: NullString,
    email_address: NullString,
    principal_name: Type.String(),
    last_login: DateTime,
    is_disabled: Type.Boolean(),
    eula_accepted: Type.Boolean(),
  },
  { title: 'User' },
);

export function toUserView(
  row: UserRow,
  roles: ReadonlyMap<number, Static<typeof Role>>,
): Static<typeof User> {
  const role = roles.get(row.role_id);
  return {
    id: row.id,
    ...timestamps(row),
    saml_provider_id: nullInt32(row.saml_provider_id),
    sso_provider_id: nullInt32(row.sso_provider_id),
    AuthSecret: toSecretView(row),
    roles: role === undefined ? [] : [role],
    first_name: nullString(row.first_name),
    last_name: nullString(row.last_name),
    email_address: nullString(row.email_address),
    principal_name: row.principal_name,
    last_login: dateTime(row.last_login),
    is_disabled: row.is_disabled !== 0,
    eula_accepted: row.eula_accepted !== 0,
  };
}

/** gap 2.3: always an object, also for a user who has no secret. */
function toSecretView(row: UserRow): Static<typeof AuthSecret> {
  const unset = row.secret_id === null;
  return {
    id: row.secret_id ?? 0,
    created_at: dateTime(row.secret_created_at),
    updated_at: dateTime(row.secret_updated_at),
    deleted_at: { time: zeroTime, valid: false },
    digest_method: unset ? '' : (row.digest_method ?? ''),
    expires_at: dateTime(row.secret_expires_at),
    totp_activated: row.totp_activated === 1,
  };
}

export function toRoleViews(
  roles: RoleRow[],
  permissions: PermissionRow[],
): Map<number, Static<typeof Role>> {
  return new Map(
    roles.map((role) => [
      role.id,
      {
        id: role.id,
        ...timestamps(role),
        name: role.name,
        description: role.description,
        permissions: permissions
          .filter((permission) => permission.role_id === role.id)
          .map((permission) => ({
            id: permission.id,
            ...timestamps(permission),
            authority: permission.authority,
            name: permission.name,
          })),
      },
    ]),
  );
}
