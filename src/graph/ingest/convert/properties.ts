import { quoteShort } from '../../../values/text.ts';
import { type Draft, nameType } from './draft.ts';
import { maxKeyLength, maxListLength, maxTextLength } from './limits.ts';
import type { PropertyValue, Scalar } from './statements.ts';

export type MutableProperties = Record<string, PropertyValue | null>;

/** `upper`: stored in upper case. `own`: said by the store or the program, never by a record. */
const rules: ReadonlyMap<string, 'upper' | 'own'> = new Map([
  ['name', 'upper'],
  ['distinguishedname', 'upper'],
  ['operatingsystem', 'upper'],
  ['domainsid', 'upper'],
  ['environmentid', 'upper'],
  ['tenantid', 'upper'],
  ['objectid', 'own'],
  ['lastseen', 'own'],
  ['lastcollected', 'own'],
  ['reconcile', 'own'],
  // An object made of parsed JSON can have it, but assigning to it would do something else.
  ['__proto__', 'own'],
]);

/** A copy of the properties as they are stored. Values that no property can have are left out, with a warning. */
export function copyProperties(draft: Draft, value: unknown, path: string): MutableProperties {
  const properties: MutableProperties = {};
  const source = draft.object(value, path) as Readonly<Record<string, unknown>> | undefined;
  if (source === undefined) return properties;
  for (const key in source) {
    const rule = rules.get(key);
    if (rule === 'own') continue;
    if (key.length > maxKeyLength) {
      draft.warn(path, `has a name longer than ${maxKeyLength} characters: ${quoteShort(key, 40)}`);
      continue;
    }
    const stored = propertyValue(draft, source[key], path, key);
    if (stored === undefined) continue;
    properties[key] = rule === 'upper' && typeof stored === 'string' ? stored.toUpperCase() : stored;
  }
  return properties;
}

/** What a value is compared with when it is to be found as a property: stored in the same way. */
export function storedScalar(key: string, value: Scalar): Scalar {
  if (typeof value !== 'string') return value;
  return key === 'objectid' || rules.get(key) === 'upper' ? value.toUpperCase() : value;
}

function propertyValue(
  draft: Draft,
  value: unknown,
  path: string,
  key: string,
): PropertyValue | null | undefined {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    if (value.length <= maxTextLength) return draft.text(value, `${path}.${key}`);
    draft.warn(`${path}.${key}`, `is longer than ${maxTextLength} characters`);
    return undefined;
  }
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    draft.warn(`${path}.${key}`, 'is a number that is too large');
    return undefined;
  }
  if (Array.isArray(value)) return propertyList(draft, value, `${path}.${key}`);
  draft.warn(
    `${path}.${key}`,
    `must be a text, a number, true, false or a list of these, but is ${nameType(value)}`,
  );
  return undefined;
}

export function propertyList(
  draft: Draft,
  list: readonly unknown[],
  path: string,
): readonly Scalar[] | undefined {
  if (list.length > maxListLength) {
    draft.warn(path, `has ${list.length} elements, more than ${maxListLength}`);
    return undefined;
  }
  const type = typeof list[0];
  const stored: Scalar[] = [];
  for (const element of list) {
    if (typeof element !== type || !isScalar(element)) {
      draft.warn(path, 'must be a list of texts only, of numbers only, or of true and false only');
      return undefined;
    }
    if (typeof element === 'string' && element.length > maxTextLength) {
      draft.warn(path, `has an element longer than ${maxTextLength} characters`);
      return undefined;
    }
    stored.push(typeof element === 'string' ? draft.text(element, path) : element);
  }
  return stored;
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
