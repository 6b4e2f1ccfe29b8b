import Type, { type Static } from 'typebox';
import type { Problem } from '../../errors.ts';
import { deletedAtColumn, type List } from '../../http/list.ts';
import { quoted } from '../../http/parameters.ts';
import { Struct, timestampMembers, timestamps } from '../../http/schemas.ts';
import { isParameterKey, type ParameterKey, parameters } from './parameters.ts';

export interface ParameterRow {
  readonly id: number;
  readonly key: ParameterKey;
  readonly value: string;
  readonly created_at: number;
  readonly updated_at: number;
}

const keys = Object.keys(parameters)
  .map((key) => `'${key}'`)
  .join(', ');

export const parameterList: List = {
  select: 'id, key, value, created_at, updated_at',
  // A parameter that another version had is none.
  from: `(select id, key, value, created_at, updated_at from parameters where key in (${keys})) p`,
  key: 'id',
  defaultSort: ['key'],
  growth: 'few rows',
  columns: {
    id: { type: 'integer', sql: 'p.id' },
    key: { type: 'text', sql: 'p.key' },
    created_at: { type: 'time', sql: 'p.created_at' },
    updated_at: { type: 'time', sql: 'p.updated_at' },
    deleted_at: deletedAtColumn,
  },
};

export const ListedParameter = Struct({
  id: Type.Integer(),
  ...timestampMembers,
  key: Type.String(),
  name: Type.String(),
  description: Type.String(),
  value: Type.Object({}, { additionalProperties: true }),
});

export function toListedView(row: ParameterRow): Static<typeof ListedParameter> {
  const { name, description } = parameters[row.key];
  return { id: row.id, ...timestamps(row), key: row.key, name, description, value: JSON.parse(row.value) };
}

/** The key that `eq:<key>` or a bare key asks for, known or not. */
export function askedKey(text: string): string {
  return text.replace(/^eq:/, '');
}

export const keyPattern = `^(eq:)?(${Object.keys(parameters)
  .map((key) => key.replaceAll('.', '\\.'))
  .join('|')})$`;

export function askedKeyProblems(text: string | undefined): Problem[] {
  if (text === undefined || isParameterKey(askedKey(text))) return [];
  const predicate = /^(~?[a-z]+):/.exec(askedKey(text))?.[1];
  const message =
    predicate === undefined
      ? `there is no configuration parameter ${quoted(askedKey(text))}: the keys are ${Object.keys(parameters).sort().join(', ')}`
      : `parameter takes eq:<key> alone, not ${quoted(predicate)}`;
  return [{ context: 'parameter', message }];
}
