import Type, { type Static, type TSchema } from 'typebox';
import { formatRfc3339, zeroTime } from '../values/time.ts';

/** Building blocks of the wire format, each with the function that fills it. Unknown members are never sent. */
export function Struct<Members extends Record<string, TSchema>>(
  members: Members,
  options: { title?: string; description?: string } = {},
) {
  return Type.Object(members, { additionalProperties: false, ...options });
}

const keywordsKey = 'x-published';

/**
 * Options of a schema for the API document alone: what a feature checks by itself, in better words than a schema's
 * error would have. A request that keeps to them is never refused.
 */
export function published(keywords: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { [keywordsKey]: keywords };
}

/** A schema as the API document shows it. */
export function asPublished(schema: Record<string, unknown>): Record<string, unknown> {
  const { [keywordsKey]: keywords, ...rest } = schema;
  return { ...rest, ...(keywords as object | undefined) };
}

/** A name without blanks at its ends, control characters or others that can't be seen. */
export const visibleName = '^[^\\p{C}\\p{Z}\\ufffd]([^\\p{C}\\p{Zl}\\p{Zp}\\ufffd]*[^\\p{C}\\p{Z}\\ufffd])?$';

/** The answer of an operation that has nothing to tell: no body at all. */
export const Empty = Type.Void();
/** The answer of an operation whose only answer is a `Document`. */
export const NoJson = Type.Never();

export const DateTime = Type.String({ format: 'date-time' });
export const Uuid = Type.String({ format: 'uuid' });

/** gap 1.6: a value or null. */
export const Nullable = <Schema extends TSchema>(schema: Schema, options: { description?: string } = {}) =>
  Type.Union([schema, Type.Null()], options);
export const NullableString = Nullable(Type.String());

/** The one nullable that is an object outside of the contract's operations too: deployed clients read these names. */
export const SqlTime = Struct({ Time: DateTime, Valid: Type.Boolean() }, { title: 'SqlTime' });

/** gap 1.6: a date-time that never happened is the zero time. */
export function dateTime(ms: number | null): string {
  return ms === null ? zeroTime : formatRfc3339(ms);
}

export function sqlTime(ms: number | null): Static<typeof SqlTime> {
  return { Time: dateTime(ms), Valid: ms !== null };
}

export const timestampMembers = { created_at: DateTime, updated_at: DateTime, deleted_at: SqlTime };

/** Nothing is kept after its deletion, so `deleted_at` is never set. */
export function timestamps(row: { created_at: number; updated_at: number }) {
  return {
    created_at: dateTime(row.created_at),
    updated_at: dateTime(row.updated_at),
    deleted_at: sqlTime(null),
  };
}

// Parameters of path and query. They arrive as text; `parameters.ts` turns them into these types exactly.
export const Int32Parameter = (
  options: { minimum?: number; default?: number; description?: string } & object = {},
) => Type.Integer({ format: 'int32', ...options });
export const Int64Parameter = (options: { description?: string } = {}) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', ...options });
export const DateTimeParameter = (options: { description?: string } = {}) =>
  Type.Unsafe<number>({ type: 'string', format: 'date-time', ...options });
/** Read in any case, handed on in lower case. */
export const UuidParameter = (options: { description?: string } = {}) =>
  Type.Unsafe<string>({ type: 'string', format: 'uuid', ...options });
export const BooleanParameter = (options: { default?: boolean; description?: string } = {}) =>
  Type.Boolean(options);
