import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { seal, unseal } from '../../sealed.ts';
import { findForSigning, keyOwner, newKey, stampAccess } from '../api-tokens/index.ts';
import { recordAudit } from '../audit/index.ts';
import { beginAttempt, createSession, failAttempt, forgetAttempt, type Tokens } from '../auth/index.ts';
import { type Credentials, grantType, oauthError } from './credentials.ts';

export const tokenSeconds = 3600;

type Grant = (db: Db, origin: Origin, credentials: Credentials) => Promise<string>;

/** gap 8.2: gives a collector a token of one hour for the key of its token pair. */
export function createGrant(deps: Deps, tokens: Tokens): Grant {
  // An id that nobody has is looked into with as much work as one that somebody has.
  const decoy = randomUUID();
  const sealedDecoy = seal(deps.keys, keyOwner(decoy), newKey());

  return async (db, origin, { id, key }) => {
    const tried = { kind: 'collector', name: id, address: origin.address, userId: undefined } as const;
    const attempt = await beginAttempt(deps, db, tried);
    const found = await findForSigning(db, id.toLowerCase());
    const token = found?.client_id == null ? undefined : { ...found, client_id: found.client_id };
    const expected = unseal(deps.keys, keyOwner(token?.id ?? decoy), token?.sealed_key ?? sealedDecoy);
    const isRight = isSameText(key, expected) && token !== undefined;
    const client = token && { id: token.client_id, name: token.client_name ?? '' };
    const now = deps.clock();
    const expiresAt = now + tokenSeconds * 1000;
    const sessionId = await db.transaction(async (db) => {
      // Holds the token's row: if it is deleted before this it is seen here, and later that ends the session.
      if (!isRight || client === undefined || !(await stampAccess(db, token.id, now))) {
        await failAttempt(db, attempt, tried);
        await recordSignIn(db, origin, now, client, 'failure');
        return undefined;
      }
      await forgetAttempt(db, attempt);
      await recordSignIn(db, origin, now, client, 'success');
      return createSession(db, 'client', client.id, now, expiresAt);
    });
    if (sessionId === undefined || client === undefined)
      throw oauthError('invalid_client', 'authentication is invalid', 'client_id');
    return tokens.sign({ audience: 'client', subject: client.id, sessionId, expiresAt }, now);
  };
}

/** In a time that does not depend on where they differ. */
function isSameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** An id that belongs to no collector is not recorded: it may be a key in the wrong field. */
function recordSignIn(
  db: Transaction,
  origin: Origin,
  now: number,
  client: { id: string; name: string } | undefined,
  outcome: 'success' | 'failure',
): Promise<void> {
  const actor = client === undefined ? origin.actor : ({ kind: 'client', ...client } as const);
  return recordAudit(db, { ...origin, actor }, now, {
    action: 'SignIn',
    outcome,
    fields: { method: grantType, client_id: client?.id ?? null, client_name: client?.name ?? null },
  });
}
