import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { readRows } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { Empty, Struct, Uuid, UuidParameter } from '../../http/schemas.ts';
import { refuseEnvironmentLimits } from './environment-limits.ts';
import { userExample } from './examples.ts';
import { changeUser, createUser, removeUser } from './manage.ts';
import { CreateUserRequest, UpdateUserRequest } from './requests.ts';
import { toUserView, User } from './schema.ts';
import { readRoleViews } from './service.ts';
import { findUser, minimalUserList, type UserRow, userList } from './store.ts';

type MinimalUser = Pick<UserRow, 'id' | 'first_name' | 'last_name' | 'email_address'>;

const tag = 'Users';
const userPath = Struct({ user_id: UuidParameter() });
const notFound = `user ${userExample.id} does not exist`;

const NewUser = Struct(
  {
    ...User.properties,
    one_time_secret: Type.Optional(
      Type.String({ description: 'The password for the first sign-in, shown only now' }),
    ),
  },
  { title: 'NewUser' },
);

const UserMinimal = Struct(
  { id: Uuid, first_name: Type.String(), last_name: Type.String(), email: Type.String() },
  { title: 'UserMinimal' },
);

export function registerPeople(register: Register, deps: Deps): void {
  register({
    id: 'ListUsers',
    method: 'GET',
    url: '/api/v2/bloodhound-users',
    tag,
    summary: 'List users',
    access: { permission: 'auth.ReadUsers' },
    list: userList,
    answer: Struct({ data: Struct({ users: Type.Array(User) }) }),
    answerExample: { data: { users: [userExample] } },
    handle: ({ db, list }) =>
      db.snapshot(async (db) => {
        const rows = await readRows<UserRow>(db, userList, list);
        const roles = await readRoleViews(db);
        return { data: { users: rows.map((row) => toUserView(row, roles)) } };
      }),
  });

  register({
    id: 'CreateUser',
    method: 'POST',
    url: '/api/v2/bloodhound-users',
    tag,
    summary: 'Create a user',
    rules: [
      'Roles and providers that are named exist',
      'A password has 12 to 1024 characters, and among them a lower-case and an upper-case letter, a digit and a punctuation mark or symbol',
      'There is one way to sign in: `secret`, `needs_password_reset` or a provider, and no password beside a provider',
    ],
    access: { permission: 'auth.ManageUsers' },
    body: CreateUserRequest,
    bodyExample: {
      principal: 'ada',
      first_name: 'Ada',
      last_name: 'Byron',
      email_address: 'ada@example.org',
      roles: [3],
      needs_password_reset: true,
    },
    answer: Struct({ data: NewUser }),
    answerExample: { data: { ...userExample, one_time_secret: 'kX7-…' } },
    errors: { conflict: 'principal name must be unique: there is a user ada already' },
    secret: true,
    handle: async ({ db, origin, body }) => {
      refuseEnvironmentLimits(body);
      const { row, oneTimeSecret } = await createUser(deps, db, origin, body);
      const view = toUserView(row, await readRoleViews(db));
      return { data: oneTimeSecret === undefined ? view : { ...view, one_time_secret: oneTimeSecret } };
    },
  });

  register({
    id: 'GetUser',
    method: 'GET',
    url: '/api/v2/bloodhound-users/{user_id}',
    tag,
    summary: 'Get a user',
    access: { permission: 'auth.ReadUsers' },
    path: userPath,
    answer: Struct({ data: User }),
    answerExample: { data: userExample },
    errors: { not_found: notFound },
    handle: ({ db, path }) =>
      db.snapshot(async (db) => {
        const row = await findUser(db, path.user_id);
        if (row !== undefined) return { data: toUserView(row, await readRoleViews(db)) };
        throw new AppError('not_found', `user ${path.user_id} does not exist`, { context: 'user_id' });
      }),
  });

  register({
    id: 'UpdateUser',
    method: 'PATCH',
    url: '/api/v2/bloodhound-users/{user_id}',
    tag,
    summary: 'Change a user; what is left out stays as it is',
    rules: ['Roles and providers that are named exist', 'Nobody disables themselves'],
    access: { permission: 'auth.ManageUsers' },
    path: userPath,
    body: UpdateUserRequest,
    bodyExample: { roles: [6], is_disabled: false },
    answer: Struct({ data: User }),
    answerExample: { data: userExample },
    errors: {
      not_found: notFound,
      conflict: 'this change of user ada would leave no administrator able to sign in',
    },
    handle: async ({ db, caller, origin, path, body }) => {
      refuseEnvironmentLimits(body);
      const row = await changeUser(deps, db, caller, origin, path.user_id, body);
      return { data: toUserView(row, await readRoleViews(db)) };
    },
  });

  register({
    id: 'DeleteUser',
    method: 'DELETE',
    url: '/api/v2/bloodhound-users/{user_id}',
    tag,
    summary: 'Delete a user with their sessions and API tokens',
    access: { permission: 'auth.ManageUsers' },
    path: userPath,
    answer: Empty,
    errors: {
      not_found: notFound,
      conflict: 'deleting user ada would leave no administrator able to sign in',
    },
    handle: ({ db, caller, origin, path }) => removeUser(deps, db, caller, origin, path.user_id),
  });

  register({
    id: 'ListUsersMinimal',
    method: 'GET',
    url: '/api/v2/bloodhound-users-minimal',
    tag,
    summary: 'Names of the users who are not disabled, for choosing one',
    access: { permission: 'auth.ReadUsersMinimal' },
    list: minimalUserList,
    answer: Struct({ data: Struct({ users: Type.Array(UserMinimal) }) }),
    answerExample: {
      data: {
        users: [{ id: userExample.id, first_name: 'Ada', last_name: 'Byron', email: 'ada@example.org' }],
      },
    },
    handle: async ({ db, list }) => {
      const rows = await readRows<MinimalUser>(db, minimalUserList, list);
      return {
        data: {
          users: rows.map((row) => ({
            id: row.id,
            first_name: row.first_name ?? '',
            last_name: row.last_name ?? '',
            email: row.email_address ?? '',
          })),
        },
      };
    },
  });
}
