import type { Reader, Transaction } from '../../db/client.ts';

export interface SecretRow {
  readonly digest: string;
  readonly locked: number;
  readonly expires_at: number;
  readonly totp_activated: number;
  /** Sealed. */
  readonly totp_seed: string | null;
}

export function findSecret(db: Reader, userId: string): Promise<SecretRow | undefined> {
  return db.one<SecretRow>(
    'select digest, locked, expires_at, totp_activated, totp_seed from auth_secrets where user_id = $1',
    [userId],
  );
}

export interface NewSecret {
  /** `undefined` locks the account: nobody knows the secret, only an administrator's reset replaces it. */
  readonly digest: string | undefined;
  readonly expiresAt: number;
}

/** Gives a user a secret, or replaces the one they have; a one-time password stays. */
export async function putSecret(
  db: Transaction,
  userId: string,
  secret: NewSecret,
  now: number,
): Promise<void> {
  await db.execute(
    `insert into auth_secrets (user_id, digest, digest_method, locked, expires_at, totp_activated, created_at, updated_at)
     values ($1, $2, 'argon2', $3, $4, 0, $5, $5)
     on conflict (user_id) do update set
       digest = excluded.digest, locked = excluded.locked, expires_at = excluded.expires_at, updated_at = excluded.updated_at`,
    [userId, secret.digest ?? '', secret.digest === undefined ? 1 : 0, secret.expiresAt, now],
  );
}

/** What an audit record says when a secret goes. */
export function removedSecret(secret: SecretRow): Record<string, boolean> {
  return { secret_removed: true, one_time_password_removed: secret.totp_activated === 1 };
}

/** The user must choose a new one at the next sign-in. */
export async function expireSecret(db: Transaction, userId: string, now: number): Promise<void> {
  await db.execute('update auth_secrets set expires_at = $2, updated_at = $2 where user_id = $1', [
    userId,
    now,
  ]);
}

export async function deleteSecret(db: Transaction, userId: string): Promise<void> {
  await db.execute('delete from auth_secrets where user_id = $1', [userId]);
}

export interface OneTimePassword {
  readonly sealedSeed: string | null;
  readonly activated: boolean;
}

export async function putOneTimePassword(
  db: Transaction,
  userId: string,
  { sealedSeed, activated }: OneTimePassword,
  now: number,
): Promise<void> {
  await db.execute(
    'update auth_secrets set totp_seed = $2, totp_activated = $3, updated_at = $4 where user_id = $1',
    [userId, sealedSeed, activated ? 1 : 0, now],
  );
}
