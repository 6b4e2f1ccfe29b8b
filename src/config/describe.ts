import type { Settings } from './settings.ts';
import { type FieldRow, rows } from './table.ts';
import { hidePasswords } from './url.ts';

export type SettingsSummary = Record<keyof Settings, string | number | boolean | object | null>;

/** Safe to print: secrets are replaced by '(set)', passwords in URLs by '(hidden)', unset values are null. */
export function describeSettings(settings: Settings): SettingsSummary {
  const secrets = new Map<string, FieldRow['secret']>(rows.map(({ field, secret }) => [field, secret]));
  const entries = Object.entries(settings).map(([field, value]) => {
    if (value === undefined) return [field, null];
    const secret = secrets.get(field);
    if (secret === 'whole value') return [field, '(set)'];
    return [field, secret === 'passwords in URL' ? hidePasswords(String(value)) : value];
  });
  return Object.fromEntries(entries) as SettingsSummary;
}
