import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { store } from '../../test/server/harness.ts';
import { openEmptyStores, runScript, type TestStores } from '../../test/server/stores.ts';
import { Cache, Changes } from '../changes.ts';
import { Deadline } from '../deadline.ts';
import type { Db, Reader } from './client.ts';
import { openPostgres } from './postgres.ts';

const unavailable = { code: 'unavailable' };
const timedOut = { code: 'timed_out' };

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await condition()); await sleep(20)) {
    assert.ok(Date.now() < end, 'it did not happen');
  }
}

describe('PostgreSQL that is away', () => {
  it('lets nobody trust what was cached', async () => {
    const db = openPostgres('postgres://ann@127.0.0.1:1/kennel', { pool: 1, prepare: true });
    const cache = new Cache(new Changes(db), 10, async () => assert.fail('it was loaded'));
    await assert.rejects(cache.get('key'), unavailable);
    await db.close();
  });
});

if (store === 'postgres') {
  describe('PostgreSQL', () => {
    let stores: TestStores;
    let db: Db;
    /** Looks on from outside. */
    let observer: Db;

    before(async () => {
      stores = await openEmptyStores();
      db = stores.db;
      observer = stores.openAgain().db;
      await runScript(db, 'create table notes (name text primary key, version bigint not null default 0);');
    });
    after(() => stores.remove());
    beforeEach(() =>
      db.transaction(async (db) => {
        await db.execute('delete from notes');
        await db.bulk('notes', ['name'], [['a'], ['b']]);
      }),
    );

    const running = async (text: string) =>
      (
        await observer.query(
          "select pid from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()",
          [`%${text}%`],
        )
      ).length;
    const versions = async (db: Reader) => {
      const rows = await db.query<{ version: number }>('select version from notes order by name');
      return rows.map((row) => row.version);
    };

    it('stops the work of a statement that runs out of time', async () => {
      const within = db.within(new Deadline(2));
      const query = within.query('select pg_sleep(29.1)');
      await until(async () => (await running('pg_sleep(29.1)')) === 1);
      await assert.rejects(query, timedOut);
      await until(async () => (await running('pg_sleep(29.1)')) === 0);
    });

    it('stops the work of a transaction that runs out of time, and stores nothing of it', async () => {
      const write = db.within(new Deadline(2)).transaction(async (db) => {
        await db.execute('update notes set version = 7');
        await db.query('select pg_sleep(29.2)');
      });
      await until(async () => (await running('pg_sleep(29.2)')) === 1);
      await assert.rejects(write, timedOut);
      await until(async () => (await running('pg_sleep(29.2)')) === 0);
      assert.deepEqual(await versions(db), [0, 0]);
    });

    it('waits for a commit that was sent in time, and tells its outcome', async () => {
      await runScript(
        db,
        `create function slow_commit() returns trigger language plpgsql as 'begin perform pg_sleep(1.5); return null; end';
         create constraint trigger slow after update on notes deferrable initially deferred
           for each row when (new.version = 99) execute function slow_commit();`,
      );
      const deadline = new Deadline(2);
      await db.within(deadline).transaction(async (db) => {
        await db.execute("update notes set version = 99 where name = 'a'");
        await sleep(1000);
      });
      assert.equal(deadline.remainingMs(), 0);
      assert.deepEqual(await versions(db), [99, 0]);
    });

    it('has the limit of the request, the default one, or none', async () => {
      const limit = async (db: Db) => {
        const read = (db: Reader) =>
          db.one<{ limit: number }>(
            "select cast(setting as bigint) as limit from pg_settings where name = 'statement_timeout'",
          );
        return [await read(db), await db.transaction(read), await db.snapshot(read)].map((row) => row?.limit);
      };
      assert.deepEqual(await limit(db), [30_000, 30_000, 30_000]);
      assert.deepEqual(await limit(db.within(new Deadline(undefined))), [0, 0, 0]);
      for (const value of await limit(db.within(new Deadline(100)))) {
        assert.ok(Number(value) > 30_000 && Number(value) <= 100_000, String(value));
      }
      assert.deepEqual(await limit(db), [30_000, 30_000, 30_000]);
    });

    it('tries again when two transactions block each other', async () => {
      let attempts = 0;
      let committed = 0;
      const meeting: (() => void)[] = [];
      const meet = () =>
        new Promise<void>((resolve) => {
          meeting.push(resolve);
          if (meeting.length === 2) for (const go of meeting) go();
        });
      const change = (names: string[]) =>
        db.transaction(async (db) => {
          attempts += 1;
          db.afterCommit(() => {
            committed += 1;
          });
          const isFirstTry = attempts <= 2;
          for (const name of names) {
            await db.execute('update notes set version = version + 1 where name = $1', [name]);
            if (isFirstTry && name === names[0]) await meet();
          }
        });
      await Promise.all([change(['a', 'b']), change(['b', 'a'])]);
      assert.deepEqual(await versions(db), [2, 2]);
      assert.ok(attempts >= 3, 'one of them was tried again');
      assert.equal(committed, 2);
    });

    it('lets holders of different locks work side by side', async () => {
      let inside = 0;
      const enter = (name: string) =>
        db.within(new Deadline(20)).transaction(async (db) => {
          await db.lock(name);
          inside += 1;
          await until(async () => inside === 2);
        });
      await Promise.all([enter('one'), enter('two')]);
    });

    it('stores nothing when the error of a statement is ignored', async () => {
      const write = db.transaction(async (db) => {
        await db.execute('update notes set version = 7');
        await db.execute("insert into notes (name) values ('a')").catch(() => {});
      });
      await assert.rejects(write, /error was ignored/);
      assert.deepEqual(await versions(db), [0, 0]);
    });

    it('does not let a statement wait behind a slow one while another connection is free', async () => {
      let isSlowDone = false;
      const slow = db.query('select pg_sleep(3)').then(() => {
        isSlowDone = true;
      });
      for (let n = 0; n < 5; n += 1) await db.query('select $1::int as n', [n]);
      assert.equal(isSlowDone, false);
      await slow;
    });

    it('takes no more connections than it may', async () => {
      const sized = openPostgres(String(stores.settings.databaseUrl), { pool: 3, prepare: true });
      const text = "select pg_sleep(0.05) as three_at_most, cast($1 as text) as n, 'sized' as mark";
      const queries = Promise.all(Array.from({ length: 30 }, (_, n) => sized.query(text, [String(n)])));
      let most = 0;
      let done = false;
      void queries.finally(() => {
        done = true;
      });
      while (!done) most = Math.max(most, await running('three_at_most'));
      assert.equal((await queries).length, 30);
      assert.ok(most >= 1 && most <= 3, `${most} at once`);
      await sized.close();
    });

    it('works without prepared statements, and asks nothing of the connection then', async () => {
      const unprepared = openPostgres(String(stores.settings.databaseUrl), { pool: 1, prepare: false });
      const insert = 'insert into notes (name, version) values ($1, $2)';
      await unprepared.transaction(async (db) => {
        await db.execute(insert, ['', 2n ** 60n]);
        await db.execute(insert, ['ö', 3_000_000_000]);
        await db.bulk('notes', ['name', 'version'], [['c', -1]]);
      });
      assert.deepEqual(await unprepared.one('select version from notes where name = $1', ['']), {
        version: 2n ** 60n,
      });
      assert.equal(await unprepared.one('select version from notes where name = $1', ['none']), undefined);
      const statements =
        'select cast(count(*) as bigint) as count from pg_prepared_statements where name <> $1';
      assert.deepEqual(await unprepared.one(statements, ['']), { count: 0 });
      const { count } = (await db.one<{ count: number }>(statements, [''])) ?? {};
      assert.ok(Number(count) > 0);

      // PgBouncer refuses a connection that comes with a statement timeout.
      const limits = 'select setting, reset_val from pg_settings where name = $1';
      const { reset_val, setting } =
        (await unprepared.one<{ reset_val: string; setting: string }>(limits, ['statement_timeout'])) ?? {};
      assert.equal(reset_val, '0');
      assert.ok(Number(setting) > 0 && Number(setting) <= 30_000, setting);
      await assert.rejects(
        unprepared.within(new Deadline(0.3)).query('select pg_sleep(29.3), $1::text', ['']),
        timedOut,
      );
      await unprepared.close();
    });
  });
}
