import type { Caller, Origin } from '../../caller.ts';
import { type Db, type Reader, type Transaction, UniqueViolation } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { allowTokens, deleteTokensOf } from '../api-tokens/index.ts';
import { changesBetween, recordAudit } from '../audit/index.ts';
import { administrator, digestOf, endSessionsOfUser, randomPassword } from '../auth/index.ts';
import { forgetInitialPassword } from './administrators.ts';
import { applyWishes, detailsOf, readRoleNames, recordedDetails } from './details.ts';
import { passwordProblemsOf, secretLifetime } from './passwords.ts';
import type { CreateUser, UpdateUser } from './requests.ts';
import { deleteSecret, expireSecret, findSecret, putSecret, removedSecret } from './secret-store.ts';
import { keepAnAdministrator, lockAdministrators } from './service.ts';
import {
  deleteUser,
  findUser,
  insertUser,
  isFirstUser,
  lockUser,
  type UserDetails,
  type UserRow,
  updateUser,
} from './store.ts';

const nobody: UserDetails = {
  principalName: '',
  firstName: null,
  lastName: null,
  emailAddress: null,
  roleId: 0,
  ssoProviderId: null,
  isDisabled: false,
};

export interface CreatedUser {
  readonly row: UserRow;
  /** A password that was made up for the first sign-in; nobody can see it again. */
  readonly oneTimeSecret: string | undefined;
}

export async function createUser(
  deps: Deps,
  db: Db,
  origin: Origin,
  request: CreateUser,
): Promise<CreatedUser> {
  const { secret, needs_password_reset: mustReset = false, ...wishes } = request;
  const isLocal = wishes.sso_provider_id == null && !wishes.saml_provider_id;
  if (isLocal && secret === undefined && !mustReset) {
    throw new AppError(
      'bad_request',
      'give the user a way to sign in: secret, needs_password_reset, or sso_provider_id',
      { context: 'secret' },
    );
  }
  if (!isLocal && (secret !== undefined || mustReset)) {
    throw new AppError('bad_request', 'who signs in through a provider has no password: leave it out', {
      context: secret === undefined ? 'needs_password_reset' : 'secret',
    });
  }
  const weak = secret === undefined ? [] : passwordProblemsOf('secret', secret);
  if (weak.length > 0)
    await db.snapshot(async (db) => applyWishes(db, nobody, wishes, await readRoleNames(db), weak));
  const oneTimeSecret = isLocal && secret === undefined ? randomPassword() : undefined;
  const password = secret ?? oneTimeSecret;
  const digest = password === undefined ? undefined : await digestOf(password, db.deadline);
  const row = await db.transaction(async (db) => {
    // The provider must not be deleted meanwhile: its deletion takes this lock too.
    if (!isLocal) await lockAdministrators(db);
    const now = deps.clock();
    const roleNames = await readRoleNames(db);
    const details = await applyWishes(db, nobody, wishes, roleNames);
    await refuseTaken(db, '', details);
    const id = await insertUser(db, details, now).catch(explainTaken);
    if (digest !== undefined)
      await putSecret(db, id, { digest, expiresAt: mustReset ? now : now + (await secretLifetime(db)) }, now);
    await recordAudit(db, origin, now, {
      action: 'CreateUser',
      fields: { user: { id, ...recordedDetails(details, roleNames), needs_password_reset: mustReset } },
    });
    return mustFind(db, id);
  });
  return { row, oneTimeSecret };
}

export function changeUser(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  id: string,
  { needs_password_reset, ...wishes }: UpdateUser,
): Promise<UserRow> {
  return db.transaction(async (db) => {
    await lockAdministrators(db);
    const before = await mustLock(db, id);
    const roleNames = await readRoleNames(db);
    const details = await applyWishes(db, detailsOf(before), wishes, roleNames);
    if (details.isDisabled && caller.id === id)
      throw new AppError('bad_request', 'you cannot disable yourself', { context: 'is_disabled' });
    const changes = changesBetween(
      recordedDetails(detailsOf(before), roleNames),
      recordedDetails(details, roleNames),
    );
    const mustReset = needs_password_reset === true && before.secret_id !== null;
    if (Object.keys(changes).length === 0 && !mustReset) return before;
    await refuseTaken(db, id, details);
    const now = deps.clock();
    await updateUser(db, id, details, now).catch(explainTaken);
    const moves = details.ssoProviderId !== before.sso_provider_id;
    const secret = moves ? await changeProvider(db, id, details, now) : {};
    if (mustReset && details.ssoProviderId === null) await expireSecret(db, id, now);
    if (moves || (details.isDisabled && before.is_disabled === 0)) await endSessionsOfUser(db, id, now);
    if (roleNames.get(before.role_id) === administrator)
      await keepAnAdministrator(db, `this change of user ${before.principal_name}`);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'UpdateUser',
      fields: {
        user: { id, principal_name: before.principal_name },
        changes,
        ...secret,
        ...(mustReset ? { needs_password_reset: true } : {}),
      },
    });
    return mustFind(db, id);
  });
}

/**
 * Who moves to a provider loses the password, with its one-time password; who leaves one without another way in
 * gets a locked one. Tells what goes, for the record.
 */
async function changeProvider(
  db: Transaction,
  id: string,
  details: UserDetails,
  now: number,
): Promise<Record<string, boolean>> {
  const secret = await findSecret(db, id);
  if (details.ssoProviderId === null) {
    if (secret === undefined) await putSecret(db, id, { digest: undefined, expiresAt: now }, now);
    return {};
  }
  await deleteSecret(db, id);
  await allowTokens(db, id);
  return secret === undefined ? {} : removedSecret(secret);
}

export function removeUser(deps: Deps, db: Db, caller: Caller, origin: Origin, id: string): Promise<void> {
  return db.transaction(async (db) => {
    await lockAdministrators(db);
    const user = await mustLock(db, id);
    if (caller.id === id)
      throw new AppError('bad_request', 'you cannot delete yourself', { context: 'user_id' });
    const now = deps.clock();
    const roleNames = await readRoleNames(db);
    const isFirst = await isFirstUser(db, id);
    await deleteTokensOf(db, { userId: id });
    await deleteUser(db, id);
    if (roleNames.get(user.role_id) === administrator)
      await keepAnAdministrator(db, `deleting user ${user.principal_name}`);
    await deps.changes.announce(db);
    if (isFirst) db.afterCommit(() => forgetInitialPassword(deps.settings.dataDir));
    await recordAudit(db, origin, now, {
      action: 'DeleteUser',
      fields: { user: { id, ...recordedDetails(detailsOf(user), roleNames) } },
    });
  });
}

export async function mustFind(db: Reader, id: string): Promise<UserRow> {
  const user = await findUser(db, id);
  if (user !== undefined) return user;
  throw new AppError('not_found', `user ${id} does not exist`, { context: 'user_id' });
}

/** For a change of who somebody is or how they sign in. */
export async function mustLock(db: Transaction, id: string): Promise<UserRow> {
  await lockUser(db, id);
  return mustFind(db, id);
}

/** Names which member is taken; the unique index has the last word. */
async function refuseTaken(db: Transaction, id: string, details: UserDetails): Promise<void> {
  const { principalName, emailAddress } = details;
  if (await db.one('select id from users where principal_name = $1 and id <> $2', [principalName, id]))
    throw taken('principal', `principal name must be unique: there is a user ${principalName} already`);
  if (emailAddress === null) return;
  const key = emailAddress.toLowerCase();
  if (await db.one('select id from users where email_key = $1 and id <> $2', [key, id]))
    throw taken('email_address', 'email address must be unique: another user has this one');
}

function taken(context: string, message: string): AppError {
  return new AppError('conflict', message, { context });
}

function explainTaken(error: unknown): never {
  if (error instanceof UniqueViolation)
    throw taken('principal', 'principal name and email address must be unique');
  throw error;
}
