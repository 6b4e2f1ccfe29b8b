import Type, { type Static } from 'typebox';
import { DateTime, dateTime, Struct } from './schemas.ts';

/** Nullable values as the contract writes them. Only its eight operations answer with these (gap 1.6). */
export const NullTime = Struct({ time: DateTime, valid: Type.Boolean() }, { title: 'NullTime' });
export const NullInt32 = Struct(
  { int32: Type.Integer({ format: 'int32' }), valid: Type.Boolean() },
  { title: 'NullInt32' },
);
export const NullString = Struct({ string: Type.String(), valid: Type.Boolean() }, { title: 'NullString' });

export function nullTime(ms: number | null): Static<typeof NullTime> {
  return { time: dateTime(ms), valid: ms !== null };
}

export function nullInt32(value: number | null): Static<typeof NullInt32> {
  return { int32: value ?? 0, valid: value !== null };
}

export function nullString(value: string | null): Static<typeof NullString> {
  return { string: value ?? '', valid: value !== null };
}

/** In place of the `deleted_at` that other operations answer with. */
export const contractDeletedAt = { deleted_at: NullTime };

export function inContract<View extends { deleted_at: unknown }>(view: View) {
  return { ...view, deleted_at: nullTime(null) };
}
