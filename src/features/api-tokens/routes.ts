import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { narrowed, readRows } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { Empty, Struct, UuidParameter } from '../../http/schemas.ts';
import type { Parameters } from '../app-config/index.ts';
import { ApiToken, NewApiToken, TokenRequest, tokenExample, toTokenView } from './schema.ts';
import { createUserToken, removeUserToken } from './service.ts';
import { type TokenRow, tokenList } from './store.ts';

export function registerApiTokens(register: Register, deps: Deps, parameters: Parameters): void {
  register({
    id: 'ListAuthTokens',
    method: 'GET',
    url: '/api/v2/tokens',
    tag: 'API tokens',
    summary: 'List API tokens: your own, or everybody’s for who may manage users',
    access: { permission: 'auth.CreateToken' },
    list: tokenList,
    answer: Struct({ data: Struct({ tokens: Type.Array(ApiToken) }) }),
    answerExample: { data: { tokens: [tokenExample] } },
    handle: async ({ db, caller, list }) => {
      const people = { ...list, where: `${list.where} and t.user_id is not null` };
      const seen = caller.permissions.has('auth.ManageUsers')
        ? people
        : narrowed(people, 't.user_id = $1', caller.id);
      return { data: { tokens: (await readRows<TokenRow>(db, tokenList, seen)).map(toTokenView) } };
    },
  });

  register({
    id: 'CreateAuthToken',
    method: 'POST',
    url: '/api/v2/tokens',
    tag: 'API tokens',
    summary: 'Make an API token to sign requests with; its key is shown only in this answer',
    access: { permission: 'auth.CreateToken' },
    body: TokenRequest,
    bodyExample: { token_name: 'nightly report' },
    answer: Struct({ data: NewApiToken }),
    answerExample: { data: { ...tokenExample, key: 'base64 of 40 random bytes' } },
    errors: {
      forbidden: 'this needs the permission auth.ManageUsers: you may not make tokens for other users',
      not_found: 'user c3f7d7b4-6a5e-4f7b-9f0a-0d8f3a0f9a11 does not exist',
    },
    secret: true,
    handle: async ({ db, caller, origin, body }) => {
      const { row, key } = await createUserToken(deps, parameters, db, caller, origin, {
        userId: body.user_id?.toLowerCase(),
        name: body.token_name,
        replayProtection: body.replay_protection ?? false,
      });
      return { data: { ...toTokenView(row), key } };
    },
  });

  register({
    id: 'DeleteAuthToken',
    method: 'DELETE',
    url: '/api/v2/tokens/{token_id}',
    tag: 'API tokens',
    summary: 'Delete an API token; it is refused from then on',
    access: { permission: 'auth.CreateToken' },
    path: Struct({ token_id: UuidParameter() }),
    answer: Empty,
    errors: { not_found: 'API token 5b0c8f0e-5f5e-4f6b-8a52-6f3b7f6c1d22 does not exist' },
    handle: ({ db, caller, origin, path }) => removeUserToken(deps, db, caller, origin, path.token_id),
  });
}
