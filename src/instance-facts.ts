import type { Reader, Transaction } from './db/client.ts';

/** What a store knows of itself, by name. */
export async function findFact(db: Reader, name: string): Promise<string | undefined> {
  return (await db.one<{ value: string }>('select value from instance_facts where name = $1', [name]))?.value;
}

export async function putFact(db: Transaction, name: string, value: string): Promise<void> {
  await db.execute(
    'insert into instance_facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [name, value],
  );
}
