import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import type { Parameters } from '../app-config/index.ts';
import { recordAudit } from '../audit/index.ts';
import { tooManyFailures } from './attempts.ts';
import { LoginAnswer, LoginRequest } from './schema.ts';
import { endSession } from './sessions.ts';
import { signIn } from './sign-in.ts';
import type { Tokens } from './tokens.ts';

export function registerAuth(register: Register, deps: Deps, parameters: Parameters, tokens: Tokens): void {
  register({
    id: 'Login',
    method: 'POST',
    url: '/api/v2/login',
    tag: 'Auth',
    summary: 'Sign in with a name and a password',
    access: 'public',
    body: LoginRequest,
    bodyExample: { login_method: 'secret', username: 'admin', secret: 'correct horse Battery 9' },
    answer: LoginAnswer,
    answerExample: {
      data: {
        user_id: 'c3f7d7b4-6a5e-4f7b-9f0a-0d8f3a0f9a11',
        auth_expired: false,
        session_token: 'eyJhbGciOiJIUzI1NiJ9.…',
      },
    },
    errors: {
      unauthenticated: 'authentication is invalid',
      forbidden: 'user disabled',
      rate_limited: tooManyFailures,
    },
    secret: true,
    handle: async ({ db, origin, body }) => {
      if (body.login_method.toLowerCase() !== 'secret') {
        throw new AppError('bad_request', 'login_method must be secret', { context: 'login_method' });
      }
      const signedIn = await signIn(deps, parameters, tokens, db, origin, body);
      return {
        data: {
          user_id: signedIn.userId,
          auth_expired: signedIn.mustChangeSecret,
          session_token: signedIn.token,
        },
      };
    },
  });

  register({
    id: 'Logout',
    method: 'POST',
    url: '/api/v2/logout',
    tag: 'Auth',
    summary: 'End the session of the token that is sent',
    access: 'self',
    answer: Struct({ data: Struct({ ended: Type.Boolean() }) }),
    answerExample: { data: { ended: true } },
    errors: { conflict: 'a signed request has no session to end' },
    handle: async ({ db, caller: { sessionId }, origin }) => {
      if (sessionId === undefined) throw new AppError('conflict', 'a signed request has no session to end');
      await db.transaction(async (db) => {
        const now = deps.clock();
        await endSession(db, sessionId, now);
        await deps.changes.announce(db);
        await recordAudit(db, origin, now, { action: 'SignOut', fields: { session_id: sessionId } });
      });
      return { data: { ended: true } };
    },
  });
}
