import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keys } from './keys.ts';

const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a secret for the store (AES-256-GCM). `owner` names the row it belongs to: a value that was moved to
 * another row does not open there.
 */
export function seal(keys: Pick<Keys, 'sealing'>, owner: string, secret: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', keys.sealing, iv).setAAD(Buffer.from(owner));
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
}

/** The secret, with the present key or the one before; throws if neither opens it. */
export function unseal(keys: Pick<Keys, 'sealing' | 'previous'>, owner: string, sealed: string): string {
  try {
    return unsealWith(keys.sealing, owner, sealed);
  } catch (error) {
    if (keys.previous === undefined) throw error;
    return unsealWith(keys.previous.sealing, owner, sealed);
  }
}

/** gap 8.4: the same secret under the present key, if it was sealed under the one before. */
export function resealed(keys: Keys, owner: string, sealed: string): string | undefined {
  try {
    unsealWith(keys.sealing, owner, sealed);
    return undefined;
  } catch {
    return seal(keys, owner, unseal(keys, owner, sealed));
  }
}

function unsealWith(key: Uint8Array, owner: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString(
    'utf8',
  );
}
