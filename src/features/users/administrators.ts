import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { changesBetween, recordAudit } from '../audit/index.ts';
import {
  administrator,
  digestOf,
  endSessionsOfUser,
  passwordProblems,
  randomPassword,
  roles,
} from '../auth/index.ts';
import { secretLifetime } from './passwords.ts';
import { putOneTimePassword, putSecret } from './secret-store.ts';
import { lockAdministrators } from './service.ts';
import { findUserByName, insertUser, lockUser, makeLocalUser } from './store.ts';
import { keepOrSuspendTokens } from './token-suspension.ts';

export class PasswordError extends Error {
  constructor(problems: readonly string[]) {
    super(`the password must have ${problems.join(', ')}`);
  }
}

export const firstAdministratorName = 'admin';

/** gap 8.3: where the first administrator's password is kept until it is changed. */
export function initialPasswordFile(dataDir: string): string {
  return join(dataDir, 'initial-admin-password');
}

/** Once the password has been changed, the file is of no use. */
export function forgetInitialPassword(dataDir: string): void {
  rmSync(initialPasswordFile(dataDir), { force: true });
}

/** gap 8.3: an installation without any administrator gets one. Tells the password if it had to make one up. */
export async function ensureAdministrator(
  deps: Pick<Deps, 'db' | 'clock'>,
  givenPassword: string | undefined,
): Promise<{ created: boolean; password: string | undefined }> {
  if (await anyAdministrator(deps.db)) return { created: false, password: undefined };
  if (givenPassword !== undefined) {
    const problems = passwordProblems(givenPassword);
    if (problems.length > 0) throw new PasswordError(problems);
  }
  const password = givenPassword ?? randomPassword();
  const digest = await digestOf(password);
  const created = await deps.db.transaction(async (db) => {
    await lockAdministrators(db);
    if (await anyAdministrator(db)) return false; // another process was first
    const now = deps.clock();
    const id = await insertUser(
      db,
      { principalName: firstAdministratorName, roleId: administratorRoleId() },
      now,
    );
    await putSecret(db, id, { digest, expiresAt: now + (await secretLifetime(db)) }, now);
    await recordAudit(db, commandLine, now, {
      action: 'CreateUser',
      fields: { user: { id, principal_name: firstAdministratorName, role: administrator } },
    });
    return true;
  });
  return { created, password: created && givenPassword === undefined ? password : undefined };
}

/** gap 8.3: lets a locked-out person in again. Every session they had ends. */
export async function resetPassword(
  deps: Pick<Deps, 'db' | 'clock' | 'changes'>,
  principalName: string,
  password: string,
  options: { removeOneTimePassword?: boolean; keepTokens?: boolean } = {},
): Promise<boolean> {
  const problems = passwordProblems(password);
  if (problems.length > 0) throw new PasswordError(problems);
  const digest = await digestOf(password);
  return deps.db.transaction(async (db) => {
    const found = await findUserByName(db, principalName);
    const user = found && (await lockUser(db, found.id));
    if (user === undefined) return false;
    const now = deps.clock();
    const removes = options.removeOneTimePassword === true && user.totp_activated === 1;
    if (removes) await putOneTimePassword(db, user.id, { sealedSeed: null, activated: false }, now);
    await putSecret(db, user.id, { digest, expiresAt: now + (await secretLifetime(db)) }, now);
    await makeLocalUser(db, user.id, now);
    const tokens = await keepOrSuspendTokens(db, user.id, options.keepTokens === true, { mayAllow: true });
    await endSessionsOfUser(db, user.id, now);
    await deps.changes.announce(db);
    await recordAudit(db, commandLine, now, {
      action: 'ResetPassword',
      fields: {
        user: { id: user.id, principal_name: principalName },
        changes: changesBetween(
          { is_disabled: user.is_disabled !== 0, sso_provider_id: user.sso_provider_id },
          { is_disabled: false, sso_provider_id: null },
        ),
        one_time_password_removed: removes,
        ...tokens,
      },
    });
    return true;
  });
}

function administratorRoleId(): number {
  const role = roles.find(({ name }) => name === administrator);
  if (role === undefined) throw new Error('there is no administrator role');
  return role.id;
}

async function anyAdministrator(db: Pick<Db, 'one'>): Promise<boolean> {
  const row = await db.one(
    'select u.id from users u join roles r on r.id = u.role_id where r.name = $1 limit 1',
    [administrator],
  );
  return row !== undefined;
}
