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
  const refuse = async (error: AppError): Promise<never> => {
    await db.transaction((db) => recordSignIn(db, deps, origin, user, 'failure'));
    throw error;
  };
  if (usable === undefined || !matches) return refuse(invalidCredentials());
  if (usable.is_disabled !== 0) return refuse(new AppError('forbidden', 'user disabled'));

  const now = deps.clock();
  const expiresAt = now + (await parameters.get('auth.session_ttl_hours')).hours * hour;
  const sessionId = await db.transaction(async (db) => {
    // Holds the user's row: a change of the secret before this is seen below, a later one ends the session.
    await db.execute('update users set last_login = $2 where id = $1', [usable.id, now]);
    if (!isSameSecret(await findForSignIn(db, username), usable)) return undefined;
    await forgetAttempt(db, attempt);
    await forgetOldSessions(db, now - 24 * hour);
    await recordSignIn(db, deps, origin, usable, 'success');
    return createSession(db, 'user', usable.id, now, expiresAt);
  });
  if (sessionId === undefined) return refuse(invalidCredentials());
  return {
    userId: usable.id,
    mustChangeSecret: usable.expires_at !== null && usable.expires_at <= now,
    token: await tokens.sign({ audience: 'user', subject: usable.id, sessionId, expiresAt }, now),
  };
}

function invalidCredentials(): AppError {
  return new AppError('unauthenticated', 'authentication is invalid');
}

/** Whether the secret that was checked is still the one to sign in with: checking takes a while. */
function isSameSecret(current: SignInUser | undefined, checked: SignInUser): boolean {
  return current?.id === checked.id && current.digest === checked.digest && current.sso_provider_id === null;
}

/** An attempt counts from its start, so that many at once can't slip through before the first has failed. */
async function beginAttempt(db: Transaction, deps: Deps, username: string, address: string): Promise<string> {
  const now = deps.clock();
  const nameHash = createHmac('sha256', deps.keys.lookups).update(username.toLowerCase()).digest('hex');
  await db.lock(`sign-in: ${address}`);
  await db.execute('delete from sign_in_attempts where at <= $1', [now - windowMs]);
  const recent = await db.one<RecentAttempts>(
    `select cast(count(*) as bigint) as all_count, min(at) as all_oldest,
            cast(coalesce(sum(case when name_hash = $2 then 1 else 0 end), 0) as bigint) as name_count,
            min(case when name_hash = $2 then at end) as name_oldest
     from sign_in_attempts where address = $1`,
    [address, nameHash],
  );
  const freeAt = recent === undefined ? now : timeOfFreePlace(recent);
  if (freeAt > now) {
    throw new AppError('rate_limited', 'too many failed sign-ins: wait a minute and try again', {
      retryAfterSeconds: Math.ceil((freeAt - now) / 1000),
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

interface RecentAttempts {
  readonly all_count: number;
  readonly all_oldest: number | null;
  readonly name_count: number;
  readonly name_oldest: number | null;
}

/** When the oldest attempt that counts against a full limit is forgotten; 0 while neither is full. */
function timeOfFreePlace({ all_count, all_oldest, name_count, name_oldest }: RecentAttempts): number {
  return Math.max(
    all_count >= maxPerAddress ? (all_oldest ?? 0) + windowMs : 0,
    name_count >= maxPerName ? (name_oldest ?? 0) + windowMs : 0,
  );
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
