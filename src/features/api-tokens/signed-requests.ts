import type { FastifyRequest } from 'fastify';
import { Cache } from '../../changes.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { headerText } from '../../http/header-text.ts';
import type { BodyCheck } from '../../http/server.ts';
import { unseal } from '../../sealed.ts';
import type { Parameters } from '../app-config/index.ts';
import { Proofs } from './proofs.ts';
import { keyOwner } from './service.ts';
import { checkSkew, isSameSignature, readSignedHeaders, refusal, Signer } from './signature.ts';
import { createHourCheck } from './spent-hours.ts';
import { findForSigning, rememberSignature, type SigningRow, stampAccess } from './store.ts';

const cachedTokens = 10_000;
/** A token in constant use would otherwise cost a write for every request. */
const stampEveryMs = 60_000;
/** gap 8.5: longer than any date that is still accepted can be away, whatever its zone. */
const rememberMs = 30 * 3_600_000;

/** The owner of a token, once the request that it signs is in order. */
export interface SignedBy {
  readonly token: SigningRow;
  /** To be given the body before the owner is believed. */
  readonly body: BodyCheck;
  /** The same token has signed rightly from the same address of late. */
  readonly isProven: boolean;
}

/** Checks signed requests (gap 8.5, docs/signed-requests.md). */
export function createSignatureCheck(
  deps: Deps,
  parameters: Parameters,
): (request: FastifyRequest, tokenId: string, address: string) => Promise<SignedBy> {
  const tokens = new Cache(deps.changes, cachedTokens, async (id: string) => {
    const row = await findForSigning(deps.db, id);
    return row && { row, key: unseal(deps.keys, keyOwner(id), row.sealed_key) };
  });
  const checkHour = createHourCheck(deps);
  const stamped = new Map<string, number>();
  const proofs = new Proofs();

  const stamp = async (id: string) => {
    const now = deps.clock();
    if (now - (stamped.get(id) ?? Number.NEGATIVE_INFINITY) < stampEveryMs) return;
    if (stamped.size >= cachedTokens) stamped.clear();
    stamped.set(id, now);
    await deps.db.transaction((db) => stampAccess(db, id, now));
  };

  return async (request, tokenId, address) => {
    const headers = readSignedHeaders(
      tokenId,
      headerText(request, 'requestdate'),
      headerText(request, 'signature'),
    );
    const token = await tokens.get(headers.tokenId);
    if (token === undefined) throw refusal('unauthenticated', 'resource not found');
    const { row, key } = token;
    const now = deps.clock();
    await checkUsable(row, now, parameters);
    checkSkew(headers.at, now);
    const signer = new Signer(key, request.method, request.url, headers.signedHour);
    const finish = async () => {
      if (!isSameSignature(signer.digest(), headers.signature))
        throw refusal('unauthenticated', 'digest validation failed: signature digest mismatch', 'Signature');
      // The body may have taken long to arrive: the token must still be there, and usable.
      const current = await tokens.get(row.id);
      if (current === undefined) throw refusal('unauthenticated', 'resource not found');
      await checkUsable(current.row, deps.clock(), parameters);
      await checkHour(request, row, headers, now);
      if (row.replay_protection !== 0) await refuseReplay(deps, row.id, headers.signature);
      proofs.record(row.id, address, deps.clock());
      await stamp(row.id);
    };
    return {
      token: row,
      body: { update: (chunk) => signer.update(chunk), finish },
      isProven: proofs.isRecent(row.id, address, now),
    };
  };
}

async function checkUsable(row: SigningRow, now: number, parameters: Parameters): Promise<void> {
  if (row.client_id !== null) return;
  if (!(await parameters.get('auth.api_tokens')).enabled)
    throw new AppError('unauthenticated', 'use of API keys has been disabled', { context: 'Authorization' });
  if (row.expires_at !== null && row.expires_at <= now)
    throw refusal('unauthenticated', 'API key has expired');
  if (row.is_disabled !== 0) throw refusal('forbidden', 'user disabled');
  // gaps 2.3 and 8.1
  if (row.suspended !== 0) {
    throw refusal(
      'unauthenticated',
      'the token is suspended: the password of its user was reset or their provider deleted; make a new token, or let an administrator allow it again',
    );
  }
}

async function refuseReplay(deps: Deps, tokenId: string, signature: Buffer): Promise<void> {
  const now = deps.clock();
  const isNew = await deps.db.transaction((db) =>
    rememberSignature(db, tokenId, signature.toString('base64'), now, now + rememberMs),
  );
  if (!isNew) throw refusal('unauthenticated', 'this request was sent before', 'Signature');
}
