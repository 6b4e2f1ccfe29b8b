import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Empty, Struct, UuidParameter } from '../../http/schemas.ts';
import { tooManyCodes, tooManyFailures } from '../auth/index.ts';
import { userExample } from './examples.ts';
import { mustFind } from './manage.ts';
import { activate, enrol, readTotpState, removeOneTimePassword, totpStates } from './one-time-passwords.ts';
import { KeepTokens, SecretRequest } from './requests.ts';
import { changeSecret, mustManageUsers, removeSecret } from './secrets.ts';

const tag = 'Secrets';
const userPath = Struct({ user_id: UuidParameter() });
const notFound = `user ${userExample.id} does not exist`;
const url = '/api/v2/bloodhound-users/{user_id}';
const State = Struct({ data: Struct({ status: Type.Enum([...totpStates]) }) });
const Password = Type.String({ maxLength: 1024, description: 'Your password' });
const wrongPassword = 'secret is not your present password';
const noPassword = 'you do not sign in with a password';

export function registerSecrets(register: Register, deps: Deps): void {
  register({
    id: 'SetUserSecret',
    method: 'PUT',
    url: `${url}/secret`,
    tag,
    summary: 'Change your own password, or give another user a new one',
    description:
      'Your own needs `current_secret`; for another user the permission `auth.ManageUsers` is needed. The sessions of the user end, but for the one that makes the change. Another user’s API tokens are suspended unless `keep_tokens` is sent: they are refused until an administrator sets a password with `keep_tokens`; tokens made afterwards are not concerned.',
    rules: [
      'A password has 12 to 1024 characters, and among them a lower-case and an upper-case letter, a digit and a punctuation mark or symbol',
      'Who changes their own password sends `current_secret`, and another password than that',
    ],
    access: 'self',
    path: userPath,
    body: SecretRequest,
    bodyExample: { current_secret: 'correct horse Battery 9', secret: 'an even Better one 10' },
    answer: Empty,
    errors: {
      forbidden: 'current_secret is not your present password',
      not_found: notFound,
      conflict: 'user ada signs in through a provider: take them off it before you set a password',
      rate_limited: tooManyFailures,
    },
    handle: ({ db, caller, origin, path, body }) =>
      changeSecret(deps, db, caller, origin, path.user_id, body),
  });

  register({
    id: 'DeleteUserSecret',
    method: 'DELETE',
    url: `${url}/secret`,
    tag,
    summary: "Take a user's password away; they need a new one from an administrator",
    description:
      'Their sessions end, and their API tokens are suspended unless `keep_tokens` is sent. Your own can’t be deleted.',
    access: { permission: 'auth.ManageUsers' },
    path: userPath,
    query: Struct({ keep_tokens: Type.Optional(KeepTokens) }),
    answer: Empty,
    errors: {
      bad_request:
        'you cannot delete your own secret: change it with PUT, or let another administrator delete it',
      not_found: notFound,
      conflict: 'removing the secret of ada would leave no administrator able to sign in',
    },
    handle: ({ db, caller, origin, path, query }) =>
      removeSecret(deps, db, caller, origin, path.user_id, query.keep_tokens ?? false),
  });

  register({
    id: 'EnrolOneTimePassword',
    method: 'POST',
    url: `${url}/mfa`,
    tag,
    summary: 'Begin to use one-time passwords (TOTP): the seed for your authenticator app',
    access: { permission: 'auth.ManageSelf' },
    path: userPath,
    body: Struct({ secret: Password }),
    bodyExample: { secret: 'correct horse Battery 9' },
    answer: Struct({
      data: Struct({
        qr_code: Type.String({ description: 'A picture of the seed, as a data URL' }),
        totp_secret: Type.String({ description: 'The seed in base32, shown only now' }),
      }),
    }),
    answerExample: {
      data: { qr_code: 'data:image/svg+xml;base64,PHN2…', totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' },
    },
    errors: {
      forbidden: wrongPassword,
      not_found: notFound,
      conflict: 'a one-time password is active already: remove it first',
      rate_limited: tooManyFailures,
    },
    secret: true,
    handle: async ({ db, caller, origin, path, body }) => {
      const { seed, picture } = await enrol(deps, db, caller, origin, path.user_id, body.secret);
      return { data: { qr_code: picture, totp_secret: seed } };
    },
  });

  register({
    id: 'RemoveOneTimePassword',
    method: 'DELETE',
    url: `${url}/mfa`,
    tag,
    summary: 'Stop using one-time passwords; the sessions of the user end',
    description:
      'Your own needs your password as `secret`; for another user the permission `auth.ManageUsers` is needed.',
    access: { permission: 'auth.ManageSelf' },
    path: userPath,
    body: Struct({ secret: Type.Optional(Password) }),
    bodyOptional: true,
    bodyExample: { secret: 'correct horse Battery 9' },
    answer: State,
    answerExample: { data: { status: 'deactivated' } },
    errors: {
      forbidden: wrongPassword,
      not_found: notFound,
      rate_limited: tooManyFailures,
      conflict: noPassword,
    },
    handle: async ({ db, caller, origin, path, body }) => {
      await removeOneTimePassword(deps, db, caller, origin, path.user_id, body?.secret);
      return { data: { status: 'deactivated' as const } };
    },
  });

  register({
    id: 'GetOneTimePasswordState',
    method: 'GET',
    url: `${url}/mfa-activation`,
    tag,
    summary: 'Whether a user signs in with one-time passwords',
    access: { permission: 'auth.ManageSelf' },
    path: userPath,
    answer: State,
    answerExample: { data: { status: 'activated' } },
    errors: { not_found: notFound },
    handle: async ({ db, caller, path }) => {
      if (caller.id !== path.user_id) mustManageUsers(caller);
      await mustFind(db, path.user_id);
      return { data: { status: await readTotpState(db, path.user_id) } };
    },
  });

  register({
    id: 'ActivateOneTimePassword',
    method: 'POST',
    url: `${url}/mfa-activation`,
    tag,
    summary: 'Finish the enrolment with a code of your authenticator app',
    access: { permission: 'auth.ManageSelf' },
    path: userPath,
    body: Struct({ otp: Type.String({ maxLength: 20 }) }),
    bodyExample: { otp: '492039' },
    answer: State,
    answerExample: { data: { status: 'activated' } },
    errors: {
      bad_request: 'one time password is invalid',
      not_found: notFound,
      conflict: 'enrol first: there is no one-time password to activate',
      rate_limited: tooManyCodes,
    },
    handle: async ({ db, caller, origin, path, body }) => {
      await activate(deps, db, caller, origin, path.user_id, body.otp);
      return { data: { status: 'activated' as const } };
    },
  });
}
