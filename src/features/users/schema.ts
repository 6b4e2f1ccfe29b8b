import Type, { type Static } from 'typebox';
import {
  contractDeletedAt,
  inContract,
  NullInt32,
  NullString,
  nullInt32,
  nullString,
} from '../../http/contract-schemas.ts';
import {
  DateTime,
  dateTime,
  Nullable,
  NullableString,
  Struct,
  sqlTime,
  timestampMembers,
  timestamps,
  Uuid,
} from '../../http/schemas.ts';
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
    saml_provider_id: Nullable(Type.Integer()),
    sso_provider_id: Nullable(Type.Integer()),
    AuthSecret: Nullable(AuthSecret, { description: 'null for who has no password' }),
    roles: Type.Array(Role),
    first_name: NullableString,
    last_name: NullableString,
    email_address: NullableString,
    principal_name: Type.String(),
    last_login: DateTime,
    is_disabled: Type.Boolean(),
    eula_accepted: Type.Boolean(),
    all_environments: Type.Boolean({ description: 'Always true: a role counts in every environment' }),
    environment_targeted_access_control: Type.Array(Type.Never(), { description: 'Always empty' }),
  },
  { title: 'User' },
);

const ContractPermission = Struct(
  { ...Permission.properties, ...contractDeletedAt },
  { title: 'ContractPermission' },
);
const ContractRole = Struct(
  { ...Role.properties, ...contractDeletedAt, permissions: Type.Array(ContractPermission) },
  { title: 'ContractRole' },
);
const ContractSecret = Struct(
  { ...AuthSecret.properties, ...contractDeletedAt },
  { title: 'ContractSecret' },
);
const {
  all_environments: _all,
  environment_targeted_access_control: _some,
  ...contractMembers
} = User.properties;

/** As the contract shows a user: in the answer to the deletion of a provider. */
export const ContractUser = Struct(
  {
    ...contractMembers,
    ...contractDeletedAt,
    saml_provider_id: NullInt32,
    sso_provider_id: NullInt32,
    AuthSecret: ContractSecret,
    roles: Type.Array(ContractRole),
    first_name: NullString,
    last_name: NullString,
    email_address: NullString,
  },
  { title: 'ContractUser' },
);

export function toUserView(
  row: UserRow,
  roles: ReadonlyMap<number, Static<typeof Role>>,
): Static<typeof User> {
  const role = roles.get(row.role_id);
  return {
    id: row.id,
    ...timestamps(row),
    saml_provider_id: row.saml_provider_id,
    sso_provider_id: row.sso_provider_id,
    AuthSecret: toSecretView(row),
    roles: role === undefined ? [] : [role],
    first_name: row.first_name,
    last_name: row.last_name,
    email_address: row.email_address,
    principal_name: row.principal_name,
    last_login: dateTime(row.last_login),
    is_disabled: row.is_disabled !== 0,
    eula_accepted: row.eula_accepted !== 0,
    all_environments: true,
    environment_targeted_access_control: [],
  };
}

export function toContractUser({
  all_environments: _all,
  environment_targeted_access_control: _some,
  ...user
}: Static<typeof User>): Static<typeof ContractUser> {
  return {
    ...inContract(user),
    saml_provider_id: nullInt32(user.saml_provider_id),
    sso_provider_id: nullInt32(user.sso_provider_id),
    AuthSecret: inContract(user.AuthSecret ?? noSecret),
    roles: user.roles.map((role) => ({ ...inContract(role), permissions: role.permissions.map(inContract) })),
    first_name: nullString(user.first_name),
    last_name: nullString(user.last_name),
    email_address: nullString(user.email_address),
  };
}

/** gap 2.3: in the contract it is always an object. */
const noSecret: Static<typeof AuthSecret> = {
  id: 0,
  created_at: dateTime(null),
  updated_at: dateTime(null),
  deleted_at: sqlTime(null),
  digest_method: '',
  expires_at: dateTime(null),
  totp_activated: false,
};

function toSecretView(row: UserRow): Static<typeof AuthSecret> | null {
  if (row.secret_id === null) return null;
  return {
    id: row.secret_id,
    created_at: dateTime(row.secret_created_at),
    updated_at: dateTime(row.secret_updated_at),
    deleted_at: sqlTime(null),
    digest_method: row.digest_method ?? '',
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
