import type { Caller, Origin } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { suspendTokens } from '../api-tokens/index.ts';
import { recordAudit } from '../audit/index.ts';
import {
  administrator,
  digestOf,
  endSessionsOfUser,
  failAttempt,
  forgetAttempt,
  passwordMatches,
  tryPassword,
} from '../auth/index.ts';
import { forgetInitialPassword } from './administrators.ts';
import { readRoleNames } from './details.ts';
import { mustLock } from './manage.ts';
import { refuseWeakPassword, secretLifetime } from './passwords.ts';
import { deleteSecret, findSecret, putSecret, removedSecret } from './secret-store.ts';
import { keepAnAdministrator, lockAdministrators } from './service.ts';
import { isFirstUser } from './store.ts';
import { keepOrSuspendTokens } from './token-suspension.ts';

export interface SecretChange {
  readonly secret: string;
  readonly current_secret?: string;
  readonly needs_password_reset?: boolean;
  readonly keep_tokens?: boolean;
}

/** A person changes their own password, or an administrator gives somebody else a new one. */
export async function changeSecret(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  id: string,
  change: SecretChange,
): Promise<void> {
  const isOwn = caller.id === id;
  if (!isOwn) mustManageUsers(caller);
  refuseWeakPassword('secret', change.secret);
  if (isOwn && change.secret === change.current_secret) {
    throw new AppError('bad_request', 'secret must be another password than the present one', {
      context: 'secret',
    });
  }
  const checked = isOwn
    ? await confirmPassword(deps, db, caller, origin, 'current_secret', change.current_secret)
    : undefined;
  const digest = await digestOf(change.secret, db.deadline);
  await db.transaction(async (db) => {
    // Held before anything is read: a sign-in under way sees the new secret or is ended.
    const user = await mustLock(db, id);
    if (user.sso_provider_id !== null) {
      throw new AppError(
        'conflict',
        `user ${user.principal_name} signs in through a provider: take them off it before you set a password`,
      );
    }
    const now = deps.clock();
    if (isOwn && (await findSecret(db, id))?.digest !== checked) {
      throw new AppError('conflict', 'the password was changed by somebody else at the same time');
    }
    const mustReset = change.needs_password_reset ?? false;
    const tokens = await keepOrSuspendTokens(db, id, change.keep_tokens ?? isOwn, { mayAllow: !isOwn });
    await putSecret(db, id, { digest, expiresAt: mustReset ? now : now + (await secretLifetime(db)) }, now);
    await endSessionsOfUser(db, id, now, isOwn ? caller.sessionId : undefined);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: isOwn ? 'ChangePassword' : 'ResetPassword',
      fields: {
        user: { id, principal_name: user.principal_name },
        needs_password_reset: mustReset,
        ...tokens,
      },
    });
    if (await isFirstUser(db, id)) db.afterCommit(() => forgetInitialPassword(deps.settings.dataDir));
  });
}

/** The user can't sign in with a password any more, until an administrator gives them a new one. */
export function removeSecret(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  id: string,
  keepTokens: boolean,
): Promise<void> {
  if (caller.id === id) {
    throw new AppError(
      'bad_request',
      'you cannot delete your own secret: change it with PUT, or let another administrator delete it',
      { context: 'user_id' },
    );
  }
  return db.transaction(async (db) => {
    await lockAdministrators(db);
    const user = await mustLock(db, id);
    const secret = await findSecret(db, id);
    if (secret === undefined) {
      throw new AppError('not_found', `user ${user.principal_name} has no secret`, { context: 'user_id' });
    }
    const now = deps.clock();
    await deleteSecret(db, id);
    await endSessionsOfUser(db, id, now);
    const tokens = keepTokens ? {} : { tokens_suspended: await suspendTokens(db, id) };
    if ((await readRoleNames(db)).get(user.role_id) === administrator)
      await keepAnAdministrator(db, `removing the secret of ${user.principal_name}`);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'DeleteSecret',
      fields: { user: { id, principal_name: user.principal_name }, ...removedSecret(secret), ...tokens },
    });
  });
}

/**
 * Makes sure that it is the caller who sits at the keyboard, and not somebody with their token. Failures count
 * as failed sign-ins (gap 8.1). Tells the digest that was checked.
 */
export async function confirmPassword(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  member: string,
  password: string | undefined,
): Promise<string> {
  const secret = await findSecret(db, caller.id);
  if (secret === undefined || secret.locked !== 0)
    throw new AppError('conflict', 'you do not sign in with a password');
  if (password === undefined) {
    throw new AppError('bad_request', `${member} is required: your present password`, { context: member });
  }
  const tried = {
    kind: 'person',
    name: caller.name,
    address: origin.address,
    userId: caller.id,
  } as const;
  const { attempt, matches } = await tryPassword(deps, db, tried, () =>
    passwordMatches(secret.digest, password),
  );
  // Not within the caller's own wait: a short one would hide the failure.
  await deps.db.transaction(async (db) => {
    if (matches) return forgetAttempt(db, attempt);
    await failAttempt(db, attempt, tried);
    return recordAudit(db, origin, deps.clock(), {
      action: 'ConfirmPassword',
      outcome: 'failure',
      fields: { user: { id: caller.id, principal_name: caller.name } },
    });
  });
  if (!matches)
    throw new AppError('forbidden', `${member} is not your present password`, {
      context: member,
      isRecorded: true,
    });
  return secret.digest;
}

export function mustManageUsers(caller: Caller): void {
  if (caller.kind === 'user' && caller.mustChangeSecret)
    throw new AppError('forbidden', 'your password has expired: change it before anything else');
  if (!caller.permissions.has('auth.ManageUsers'))
    throw new AppError('forbidden', 'this needs the permission auth.ManageUsers');
}
