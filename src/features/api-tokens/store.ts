import { inList, type Reader, type Transaction } from '../../db/client.ts';
import { deletedAtColumn, type List } from '../../http/list.ts';

export interface TokenRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly client_id: string | null;
  readonly name: string | null;
  readonly hmac_method: string;
  readonly replay_protection: number;
  readonly last_access: number | null;
  readonly expires_at: number | null;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Tokens of people; those of collectors are shown with their collector. */
export const tokenList: List = {
  select: `t.id, t.user_id, t.client_id, t.name, t.hmac_method, t.replay_protection, t.last_access, t.expires_at,
           t.created_by, t.created_at, t.updated_at`,
  from: 'api_tokens t',
  key: 'id',
  defaultSort: ['created_at'],
  growth: 'few rows',
  columns: {
    id: { type: 'uuid', sql: 't.id' },
    user_id: { type: 'uuid', sql: 't.user_id' },
    name: { type: 'text', sql: 't.name' },
    hmac_method: { type: 'text', sql: 't.hmac_method' },
    last_access: { type: 'time', sql: 't.last_access' },
    expires_at: { type: 'time', sql: 't.expires_at' },
    replay_protection: { type: 'boolean', sql: 't.replay_protection' },
    created_at: { type: 'time', sql: 't.created_at' },
    updated_at: { type: 'time', sql: 't.updated_at' },
    deleted_at: deletedAtColumn,
  },
};

export function findToken(db: Reader, id: string): Promise<TokenRow | undefined> {
  return db.one<TokenRow>(`select ${tokenList.select} from ${tokenList.from} where t.id = $1`, [id]);
}

/** The newest token of each of these collectors; each has one. */
export async function findTokensOfClients(
  db: Reader,
  clientIds: readonly string[],
): Promise<Map<string, TokenRow>> {
  if (clientIds.length === 0) return new Map();
  const ids = inList(clientIds, 1);
  const rows = await db.query<TokenRow>(
    `select ${tokenList.select} from ${tokenList.from} where t.client_id in (${ids.sql}) order by t.created_at, t.id`,
    ids.params,
  );
  return new Map(rows.map((row) => [row.client_id ?? '', row]));
}

export interface NewToken {
  readonly id: string;
  readonly owner: { readonly userId: string } | { readonly clientId: string };
  readonly name: string | null;
  readonly sealedKey: string;
  readonly replayProtection: boolean;
  readonly expiresAt: number | null;
  readonly createdBy: string | null;
}

export async function insertToken(db: Transaction, token: NewToken, now: number): Promise<void> {
  await db.execute(
    `insert into api_tokens (id, user_id, client_id, name, sealed_key, hmac_method, replay_protection, expires_at,
       created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'hmac-sha2-256', $6, $7, $8, $9, $9)`,
    [
      token.id,
      'userId' in token.owner ? token.owner.userId : null,
      'clientId' in token.owner ? token.owner.clientId : null,
      token.name,
      token.sealedKey,
      token.replayProtection ? 1 : 0,
      token.expiresAt,
      token.createdBy,
      now,
    ],
  );
}

const ownedTables = ['used_signatures', 'signed_hours', 'token_zones'];

export async function deleteToken(db: Transaction, id: string): Promise<boolean> {
  for (const table of ownedTables) await db.execute(`delete from ${table} where token_id = $1`, [id]);
  return (await db.execute('delete from api_tokens where id = $1', [id])) === 1;
}

/** Every token of a user or of a collector. */
export async function deleteTokensOf(
  db: Transaction,
  owner: { readonly userId: string } | { readonly clientId: string },
): Promise<void> {
  const [column, id] = 'userId' in owner ? ['user_id', owner.userId] : ['client_id', owner.clientId];
  for (const table of ownedTables)
    await db.execute(
      `delete from ${table} where token_id in (select id from api_tokens where ${column} = $1)`,
      [id],
    );
  await db.execute(`delete from api_tokens where ${column} = $1`, [id]);
}

/** gap 8.1: the tokens that a user has now are refused until an administrator allows them again. Tells how many. */
export function suspendTokens(db: Transaction, userId: string): Promise<number> {
  return db.execute('update api_tokens set suspended = 1 where user_id = $1 and suspended = 0', [userId]);
}

/** gap 2.3: likewise for everybody who signs in through a provider that goes. */
export function suspendTokensOfProvider(db: Transaction, ssoProviderId: number): Promise<number> {
  return db.execute(
    'update api_tokens set suspended = 1 where user_id in (select id from users where sso_provider_id = $1)',
    [ssoProviderId],
  );
}

export function allowTokens(db: Transaction, userId: string): Promise<number> {
  return db.execute('update api_tokens set suspended = 0 where user_id = $1 and suspended = 1', [userId]);
}

/**
 * Brings every user's token under the rule: none lasts longer than `latest`, or for ever if there is no rule. What
 * has expired stays expired. Tells how many tokens were changed.
 */
export async function limitExpiry(db: Transaction, latest: number | undefined, now: number): Promise<number> {
  if (latest === undefined) {
    return db.execute(
      'update api_tokens set expires_at = null, updated_at = $1 where user_id is not null and expires_at > $1',
      [now],
    );
  }
  return db.execute(
    `update api_tokens set expires_at = $1, updated_at = $2
     where user_id is not null and (expires_at is null or expires_at > $1)`,
    [latest, now],
  );
}

export interface SigningRow {
  readonly id: string;
  readonly sealed_key: string;
  readonly replay_protection: number;
  readonly expires_at: number | null;
  readonly user_id: string | null;
  readonly principal_name: string | null;
  readonly role_id: number | null;
  readonly sso_provider_id: number | null;
  readonly is_disabled: number | null;
  readonly suspended: number;
  readonly client_id: string | null;
  readonly client_name: string | null;
}

/** A token with what is needed to decide what its caller may do. */
export function findForSigning(db: Reader, id: string): Promise<SigningRow | undefined> {
  return db.one<SigningRow>(
    `select t.id, t.sealed_key, t.replay_protection, t.expires_at, t.user_id, u.principal_name, u.role_id,
            u.sso_provider_id, u.is_disabled, t.suspended, t.client_id, c.name as client_name
     from api_tokens t
     left join users u on u.id = t.user_id
     left join clients c on c.id = t.client_id
     where t.id = $1`,
    [id],
  );
}

/** False if the token is gone; it stays until the transaction ends. */
export async function stampAccess(db: Transaction, id: string, now: number): Promise<boolean> {
  return (await db.execute('update api_tokens set last_access = $2 where id = $1', [id, now])) === 1;
}

/** False if the signature was used before. */
export async function rememberSignature(
  db: Transaction,
  tokenId: string,
  signature: string,
  now: number,
  forgetAt: number,
): Promise<boolean> {
  await db.execute('delete from used_signatures where forget_at <= $1', [now]);
  const stored = await db.execute(
    `insert into used_signatures (token_id, signature, forget_at) values ($1, $2, $3)
     on conflict (token_id, signature) do nothing`,
    [tokenId, signature, forgetAt],
  );
  return stored === 1;
}

export function listSealedKeys(db: Reader): Promise<{ id: string; sealed_key: string }[]> {
  return db.query('select id, sealed_key from api_tokens order by id');
}

export async function putSealedKey(db: Transaction, id: string, sealedKey: string): Promise<void> {
  await db.execute('update api_tokens set sealed_key = $2 where id = $1', [id, sealedKey]);
}
