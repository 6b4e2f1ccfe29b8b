import type { Value } from '../db/client.ts';
import { cleanText, quoteShort } from '../values/text.ts';
import { parseRfc3339 } from '../values/time.ts';

export type ColumnType = 'text' | 'integer' | 'number' | 'time' | 'uuid' | 'boolean';

export interface Column {
  readonly type: ColumnType;
  /** What it is in the list's SQL, such as `u.principal_name`. */
  readonly sql: string;
  /** Lets an index give the order: PostgreSQL's indexes have null at the other end than ours. */
  readonly neverNull?: true;
  /** What its numbers are called, from 0 on: filters take the words, and compare and sort as the numbers do. */
  readonly words?: readonly string[];
}

/** For things that are not kept after their deletion. */
export const deletedAtColumn: Column = { type: 'time', sql: 'cast(null as bigint)' };

export interface Filter {
  /** Given the placeholder of the value. */
  readonly condition: (parameter: string) => string;
  /** Left out where the condition needs none. */
  readonly value?: Value;
}

/** Longer than anything that is looked for; SQLite refuses patterns from 50,000 bytes on. */
const maxOperandLength = 1000;

const comparisons: Readonly<Record<string, string>> = {
  eq: '=',
  neq: 'is distinct from',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};
const ordered = Object.keys(comparisons);
export const predicatesOf: Readonly<Record<ColumnType, readonly string[]>> = {
  text: ['eq', 'neq', '~eq'],
  integer: ordered,
  number: ordered,
  time: ordered,
  uuid: ['eq', 'neq'],
  boolean: ['eq', 'neq'],
};
const allPredicates = new Set(Object.values(predicatesOf).flat());

const forms: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  integer: 'a whole number that fits 64 bits',
  number: 'a number such as 0.25',
  time: 'an RFC 3339 date-time such as 2026-01-31T00:00:00Z',
  uuid: 'a UUID',
  boolean: 'true or false',
};

/** What the values of a column look like. */
export function formOf({ type, words }: Column): string {
  return words === undefined ? forms[type] : `one of ${words.join(', ')}`;
}

/** Reads `predicate:value`, or tells what is wrong with it. */
export function readFilter(name: string, column: Column, text: string): Filter | { problem: string } {
  const { predicate, operand } = splitFilter(text);
  const known = predicatesOf[column.type];
  if (!allPredicates.has(predicate)) {
    const problem = `${shown(predicate)} is not a filter predicate: use ${known.join(', ')}, as in ${name}=${known[0]}:value`;
    return { problem };
  }
  if (!known.includes(predicate)) {
    const problem = `the specified filter predicate is not supported for this column: ${name} ${predicate}; it takes ${known.join(', ')}`;
    return { problem };
  }
  if (operand.length > maxOperandLength) {
    return {
      problem: `${name} can be filtered by at most ${maxOperandLength} characters, ${operand.length} are given`,
    };
  }
  if (predicate === '~eq') return containing(column.sql, operand);
  if (operand === 'null') {
    if (predicate === 'eq') return { condition: () => `${column.sql} is null` };
    if (predicate === 'neq') return { condition: () => `${column.sql} is not null` };
    return { problem: `${name} can be compared to null with eq and neq only, not with ${predicate}` };
  }
  const value =
    column.words === undefined ? readOperand(column.type, operand) : placeOf(operand, column.words);
  if (value === undefined) return { problem: `${name} must be ${formOf(column)}, but is ${shown(operand)}` };
  return column.type === 'time' && isBetweenMilliseconds(operand)
    ? comparedToBetween(column.sql, predicate, value)
    : compared(column, predicate, value);
}

/** `gte:5`; without a predicate it is `eq`. A date-time has a colon too, but no word before it. */
function splitFilter(text: string): { predicate: string; operand: string } {
  const found = /^(~?[A-Za-z]+):(.*)$/s.exec(text);
  if (found === null) return { predicate: 'eq', operand: cleanText(text) };
  return { predicate: found[1] ?? '', operand: cleanText(found[2] ?? '') };
}

/** Folds A to Z alone, as `lower` does on both stores: PostgreSQL's because every text has the C collation. */
function containing(sql: string, operand: string): Filter {
  const sought = operand.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[\\%_]/g, '\\$&');
  return { condition: (parameter) => `lower(${sql}) like ${parameter} escape '\\'`, value: `%${sought}%` };
}

function compared({ type, sql }: Column, predicate: string, value: Value): Filter {
  // Without the cast PostgreSQL would take the width of the column, and refuse what does not fit.
  const wide =
    type === 'integer' || type === 'time' ? 'bigint' : type === 'number' ? 'double precision' : undefined;
  return {
    condition: (parameter) =>
      `${sql} ${comparisons[predicate]} ${wide === undefined ? parameter : `cast(${parameter} as ${wide})`}`,
    value,
  };
}

function isBetweenMilliseconds(operand: string): boolean {
  return /\.\d{3}\d*[1-9]/.test(operand);
}

/** Times are whole milliseconds: none is equal to one in between, and `next` is the first one after it. */
function comparedToBetween(sql: string, predicate: string, next: Value): Filter {
  if (predicate === 'eq') return { condition: () => 'false' };
  if (predicate === 'neq') return { condition: () => 'true' };
  const operator = predicate.startsWith('g') ? '>=' : '<';
  return { condition: (parameter) => `${sql} ${operator} cast(${parameter} as bigint)`, value: next };
}

function placeOf(word: string, words: readonly string[]): number | undefined {
  const place = words.indexOf(word);
  return place < 0 ? undefined : place;
}

function readOperand(type: ColumnType, text: string): Value | undefined {
  switch (type) {
    case 'text':
      return text;
    case 'integer': {
      if (!/^-?[0-9]+$/.test(text)) return undefined;
      const value = BigInt(text);
      return BigInt.asIntN(64, value) === value ? value : undefined;
    }
    case 'number': {
      const isNumber = /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/.test(text) && Number.isFinite(Number(text));
      // As text: the embedded store would take a whole number for an integer, however large it is.
      return isNumber ? String(Number(text)) : undefined;
    }
    case 'time':
      return parseRfc3339(text);
    case 'uuid':
      return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
    case 'boolean':
      return text === 'true' ? 1 : text === 'false' ? 0 : undefined;
  }
}

export function shown(text: string): string {
  return quoteShort(cleanText(text), 60);
}
