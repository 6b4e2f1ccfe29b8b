import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError, type ErrorCode } from '../../errors.ts';
import { parseRfc3339 } from '../../values/time.ts';

const minute = 60_000;
/** gap 8.5 */
const maxSkewMs = 60 * minute;
const maxWestMinutes = 12 * 60;
const maxEastMinutes = 14 * 60;

/** What a signed request says of itself, before anything of it is believed. */
export interface SignedHeaders {
  readonly tokenId: string;
  /** The date and hour that were signed, in the caller's own zone: `2026-11-14T20`. */
  readonly signedHour: string;
  readonly at: number;
  /** In minutes east of UTC; not signed. */
  readonly zone: number;
  readonly signature: Buffer;
}

export function refusal(code: ErrorCode, reason: string, context = 'Authorization'): AppError {
  return new AppError(code, `unable to validate request signature for client: ${reason}`, { context });
}

export function readSignedHeaders(
  tokenId: string,
  date: string | undefined,
  signature: string | undefined,
): SignedHeaders {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(tokenId)) {
    throw new AppError('bad_request', 'Token ID is malformed.', { context: 'Authorization' });
  }
  if (date === undefined) throw refusal('bad_request', 'no request date header', 'RequestDate');
  const { at, zone } = readDate(date);
  if (signature === undefined) throw refusal('bad_request', 'no signature header', 'Signature');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(signature) || signature === '')
    throw refusal('bad_request', 'the signature is not base64', 'Signature');
  return {
    tokenId: tokenId.toLowerCase(),
    signedHour: date.slice(0, 13),
    at,
    zone,
    signature: Buffer.from(signature, 'base64'),
  };
}

/** Upper-case T and Z only: the characters of the date are part of what is signed. */
function readDate(text: string): { at: number; zone: number } {
  const at = /^[0-9TZ:.+-]+$/.test(text) ? parseRfc3339(text) : undefined;
  if (at === undefined) {
    throw refusal(
      'bad_request',
      'malformed request date: it must be RFC 3339, such as 2026-01-31T08:00:00Z',
      'RequestDate',
    );
  }
  const zone = /([+-])(\d{2}):(\d{2})$/.exec(text);
  const offset = zone === null ? 0 : Number(zone[2]) * 60 + Number(zone[3]);
  if (offset > (zone?.[1] === '-' ? maxWestMinutes : maxEastMinutes)) {
    throw refusal(
      'bad_request',
      'the offset of the request date must be from -12:00 to +14:00',
      'RequestDate',
    );
  }
  return { at, zone: zone?.[1] === '-' ? -offset : offset };
}

export function checkSkew(at: number, now: number): void {
  const ahead = at - now;
  if (Math.abs(ahead) <= maxSkewMs) return;
  const minutes = Math.ceil((Math.abs(ahead) - maxSkewMs) / minute);
  throw refusal(
    'unauthenticated',
    `signature too far ${ahead > 0 ? 'ahead' : 'behind'} by ${minutes} minutes: the clocks may differ by an hour at most`,
    'RequestDate',
  );
}

/** Computes what the signature of a request must be, as its body arrives. */
export class Signer {
  readonly #hmac: ReturnType<typeof createHmac>;

  /** `target` is the request target as it was sent, query included and still percent-encoded. */
  constructor(key: string, method: string, target: string, signedHour: string) {
    // The key is used as the text it is, although it looks like base64.
    const request = createHmac('sha256', key)
      .update(method + target)
      .digest();
    const hour = createHmac('sha256', request).update(signedHour).digest();
    this.#hmac = createHmac('sha256', hour);
  }

  update(chunk: Uint8Array): void {
    this.#hmac.update(chunk);
  }

  digest(): Buffer {
    return this.#hmac.digest();
  }
}

export function isSameSignature(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
