import { errors, jwtVerify, SignJWT } from 'jose';
import type { Keys } from '../../keys.ts';

export type Audience = 'user' | 'client';

export interface Claims {
  readonly audience: Audience;
  readonly subject: string;
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A clock of another host may be a little ahead of ours. */
const toleratedSkewMs = 60_000;
const rememberedTokens = 10_000;
const maxTokenLength = 4096;

/** Signs and checks the JWTs of one installation. The algorithm is fixed here, whatever a token claims. */
export class Tokens {
  readonly #keys: Keys;
  readonly #issuer: string;
  readonly #clock: () => number;
  /** Verifying costs a thousand times a look-up; expiry and the session are still checked every time. */
  readonly #verified = new Map<string, Claims>();

  constructor(keys: Keys, instanceId: string, clock: () => number) {
    this.#keys = keys;
    this.#issuer = `kennel:${instanceId}`;
    this.#clock = clock;
  }

  sign(claims: Claims, issuedAt: number): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(this.#issuer)
      .setAudience(claims.audience)
      .setSubject(claims.subject)
      .setJti(claims.sessionId)
      .setIssuedAt(Math.floor(issuedAt / 1000))
      .setExpirationTime(Math.floor(claims.expiresAt / 1000))
      .sign(this.#keys.tokens);
  }

  /** The claims of a genuine token that has not expired. */
  async verify(token: string): Promise<Claims | undefined> {
    const known = this.#verified.get(token);
    if (known !== undefined) {
      if (known.expiresAt > this.#clock()) return known;
      this.#verified.delete(token);
      return undefined;
    }
    if (token.length > maxTokenLength) return undefined;
    const claims =
      (await this.#check(token, this.#keys.tokens)) ??
      (this.#keys.previous === undefined ? undefined : await this.#check(token, this.#keys.previous.tokens));
    if (claims !== undefined) this.#remember(token, claims);
    return claims;
  }

  async #check(token: string, key: Uint8Array): Promise<Claims | undefined> {
    const now = this.#clock();
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer: this.#issuer,
        audience: ['user', 'client'],
        requiredClaims: ['sub', 'jti', 'iat', 'exp'],
        currentDate: new Date(now),
      });
      const { aud, sub, jti, iat = 0, exp = 0 } = payload;
      if (aud !== 'user' && aud !== 'client') return undefined;
      if (typeof sub !== 'string' || typeof jti !== 'string' || iat * 1000 > now + toleratedSkewMs)
        return undefined;
      return { audience: aud, subject: sub, sessionId: jti, expiresAt: exp * 1000 };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  #remember(token: string, claims: Claims): void {
    if (this.#verified.size >= rememberedTokens) {
      const [oldest] = this.#verified.keys();
      if (oldest !== undefined) this.#verified.delete(oldest);
    }
    this.#verified.set(token, claims);
  }
}
