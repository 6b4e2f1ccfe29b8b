import Type, { type Static, type TSchema } from 'typebox';
import { formatRfc3339, zeroTime } from '../values/time.ts';

/** Building blocks of the wire format, each with the function that fills it. Unknown members are never sent. */
export function Struct<Members extends Record<string, TSchema>>(
  members: Members,
  options: { title?: string; description?: string } = {},
) {
  return Type.Object(members, { additionalProperties: false, ...options });
}

/** The answer of an operation that has nothing to tell: no body at all. */
export const Empty = Type.Void();
/** The answer of an operation whose only answer is a `Document`. */
export const NoJson = Type.Never();

export const DateTime = Type.String({ format: 'date-time' });
export const Uuid = Type.String({ format: 'uuid' });

export const NullTime = Struct({ time: DateTime, valid: Type.Boolean() }, { title: 'NullTime' });
export const NullInt32 = Struct(
  { int32: Type.Integer({ format: 'int32' }), valid: Type.Boolean() },
  { title: 'NullInt32' },
);
export const NullInt64 = Struct(
  { int64: Type.Integer({ format: 'int64' }), valid: Type.Boolean() },
  { title: 'NullInt64' },
);
export const NullString = Struct({ string: Type.String(), valid: Type.Boolean() }, { title: 'NullString' });

export const NullUuid = Struct({ uuid: Uuid, valid: Type.Boolean() }, { title: 'NullUuid' });

/** gap 1.6: a date-time that never happened is the zero time. */
export function dateTime(ms: number | null): string {
  return ms === null ? zeroTime : formatRfc3339(ms);
}

export function nullTime(ms: number | null): Static<typeof NullTime> {
  return { time: dateTime(ms), valid: ms !== null };
}

export function nullInt32(value: number | null): Static<typeof NullInt32> {
  return { int32: value ?? 0, valid: value !== null };
}

export function nullInt64(value: number | null): Static<typeof NullInt64> {
  return { int64: value ?? 0, valid: value !== null };
}

export function nullString(value: string | null): Static<typeof NullString> {
  return { string: value ?? '', valid: value !== null };
}

export function nullUuid(value: string | null): Static<typeof NullUuid> {
  return { uuid: value ?? '00000000-0000-0000-0000-000000000000', valid: value !== null };
}

export const timestampMembers = { created_at: DateTime, updated_at: DateTime, deleted_at: NullTime };

/** Nothing is kept after its deletion, so `deleted_at` is never set. */
export function timestamps(row: { created_at: number; updated_at: number }) {
  return {
    created_at: dateTime(row.created_at),
    updated_at: dateTime(row.updated_at),
    deleted_at: nullTime(null),
  };
}

// Parameters of path and query. They arrive as text; `parameters.ts` turns them into these types exactly.
export const Int32Parameter = (options: { minimum?: number; default?: number; description?: string } = {}) =>
  Type.Integer({ format: 'int32', ...options });
export const Int64Parameter = (options: { description?: string } = {}) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', ...options });
export const DateTimeParameter = (options: { description?: string } = {}) =>
  Type.Unsafe<number>({ type: 'string', format: 'date-time', ...options });
/** Read in any case, handed on in lower case. */
export const UuidParameter = (options: { description?: string } = {}) =>
  Type.Unsafe<string>({ type: 'string', format: 'uuid', ...options });
export const BooleanParameter = (options: { default?: boolean; description?: string } = {}) =>
  Type.Boolean(options);
