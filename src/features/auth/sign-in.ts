import { createHmac, randomUUID } from 'node:crypto';
import type { Origin } from '../../caller.ts';
import type { Db, Reader, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Parameters } from '../app-config/index.ts';
import { recordAudit } from '../audit/index.ts';
import { passwordMatches } from './passwords.ts';
import { createSession, forgetOldSessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

const hour = 3_600_000;
/** gap 8.1 */
const windowMs = 60_000;
const maxPerName = 10;
const maxPerAddress = 100;

interface SignInUser {
  readonly id: string;
  readonly principal_name: string;
  readonly is_disabled: number;
  readonly sso_provider_id: number | null;
  readonly digest: string | null;
  readonly locked: number | null;
  readonly expires_at: number | null;
}

export interface SignedIn {
  readonly userId: string;
  readonly mustChangeSecret: boolean;
  readonly token: string;
}

/** Signs a person in with their password, or says no without saying why. */
export async function signIn(
  deps: Deps,
  parameters: Parameters,
  tokens: Tokens,
  db: Db,
  origin: Origin,
  credentials: { username: string; secret: string },
): Promise<SignedIn> {
  const username = credentials.username.trim();
  const attempt = await db.transaction((db) => beginAttempt(db, deps, username, origin.address));
  const user = await findForSignIn(db, username);
  const usable = user !== undefined && user.sso_provider_id === null && user.locked === 0 ? user : undefined;
  const matches = await passwordMatches(usable?.digest ?? undefined, credentials.secret).catch(
    async (error) => {
      // Too busy to check is not a failed attempt.
      await db.transaction((db) => forgetAttempt(db, attempt));
      throw error;
    },
  );
  if (usable === undefined || !matches) {
    await db.transaction((db) => recordSignIn(db, deps, origin, user, 'failure'));
    throw new AppError('unauthenticated', 'authentication is invalid');
  }
  if (usable.is_disabled !== 0) {
    await db.transaction((db) => recordSignIn(db, deps, origin, user, 'failure'));
    throw new AppError('forbidden', 'user disabled');
  }

  const now = deps.clock();
  const expiresAt = now + (await parameters.get('auth.session_ttl_hours')).hours * hour;
  const sessionId = await db.transaction(async (db) => {
    await forgetAttempt(db, attempt);
    await forgetOldSessions(db, now - 24 * hour);
    await db.execute('update users set last_login = $2 where id = $1', [usable.id, now]);
    await recordSignIn(db, deps, origin, usable, 'success');
    return createSession(db, 'user', usable.id, now, expiresAt);
  });
  return {
    userId: usable.id,
    mustChangeSecret: usable.expires_at !== null && usable.expires_at <= now,
    token: await tokens.sign({ audience: 'user', subject: usable.id, sessionId, expiresAt }, now),
  };
}

/** An attempt counts from its start, so that many at once can't slip through before the first has failed. */
async function beginAttempt(db: Transaction, deps: Deps, username: string, address: string): Promise<string> {
  const now = deps.clock();
  const nameHash = createHmac('sha256', deps.keys.lookups).update(username.toLowerCase()).digest('hex');
  await db.lock(`sign-in: ${address}`);
  await db.execute('delete from sign_in_attempts where at < $1', [now - windowMs]);
  const row = await db.one<{ all_count: number; name_count: number; oldest: number | null }>(
    `select cast(count(*) as bigint) as all_count, min(at) as oldest,
            cast(coalesce(sum(case when name_hash = $2 then 1 else 0 end), 0) as bigint) as name_count
     from sign_in_attempts where address = $1`,
    [address, nameHash],
  );
  if (row !== undefined && (row.all_count >= maxPerAddress || row.name_count >= maxPerName)) {
    throw new AppError('rate_limited', 'too many failed sign-ins: wait a minute and try again', {
      retryAfterSeconds: Math.max(1, Math.ceil(((row.oldest ?? now) + windowMs - now) / 1000)),
    });
  }
  const id = randomUUID();
  await db.execute('insert into sign_in_attempts (id, name_hash, address, at) values ($1, $2, $3, $4)', [
    id,
    nameHash,
    address,
    now,
  ]);
  return id;
}

async function forgetAttempt(db: Transaction, id: string): Promise<void> {
  await db.execute('delete from sign_in_attempts where id = $1', [id]);
}

/** By principal name exactly, or by e-mail address whatever its case. */
async function findForSignIn(db: Reader, username: string): Promise<SignInUser | undefined> {
  return db.one<SignInUser>(
    `select u.id, u.principal_name, u.is_disabled, u.sso_provider_id, a.digest, a.locked, a.expires_at
     from users u left join auth_secrets a on a.user_id = u.id
     where u.principal_name = $1 or u.email_key = $2
     order by case when u.principal_name = $1 then 0 else 1 end limit 1`,
    [username, username.toLowerCase()],
  );
}

/** A name that belongs to nobody is not recorded: it may be a password in the wrong field. */
async function recordSignIn(
  db: Transaction,
  deps: Deps,
  origin: Origin,
  user: SignInUser | undefined,
  outcome: 'success' | 'failure',
): Promise<void> {
  await recordAudit(db, origin, deps.clock(), {
    action: 'SignIn',
    outcome,
    fields: { method: 'secret', user_id: user?.id ?? null, username: user?.principal_name ?? null },
  });
}
