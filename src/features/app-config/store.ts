import type { Reader, Transaction } from '../../db/client.ts';
import { type ParameterKey, type ParameterValue, parameters } from './parameters.ts';

export async function readParameter<Key extends ParameterKey>(
  db: Reader,
  key: Key,
): Promise<ParameterValue<Key>> {
  const row = await db.one<{ value: string }>('select value from parameters where key = $1', [key]);
  return (row === undefined ? parameters[key].defaultValue : JSON.parse(row.value)) as ParameterValue<Key>;
}

export async function writeParameter(
  db: Transaction,
  key: ParameterKey,
  value: unknown,
  now: number,
): Promise<void> {
  await db.execute(
    `insert into parameters (key, value, created_at, updated_at) values ($1, $2, $3, $3)
     on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [key, JSON.stringify(value), now],
  );
}

/** Every parameter is a row from the start, with its default. */
export async function seedParameters(db: Transaction, now: number): Promise<void> {
  await db.bulk(
    'parameters',
    ['key', 'value', 'created_at', 'updated_at'],
    Object.entries(parameters).map(([key, { defaultValue }]) => [
      key,
      JSON.stringify(defaultValue),
      now,
      now,
    ]),
    'on conflict (key) do nothing',
  );
}
