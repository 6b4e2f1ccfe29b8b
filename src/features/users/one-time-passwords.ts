import type { Caller, Origin } from '../../caller.ts';
import type { Db, Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { recordAudit } from '../audit/index.ts';
import {
  checkOneTimePassword,
  endSessionsOfUser,
  invalidOneTimePassword,
  newSeed,
  sealSeed,
  seedPicture,
  useStep,
} from '../auth/index.ts';
import { mustLock } from './manage.ts';
import { findSecret, putOneTimePassword, type SecretRow } from './secret-store.ts';
import { confirmPassword, mustManageUsers } from './secrets.ts';

export const totpStates = ['activated', 'pending', 'deactivated'] as const;
export type TotpState = (typeof totpStates)[number];

/** `pending`: enrolled, but no code was given yet, so sign-in does not ask for one. */
export async function readTotpState(db: Reader, userId: string): Promise<TotpState> {
  const secret = await findSecret(db, userId);
  if (secret?.totp_seed == null) return 'deactivated';
  return secret.totp_activated === 1 ? 'activated' : 'pending';
}

/** Makes a new seed and shows it; it is in force once a code of it has been given. */
export async function enrol(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  id: string,
  password: string,
): Promise<{ seed: string; picture: string }> {
  mustBeOwn(caller, id);
  await confirmPassword(deps, db, caller, origin, 'secret', password);
  const seed = newSeed();
  await db.transaction(async (db) => {
    const user = await mustLock(db, id);
    refuseActivated(await findSecret(db, id));
    const now = deps.clock();
    await putOneTimePassword(db, id, { sealedSeed: sealSeed(deps.keys, id, seed), activated: false }, now);
    await recordAudit(db, origin, now, {
      action: 'EnrolOneTimePassword',
      fields: { user: { id, principal_name: user.principal_name } },
    });
  });
  return { seed, picture: seedPicture(seed, caller.name) };
}

export async function activate(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  id: string,
  code: string,
): Promise<void> {
  mustBeOwn(caller, id);
  const secret = await findSecret(db, id);
  refuseActivated(secret);
  const sealed = secret?.totp_seed;
  if (sealed == null)
    throw new AppError('conflict', 'enrol first: there is no one-time password to activate');
  const account = { id, name: caller.name, sealedSeed: sealed };
  const step = await checkOneTimePassword(deps, deps.db, origin, account, code);
  const now = deps.clock();
  if (step === undefined) throw invalidOneTimePassword();
  await db.transaction(async (db) => {
    const user = await mustLock(db, id);
    const current = await findSecret(db, id);
    refuseActivated(current);
    if (current?.totp_seed !== sealed || !(await useStep(db, id, step))) throw invalidOneTimePassword();
    await putOneTimePassword(db, id, { sealedSeed: sealed, activated: true }, now);
    await recordAudit(db, origin, now, {
      action: 'ActivateOneTimePassword',
      fields: { user: { id, principal_name: user.principal_name } },
    });
  });
}

/** A person removes their own with their password; an administrator that of somebody who lost theirs. */
export async function removeOneTimePassword(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  id: string,
  password: string | undefined,
): Promise<void> {
  if (caller.id === id) await confirmPassword(deps, db, caller, origin, 'secret', password);
  else mustManageUsers(caller);
  await db.transaction(async (db) => {
    const user = await mustLock(db, id);
    if ((await findSecret(db, id))?.totp_seed == null) {
      throw new AppError('not_found', `user ${user.principal_name} has no one-time password`, {
        context: 'user_id',
      });
    }
    const now = deps.clock();
    await putOneTimePassword(db, id, { sealedSeed: null, activated: false }, now);
    await endSessionsOfUser(db, id, now);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'RemoveOneTimePassword',
      fields: { user: { id, principal_name: user.principal_name } },
    });
  });
}

function mustBeOwn(caller: Caller, id: string): void {
  if (caller.id === id) return;
  throw new AppError('forbidden', 'a one-time password is set up by its owner alone', { context: 'user_id' });
}

function refuseActivated(secret: SecretRow | undefined): void {
  if (secret?.totp_activated === 1)
    throw new AppError('conflict', 'a one-time password is active already: remove it first');
}
