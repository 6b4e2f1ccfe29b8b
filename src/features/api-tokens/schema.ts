import Type, { type Static } from 'typebox';
import {
  DateTime,
  dateTime,
  Nullable,
  NullableString,
  SqlTime,
  Struct,
  sqlTime,
  timestampMembers,
  timestamps,
  Uuid,
} from '../../http/schemas.ts';
import type { TokenRow } from './store.ts';

const members = {
  id: Uuid,
  ...timestampMembers,
  user_id: Nullable(Uuid),
  name: NullableString,
  hmac_method: Type.String(),
  last_access: DateTime,
  created_by: Nullable(Uuid),
  expires_at: SqlTime,
  replay_protection: Type.Boolean({ description: 'A signed request of this token is taken only once' }),
};

export const ApiToken = Struct(members, { title: 'ApiToken' });
export const NewApiToken = Struct(
  { ...members, key: Type.String({ description: 'Shown only now' }) },
  { title: 'NewApiToken' },
);

export const TokenRequest = Struct({
  token_name: Type.String({ minLength: 1, maxLength: 250 }),
  user_id: Type.Optional(Type.String({ format: 'uuid', description: 'Left out: the caller' })),
  replay_protection: Type.Optional(
    Type.Boolean({ description: 'Refuse a signed request that was sent before; off unless asked for' }),
  ),
});

export function toTokenView(row: TokenRow): Static<typeof ApiToken> {
  return {
    id: row.id,
    ...timestamps(row),
    user_id: row.user_id,
    name: row.name,
    hmac_method: row.hmac_method,
    last_access: dateTime(row.last_access),
    created_by: row.created_by,
    expires_at: sqlTime(row.expires_at),
    replay_protection: row.replay_protection !== 0,
  };
}

const record = {
  id: '5b0c8f0e-5f5e-4f6b-8a52-6f3b7f6c1d22',
  created_at: '2026-01-05T08:00:00Z',
  updated_at: '2026-01-05T08:00:00Z',
  deleted_at: sqlTime(null),
};

export const tokenExample: Static<typeof ApiToken> = {
  ...record,
  user_id: 'c3f7d7b4-6a5e-4f7b-9f0a-0d8f3a0f9a11',
  name: 'nightly report',
  hmac_method: 'hmac-sha2-256',
  last_access: '2026-01-06T07:30:00Z',
  created_by: 'c3f7d7b4-6a5e-4f7b-9f0a-0d8f3a0f9a11',
  expires_at: sqlTime(null),
  replay_protection: false,
};
