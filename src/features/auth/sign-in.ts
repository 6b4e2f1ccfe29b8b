import type { Origin } from '../../caller.ts';
import type { Db, Reader, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { placeOf } from '../../http/address.ts';
import type { Parameters } from '../app-config/index.ts';
import { recordAudit } from '../audit/index.ts';
import { failAttempt, forgetAttempt, type Tried, tryPassword } from './attempts.ts';
import { checkOneTimePassword } from './one-time-limit.ts';
import { passwordMatches } from './passwords.ts';
import { rememberPlace } from './places.ts';
import { createSession } from './sessions.ts';
import type { Tokens } from './tokens.ts';
import { useStep } from './totp.ts';

const hour = 3_600_000;

interface SignInUser {
  readonly id: string;
  readonly principal_name: string;
  readonly is_disabled: number;
  readonly sso_provider_id: number | null;
  readonly digest: string | null;
  readonly locked: number | null;
  readonly expires_at: number | null;
  readonly totp_activated: number | null;
  readonly totp_seed: string | null;
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
  credentials: { username: string; secret: string; otp?: string },
): Promise<SignedIn> {
  const username = credentials.username.trim();
  const user = await findForSignIn(db, username);
  const usable = user !== undefined && user.sso_provider_id === null && user.locked === 0 ? user : undefined;
  const tried: Tried = { kind: 'person', name: username, address: origin.address, userId: user?.id };
  const { attempt, matches } = await tryPassword(deps, db, tried, () =>
    passwordMatches(usable?.digest ?? undefined, credentials.secret),
  );
  const refuse = async (error: AppError, reason: Refusal): Promise<never> => {
    // Not within the caller's own wait: a short one would hide the failure.
    await deps.db.transaction(async (db) => {
      await failAttempt(db, attempt, tried);
      await recordSignIn(db, deps, origin, user, reason);
    });
    throw error;
  };
  if (usable === undefined || !matches) return refuse(invalidCredentials(), refusalOf(user));
  if (usable.is_disabled !== 0) return refuse(new AppError('forbidden', 'user disabled'), 'user disabled');

  const now = deps.clock();
  const hasTotp = usable.totp_activated === 1 && usable.totp_seed !== null;
  const step = hasTotp
    ? await stepOfSignIn(deps, origin, usable, credentials.otp).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'rate_limited')
          return refuse(error, 'one-time passwords are paused');
        throw error;
      })
    : undefined;
  if (hasTotp && step === undefined) return refuse(invalidOneTimePassword(), 'one-time password');
  const expiresAt = now + (await parameters.get('auth.session_ttl_hours')).hours * hour;
  const sessionId = await db
    .transaction(async (db) => {
      // Holds the user's row: a change of the secret before this is seen below, a later one ends the session.
      await db.execute('update users set last_login = $2 where id = $1', [usable.id, now]);
      if (!isSameSecret(await findForSignIn(db, username), usable)) throw invalidCredentials();
      if (step !== undefined && !(await useStep(db, usable.id, step))) throw invalidOneTimePassword();
      await forgetAttempt(db, attempt);
      await rememberPlace(db, usable.id, placeOf(origin.address), now);
      await recordSignIn(db, deps, origin, usable);
      return createSession(db, 'user', usable.id, now, expiresAt);
    })
    .catch(async (error: unknown) => {
      const isRefusal = error instanceof AppError && ['unauthenticated', 'bad_request'].includes(error.code);
      if (isRefusal) return refuse(error, 'changed meanwhile');
      await deps.db.transaction((db) => forgetAttempt(db, attempt));
      throw error;
    });
  return {
    userId: usable.id,
    mustChangeSecret: usable.expires_at !== null && usable.expires_at <= now,
    token: await tokens.sign({ audience: 'user', subject: usable.id, sessionId, expiresAt }, now),
  };
}

/** Told to those who read the audit log, never to who tries. */
type Refusal =
  | 'unknown user'
  | 'no usable password'
  | 'wrong password'
  | 'user disabled'
  | 'one-time password'
  | 'one-time passwords are paused'
  | 'changed meanwhile';

function refusalOf(user: SignInUser | undefined): Refusal {
  if (user === undefined) return 'unknown user';
  return user.sso_provider_id !== null || user.locked !== 0 ? 'no usable password' : 'wrong password';
}

function invalidCredentials(): AppError {
  return new AppError('unauthenticated', 'authentication is invalid');
}

export function invalidOneTimePassword(): AppError {
  return new AppError('bad_request', 'one time password is invalid', { context: 'otp' });
}

/** Whoever sends no code asks whether one is needed; that is no guess. */
async function stepOfSignIn(deps: Deps, origin: Origin, user: SignInUser, otp: string | undefined) {
  if (otp === undefined || user.totp_seed === null) return undefined;
  const account = { id: user.id, name: user.principal_name, sealedSeed: user.totp_seed };
  return checkOneTimePassword(deps, deps.db, origin, account, otp);
}

/** Whether the secret that was checked is still the one to sign in with: checking takes a while. */
function isSameSecret(current: SignInUser | undefined, checked: SignInUser): boolean {
  return (
    current?.id === checked.id &&
    current.digest === checked.digest &&
    current.totp_activated === checked.totp_activated &&
    current.totp_seed === checked.totp_seed &&
    current.sso_provider_id === null &&
    current.is_disabled === 0
  );
}

/** By principal name exactly, or by e-mail address whatever its case. */
async function findForSignIn(db: Reader, username: string): Promise<SignInUser | undefined> {
  return db.one<SignInUser>(
    `select u.id, u.principal_name, u.is_disabled, u.sso_provider_id, a.digest, a.locked, a.expires_at,
            a.totp_activated, a.totp_seed
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
  refusal?: Refusal,
): Promise<void> {
  const actor = user === undefined ? origin.actor : userActor(user);
  await recordAudit(db, { ...origin, actor }, deps.clock(), {
    action: 'SignIn',
    outcome: refusal === undefined ? 'success' : 'failure',
    fields: {
      method: 'secret',
      user_id: user?.id ?? null,
      username: user?.principal_name ?? null,
      ...(refusal === undefined ? {} : { reason: refusal }),
    },
  });
}

/** Whose account it was tried with, whoever it was that tried. */
function userActor(user: SignInUser): Origin['actor'] {
  return { kind: 'user', id: user.id, name: user.principal_name };
}
