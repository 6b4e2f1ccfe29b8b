import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { renderSVG } from 'uqr';
import type { Reader, Transaction } from '../../db/client.ts';
import type { Keys } from '../../keys.ts';
import { resealed, seal, unseal } from '../../sealed.ts';

/** RFC 6238 as every authenticator app speaks it: SHA-1, six digits, 30 seconds. */
const stepMs = 30_000;
const digits = 6;
const seedBytes = 20;
/** A code of the step before or after is taken too: clocks of telephones differ. */
const tolerance = 1;

/** Base32 without padding, the form in which a seed is typed. */
export function newSeed(): string {
  return base32(randomBytes(seedBytes));
}

/** What an authenticator app reads, as a picture for an `img` element. */
export function seedPicture(seed: string, account: string): string {
  const label = encodeURIComponent(`Kennel:${account}`);
  const svg = renderSVG(`otpauth://totp/${label}?secret=${seed}&issuer=Kennel`);
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

/** The time step that a code belongs to, if it is one of the codes of this moment. */
export function stepOfCode(seed: string, code: string, now: number): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const present = Math.floor(now / stepMs);
  let found: number | undefined;
  for (let step = present - tolerance; step <= present + tolerance; step += 1) {
    if (timingSafeEqual(Buffer.from(codeAt(seed, step)), Buffer.from(code))) found = step;
  }
  return found;
}

export function codeAt(seed: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(seed)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

export function sealSeed(keys: Keys, userId: string, seed: string): string {
  return seal(keys, seedOwner(userId), seed);
}

export function unsealSeed(keys: Keys, userId: string, sealed: string): string {
  return unseal(keys, seedOwner(userId), sealed);
}

function seedOwner(userId: string): string {
  return `one-time password of ${userId}`;
}

/** gap 8.1: a code works once. False if it, or a later one, was used already. */
export async function useStep(db: Transaction, userId: string, step: number): Promise<boolean> {
  const used = await db.execute(
    `update auth_secrets set totp_used_step = $2
     where user_id = $1 and (totp_used_step is null or totp_used_step < $2)`,
    [userId, step],
  );
  return used === 1;
}

/** gap 8.4: what was sealed with the secret before is sealed anew, so that the old one can go. */
export async function resealSeeds(db: Transaction, keys: Keys): Promise<void> {
  for (const { user_id, totp_seed } of await listSeeds(db)) {
    const anew = resealed(keys, seedOwner(user_id), totp_seed);
    if (anew !== undefined)
      await db.execute('update auth_secrets set totp_seed = $2 where user_id = $1', [user_id, anew]);
  }
}

function listSeeds(db: Reader): Promise<{ user_id: string; totp_seed: string }[]> {
  return db.query('select user_id, totp_seed from auth_secrets where totp_seed is not null order by user_id');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => alphabet.charAt(Number.parseInt(group.padEnd(5, '0'), 2)))
    .join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
