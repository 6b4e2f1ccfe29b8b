import type { FastifyRequest } from 'fastify';
import type { Caller, Permission } from '../../caller.ts';
import { Cache } from '../../changes.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Authenticated } from '../../http/server.ts';
import { createSignatureCheck, type SignedBy } from '../api-tokens/index.ts';
import type { Parameters } from '../app-config/index.ts';
import { collectorPermissions } from './roles.ts';
import { findSession, type SessionRow } from './sessions.ts';
import type { Tokens } from './tokens.ts';

const cachedSessions = 10_000;

type Authenticate = (request: FastifyRequest, address: string) => Promise<Authenticated>;

/** Tells who sent a request, from its token or its signature; throws `unauthenticated` for anyone it does not know. */
export function createAuthenticator(
  deps: Deps,
  parameters: Parameters,
  tokens: Tokens,
  collectorsMayUseTokens: () => Promise<boolean>,
): Authenticate {
  const sessions = new Cache(deps.changes, cachedSessions, (id: string) => findSession(deps.db, id));
  const roles = new Cache(deps.changes, 100, (id: number) => permissionsOfRole(deps, id));
  const signatures = createSignatureCheck(deps, parameters);

  const byToken = async (token: string): Promise<Caller> => {
    const claims = await tokens.verify(token);
    if (claims === undefined) throw invalidToken();
    const session = await sessions.get(claims.sessionId);
    const now = deps.clock();
    if (session === undefined || session.ended_at !== null || session.expires_at <= now) throw invalidToken();
    if (claims.audience === 'client') {
      if (!(await collectorsMayUseTokens())) throw invalidToken();
      return clientCaller(session, claims.subject);
    }
    return userCaller(session, claims.subject, now, await roles.get(session.role_id ?? 0));
  };

  return async (request, address) => {
    const { scheme, credentials } = readAuthorization(request.headers.authorization);
    if (scheme === 'bearer') {
      return {
        caller: await byToken(credentials),
        standing: 'known',
        recheck: async () => {
          await byToken(credentials);
        },
      };
    }
    const { token, body, isProven } = await signatures(request, credentials, address);
    const standing = isProven ? 'proven' : 'unproven';
    return { caller: signer(token, await roles.get(token.role_id ?? 0)), body, standing };
  };
}

/** The caller of a signed request: a person or a collector, without a session. */
function signer(token: SignedBy['token'], permissions: ReadonlySet<Permission> | undefined): Caller {
  if (token.client_id !== null) {
    return {
      kind: 'client',
      id: token.client_id,
      name: token.client_name ?? '',
      sessionId: undefined,
      permissions: collectorPermissions,
    };
  }
  return {
    kind: 'user',
    id: token.user_id ?? '',
    name: token.principal_name ?? '',
    sessionId: undefined,
    permissions: permissions ?? new Set(),
    ssoProviderId: token.sso_provider_id,
    // The password has no part in a signature.
    mustChangeSecret: false,
  };
}

function clientCaller(session: SessionRow, subject: string): Caller {
  if (session.client_id !== subject || session.client_name === null) throw invalidToken();
  return {
    kind: 'client',
    id: session.client_id,
    name: session.client_name,
    sessionId: session.id,
    permissions: collectorPermissions,
  };
}

function userCaller(
  session: SessionRow,
  subject: string,
  now: number,
  permissions: ReadonlySet<Permission> | undefined,
): Caller {
  const { user_id: id, principal_name: name, secret_expires_at: secretExpiresAt } = session;
  if (id !== subject || name === null || session.is_disabled !== 0 || permissions === undefined)
    throw invalidToken();
  // Nobody stays signed in without a way to sign in.
  if (session.sso_provider_id === null && secretExpiresAt === null) throw invalidToken();
  return {
    kind: 'user',
    id,
    name,
    sessionId: session.id,
    permissions,
    ssoProviderId: session.sso_provider_id,
    mustChangeSecret: session.sso_provider_id === null && secretExpiresAt !== null && secretExpiresAt <= now,
  };
}

async function permissionsOfRole(deps: Deps, roleId: number): Promise<ReadonlySet<Permission>> {
  const rows = await deps.db.query<{ name: Permission }>(
    `select p.authority || '.' || p.name as name
     from role_permissions rp join permissions p on p.id = rp.permission_id where rp.role_id = $1`,
    [roleId],
  );
  return new Set(rows.map((row) => row.name));
}

/** gap 8.6: the Authorization header is the only place where credentials are looked for. */
function readAuthorization(header: string | undefined): {
  scheme: 'bearer' | 'bhesignature';
  credentials: string;
} {
  if (header === undefined) {
    throw new AppError('unauthenticated', 'an Authorization header with a Bearer token is required', {
      context: 'Authorization',
    });
  }
  const [name, credentials, ...rest] = header.split(' ');
  const scheme = name?.toLowerCase();
  const isKnown = scheme === 'bearer' || scheme === 'bhesignature';
  if (!isKnown || credentials === undefined || credentials === '' || rest.length > 0) {
    throw new AppError(
      'unauthenticated',
      'the Authorization header must have the form: Bearer <token>, or bhesignature <token id>',
      { context: 'Authorization' },
    );
  }
  return { scheme, credentials };
}

function invalidToken(): AppError {
  return new AppError('unauthenticated', 'the token is not valid, has expired or was ended', {
    context: 'Authorization',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}
