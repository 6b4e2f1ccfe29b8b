import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { store } from '../../test/server/harness.ts';
import { runCode } from '../../test/server/processes.ts';
import { openEmptyStores, runScript, type TestStores } from '../../test/server/stores.ts';
import type { Reader } from './client.ts';
import { statementsFor } from './ddl.ts';
import { copyName, knownMigrations, SchemaError, type StoreName } from './migrate.ts';
import { isMigrated, migrateStores } from './open.ts';

const everything = (['main', 'graph'] as const).flatMap((name) =>
  knownMigrations(name).map((migration) => `${name}/${migration.name}`),
);

async function tables(db: Reader): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    db.dialect === 'sqlite'
      ? "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
      : 'select tablename as name from pg_tables where schemaname = current_schema() order by tablename',
  );
  return rows.map((row) => row.name);
}

const bookkeeping = `create table if not exists schema_migrations (
  store text not null, number integer not null, name text not null, applied_at bigint not null, primary key (store, number));`;

describe('migrations', () => {
  let stores: TestStores;
  const migrateAll = () => migrateStores(stores, stores.settings, 1234);

  beforeEach(async () => {
    stores = await openEmptyStores();
  });
  afterEach(() => stores.remove());

  /** As an older version of the program left it. */
  async function applyAllBut(name: StoreName, missing: number): Promise<void> {
    const db = name === 'main' ? stores.db : stores.graph;
    await runScript(db, bookkeeping);
    await db.transaction(async (db) => {
      for (const { number, name: file, script } of knownMigrations(name).slice(0, -missing)) {
        for (const statement of statementsFor(db.dialect, script)) await db.execute(statement);
        await db.execute('insert into schema_migrations values ($1, $2, $3, 0)', [name, number, file]);
      }
    });
  }

  it('are numbered without gaps', () => {
    for (const name of ['main', 'graph'] as const) {
      const numbers = knownMigrations(name).map(({ number }) => number);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
      );
    }
  });

  it('bring an empty store up, and are not applied twice', async () => {
    assert.equal(await isMigrated(stores), false);
    assert.deepEqual(await migrateAll(), everything);
    assert.equal(await isMigrated(stores), true);
    assert.deepEqual(await migrateAll(), []);
    for (const [db, name] of [
      [stores.db, 'main'],
      [stores.graph, 'graph'],
    ] as const) {
      const rows = await db.query<{ number: number; applied_at: number }>(
        'select number, applied_at from schema_migrations where store = $1 order by number',
        [name],
      );
      assert.deepEqual(
        [...rows],
        knownMigrations(name).map(({ number }) => ({ number, applied_at: 1234 })),
      );
    }
    assert.equal((await stores.db.query('select id from users')).length, 0);
    assert.equal((await stores.graph.query('select id from nodes')).length, 0);
  });

  it('make strict tables on SQLite, and text that sorts by code point on PostgreSQL', async () => {
    await migrateAll();
    for (const db of [stores.db, stores.graph]) {
      const wrong =
        db.dialect === 'sqlite'
          ? await db.query(
              "select name from pragma_table_list where type = 'table' and strict = 0 and name not like 'sqlite_%'",
            )
          : await db.query(
              `select table_name, column_name from information_schema.columns
               where table_schema = current_schema() and data_type in ('text', 'character varying', 'character')
                 and (collation_name is null or collation_name <> 'C')`,
            );
      assert.deepEqual([...wrong], []);
      assert.ok((await tables(db)).includes('schema_migrations'));
    }
  });

  it('are applied once by processes that start together, and all of them come up', async () => {
    const code = `
      import { readSettings } from './src/config.ts';
      import { openStores } from './src/db/open.ts';
      import { prepareStores } from './src/bootstrap.ts';
      const settings = readSettings(process.env);
      const stores = openStores(settings);
      console.log(JSON.stringify(await prepareStores(stores, settings, Date.now())));
      await stores.close();`;
    const runs = await Promise.all([1, 2, 3].map(() => runCode(code, stores.env)));
    const applied = runs.flatMap((printed) => JSON.parse(printed) as string[]);
    assert.deepEqual(applied.sort(), [...everything].sort());
    assert.equal(await isMigrated(stores), true);
    const counters = await stores.db.query('select value from change_counter');
    assert.deepEqual([...counters], [{ value: 1 }]);
  });

  for (const newer of ['main', 'graph'] as const) {
    it(`refuse a store that is newer than the program (${newer}), and change nothing`, async () => {
      const db = newer === 'main' ? stores.db : stores.graph;
      await runScript(db, bookkeeping);
      await db.transaction((db) =>
        db.execute("insert into schema_migrations values ($1, 999, '0999_later.sql', 0)", [newer]),
      );
      const before = [await tables(stores.db), await tables(stores.graph)];
      await assert.rejects(migrateAll(), (error) => {
        assert.ok(error instanceof SchemaError);
        assert.match(error.message, new RegExp(`has schema 999 \\(${newer}\\)`));
        assert.match(error.message, /Start the newer version again, or restore the copy/);
        return true;
      });
      await assert.rejects(isMigrated(stores), SchemaError);
      assert.deepEqual([await tables(stores.db), await tables(stores.graph)], before);
    });
  }

  it('leave nothing of themselves when one of them fails', async () => {
    const scripts = knownMigrations('main').map(({ script }) => script);
    const [, table = ''] = [...scripts.join('\n').matchAll(/^create table (\w+)/gm)].at(-1) ?? [];
    await runScript(stores.db, `create table ${table} (in_the_way integer);`);
    await assert.rejects(migrateAll(), /already exists/);
    assert.deepEqual(await tables(stores.db), [table]);
    await runScript(stores.db, `drop table ${table};`);
    assert.deepEqual(await migrateAll(), everything);
  });

  it('copy a SQLite file before they change it, and only then', async () => {
    const copies = () => readdirSync(stores.settings.dataDir).filter((file) => file.includes('.before-'));
    await applyAllBut('main', 1);
    await stores.db.transaction((db) =>
      db.execute("insert into instance_facts (name, value) values ('mark', 'before the upgrade')"),
    );
    const last = knownMigrations('main').length;
    assert.deepEqual((await migrateAll())[0], `main/${knownMigrations('main').at(-1)?.name}`);
    if (store === 'postgres') return assert.deepEqual(copies(), []);

    const name = `kennel.db.before-${String(last).padStart(4, '0')}`;
    assert.deepEqual(copies(), [name]);
    assert.equal(statSync(join(stores.settings.dataDir, name)).mode & 0o777, 0o600);
    const copy = new DatabaseSync(join(stores.settings.dataDir, name), { readOnly: true });
    const facts = copy.prepare('select value from instance_facts').all() as { value: string }[];
    const numbers = copy.prepare('select number from schema_migrations').all() as { number: number }[];
    copy.close();
    assert.deepEqual(
      facts.map((row) => row.value),
      ['before the upgrade'],
    );
    assert.equal(Math.max(...numbers.map((row) => row.number)), last - 1);

    await migrateAll();
    assert.deepEqual(copies(), [name]);
    const file = join(stores.settings.dataDir, 'kennel.db');
    assert.equal(copyName(file, last), `${file}.before-${String(last).padStart(4, '0')}.2`);
    assert.equal(copyName(file, last + 1), `${file}.before-${String(last + 1).padStart(4, '0')}`);
  });
});
