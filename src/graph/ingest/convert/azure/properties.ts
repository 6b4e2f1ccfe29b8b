import { nameType } from '../draft.ts';
import { copyProperties, type MutableProperties } from '../properties.ts';
import type { AzureItem } from './item.ts';

/** How a member is read, and so what is stored when the collector left it out because it is empty. */
type Form = 'text' | 'flag' | 'date' | 'list';
/** By the name of the property: the member that has it. */
export type PropertyTable = Readonly<Record<string, readonly [member: string, form: Form]>>;

export const zeroDate = '0001-01-01T00:00:00Z';
const datePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

function fits(value: unknown, form: Form): boolean {
  if (form === 'flag') return typeof value === 'boolean';
  return form === 'list' ? Array.isArray(value) : typeof value === 'string';
}

function zeroOf(form: Form): unknown {
  if (form === 'flag') return false;
  if (form === 'list') return [];
  return form === 'date' ? zeroDate : '';
}

const expected: Readonly<Record<Form, string>> = {
  text: 'a text',
  flag: 'true or false',
  date: 'a text',
  list: 'a list',
};

/**
 * The properties that the members say, ready to be stored. A member that is missing says that it is empty; one of
 * another type says nothing, with a warning.
 */
export function readProperties(
  item: AzureItem,
  members: Readonly<Record<string, unknown>>,
  table: PropertyTable,
  others: Readonly<Record<string, unknown>> = {},
): MutableProperties {
  const found: Record<string, unknown> = {};
  for (const key in others) if (others[key] !== undefined) found[key] = others[key];
  for (const key in table) {
    const [member, form] = table[key] as PropertyTable[string];
    const value = members[member] ?? undefined;
    if (value === undefined) found[key] = zeroOf(form);
    else if (!fits(value, form)) {
      item.draft.warn(`data.${member}`, `must be ${expected[form]}, but is ${nameType(value)}`);
    } else found[key] = form === 'date' && !isDate(value as string) ? zeroDate : value;
  }
  return copyProperties(item.draft, found, 'data');
}

function isDate(text: string): boolean {
  return datePattern.test(text) && !Number.isNaN(Date.parse(text));
}
