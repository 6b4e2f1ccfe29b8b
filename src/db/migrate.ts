import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Deadline } from '../deadline.ts';
import { packageRoot } from '../program.ts';
import type { Db, Reader } from './client.ts';
import { statementsFor } from './ddl.ts';

export type StoreName = 'main' | 'graph';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly script: string;
}

/** A store that this program must not touch; the message tells the operator what to do. */
export class SchemaError extends Error {}

const bookkeeping = `
  create table if not exists schema_migrations (
    store text not null,
    number integer not null,
    name text not null,
    applied_at bigint not null,
    primary key (store, number)
  )`;

const folder = new URL('migrations/', packageRoot);

export function knownMigrations(store: StoreName): Migration[] {
  return readdirSync(new URL(`${store}/`, folder))
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file, index) => {
      const number = Number(file.slice(0, 4));
      if (number !== index + 1) throw new Error(`migrations/${store}/${file} breaks the numbering`);
      return { number, name: file, script: readFileSync(new URL(`${store}/${file}`, folder), 'utf8') };
    });
}

/** What has not been applied yet; refuses a store that a newer program has already changed. */
export async function pendingMigrations(db: Reader, store: StoreName): Promise<Migration[]> {
  const known = knownMigrations(store);
  const applied = (await hasTable(db, 'schema_migrations'))
    ? await db.query<{ number: number }>('select number from schema_migrations where store = $1', [store])
    : [];
  const newest = Math.max(0, ...applied.map((row) => row.number));
  if (newest > known.length) {
    throw new SchemaError(
      `this store has schema ${newest} (${store}), but this version of Kennel knows only ${known.length}. ` +
        'Start the newer version again, or restore the copy that was made before the upgrade.',
    );
  }
  const done = new Set(applied.map((row) => row.number));
  return known.filter((migration) => !done.has(migration.number));
}

/**
 * Applies what is pending, all of it or nothing. Any number of processes may call this together: the first
 * does the work, the others wait for it. `copyFirst` saves what is there before it is changed.
 */
export async function migrate(
  db: Db,
  store: StoreName,
  now: number,
  copyFirst?: (pending: Migration) => void,
): Promise<string[]> {
  const pending = await pendingMigrations(db, store);
  const [first] = pending;
  if (first === undefined) return [];
  if (first.number > 1) copyFirst?.(first);

  // A migration of a large table takes as long as it takes.
  return db.within(new Deadline(undefined)).transaction(async (db) => {
    await db.lock('kennel: migrate');
    for (const statement of statementsFor(db.dialect, bookkeeping)) await db.execute(statement);
    const applied: string[] = [];
    for (const migration of await pendingMigrations(db, store)) {
      for (const statement of statementsFor(db.dialect, migration.script)) await db.execute(statement);
      await db.execute(
        'insert into schema_migrations (store, number, name, applied_at) values ($1, $2, $3, $4)',
        [store, migration.number, migration.name, now],
      );
      applied.push(`${store}/${migration.name}`);
    }
    return applied;
  });
}

async function hasTable(db: Reader, table: string): Promise<boolean> {
  const catalogue =
    db.dialect === 'sqlite'
      ? "select 1 as found from sqlite_master where type = 'table' and name = $1"
      : 'select 1 as found from pg_tables where schemaname = current_schema() and tablename = $1';
  return (await db.one(catalogue, [table])) !== undefined;
}

/** Where a SQLite file is copied to before migration `number` changes it. */
export function copyName(file: string, number: number): string {
  let name = `${file}.before-${String(number).padStart(4, '0')}`;
  for (let n = 2; existsSync(name); n += 1) name = `${file}.before-${String(number).padStart(4, '0')}.${n}`;
  return name;
}
