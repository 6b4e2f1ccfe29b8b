import { randomBytes, randomUUID } from 'node:crypto';
import type { Caller, Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Keys } from '../../keys.ts';
import { resealed, seal } from '../../sealed.ts';
import { day } from '../../values/time.ts';
import type { ParameterEffects, Parameters } from '../app-config/index.ts';
import { recordAudit } from '../audit/index.ts';
import {
  deleteToken,
  findToken,
  insertToken,
  limitExpiry,
  listSealedKeys,
  putSealedKey,
  type TokenRow,
} from './store.ts';

const keyBytes = 40;

/** Which row a sealed key belongs to. */
export function keyOwner(tokenId: string): string {
  return `api token ${tokenId}`;
}

export function newKey(): string {
  return randomBytes(keyBytes).toString('base64');
}

interface Wish {
  readonly userId: string | undefined;
  readonly name: string;
  readonly replayProtection: boolean;
}

/** Makes a token and tells its key, which nobody can see again. */
export async function createUserToken(
  deps: Deps,
  parameters: Parameters,
  db: Db,
  caller: Caller,
  origin: Origin,
  wish: Wish,
): Promise<{ row: TokenRow; key: string }> {
  const userId = wish.userId ?? caller.id;
  if (caller.kind !== 'user') throw new AppError('forbidden', 'API tokens belong to users');
  mustManage(caller, userId, 'make tokens for other users');
  if (!(await parameters.get('auth.api_tokens')).enabled)
    throw new AppError('forbidden', 'use of API keys has been disabled');
  const id = randomUUID();
  const key = newKey();
  return db.transaction(async (db) => {
    // An update that changes nothing holds the row: the user can't be deleted meanwhile.
    const user = await db.one<{ principal_name: string }>(
      'update users set updated_at = updated_at where id = $1 returning principal_name',
      [userId],
    );
    if (user === undefined)
      throw new AppError('not_found', `user ${userId} does not exist`, { context: 'user_id' });
    // Against a write of the rule at the same time, which would not see this token.
    await db.lock('parameter: auth.api_token_expiration');
    const expiration = await parameters.read(db, 'auth.api_token_expiration');
    const now = deps.clock();
    const expiresAt = expiration.enabled ? now + expiration.expiration_period * day : null;
    await insertToken(
      db,
      {
        id,
        owner: { userId },
        name: wish.name,
        sealedKey: seal(deps.keys, keyOwner(id), key),
        replayProtection: wish.replayProtection,
        expiresAt,
        createdBy: caller.id,
      },
      now,
    );
    await recordAudit(db, origin, now, {
      action: 'CreateAuthToken',
      fields: {
        token: { id, name: wish.name, replay_protection: wish.replayProtection, expires_at: expiresAt },
        user: { id: userId, principal_name: user.principal_name },
      },
    });
    const row = await findToken(db, id);
    if (row === undefined) throw new Error('the token is gone');
    return { row, key };
  });
}

export function removeUserToken(deps: Deps, db: Db, caller: Caller, origin: Origin, id: string) {
  return db.transaction(async (db) => {
    const row = await findToken(db, id);
    // A collector's token goes with its collector; somebody else's is not there for who may not see it.
    const isVisible =
      row?.user_id != null && (row.user_id === caller.id || caller.permissions.has('auth.ManageUsers'));
    if (!isVisible || !(await deleteToken(db, id)))
      throw new AppError('not_found', `API token ${id} does not exist`, { context: 'token_id' });
    await deps.changes.announce(db);
    await recordAudit(db, origin, deps.clock(), {
      action: 'DeleteAuthToken',
      fields: { token: { id, name: row.name }, user: { id: row.user_id } },
    });
  });
}

function mustManage(caller: Caller, userId: string, what: string): void {
  if (userId === caller.id || caller.permissions.has('auth.ManageUsers')) return;
  throw new AppError('forbidden', `this needs the permission auth.ManageUsers: you may not ${what}`, {
    context: 'user_id',
  });
}

/** A shorter life is in force at once, for the tokens that there are. */
export const tokenEffects: ParameterEffects = {
  'auth.api_token_expiration': async (db, { enabled, expiration_period }, now) => ({
    tokens_changed: await limitExpiry(db, enabled ? now + expiration_period * day : undefined, now),
  }),
};

/** gap 8.4: what was sealed with the secret before is sealed anew, so that the old one can go. */
export async function resealTokens(db: Transaction, keys: Keys): Promise<void> {
  for (const { id, sealed_key } of await listSealedKeys(db)) {
    const anew = resealed(keys, keyOwner(id), sealed_key);
    if (anew !== undefined) await putSealedKey(db, id, anew);
  }
}
