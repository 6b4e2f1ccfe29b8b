import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '../../test/runner/postgres-server.ts';
import { runScript } from '../../test/server/stores.ts';
import { startTcpProxy, type TcpProxy } from '../../test/server/tcp-proxy.ts';
import { Cache, Changes } from '../changes.ts';
import { AppError } from '../errors.ts';
import type { Db, Reader } from './client.ts';
import { openPostgres } from './postgres.ts';

// A server of its own, because these tests end other people's connections. A defect here shows itself mostly as
// an exception that nobody can catch, which fails the file as a whole.
describe('PostgreSQL that goes away and comes back', () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let db: Db;
  /** Reaches the server whatever happens to the proxy. */
  let direct: Db;

  before(async () => {
    server = await startPostgres();
    const { hostname, port } = new URL(server.url);
    proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    const proxied = new URL(server.url);
    proxied.port = String(proxy.port);
    db = openPostgres(proxied.href, { pool: 4, prepare: true });
    direct = openPostgres(server.url, { pool: 1, prepare: true });
    await runScript(
      direct,
      `create table notes (name text primary key);
       create table change_counter (id integer primary key, value bigint not null);
       insert into change_counter (id, value) values (1, 0);`,
    );
  });
  after(async () => {
    await db.close();
    await direct.close();
    await proxy.stop();
    await server.stop();
  });
  beforeEach(() => direct.transaction((db) => db.execute('delete from notes')));

  const names = async (db: Reader) =>
    (await db.query<{ name: string }>('select name from notes order by name')).map((row) => row.name);
  const terminateOthers = () =>
    direct.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kennel' and pid <> pg_backend_pid()",
    );

  async function untilItWorks(db: Db): Promise<void> {
    for (const end = Date.now() + 30_000; ; await sleep(50)) {
      try {
        await db.query('select 1');
        return;
      } catch (error) {
        assert.ok(error instanceof AppError && error.code === 'unavailable', String(error));
        assert.ok(Date.now() < end, 'it did not come back');
      }
    }
  }

  it('uses fresh connections when idle ones were ended', async () => {
    await Promise.all(Array.from({ length: 8 }, () => db.query('select pg_sleep(0.02)')));
    await terminateOthers();
    await sleep(300);
    await Promise.all(Array.from({ length: 8 }, () => db.query('select 1')));
  });

  it('stores nothing of a transaction whose connection ends under it', async () => {
    const write = db.transaction(async (db) => {
      await db.execute("insert into notes (name) values ('a')");
      await terminateOthers();
      await db.execute("insert into notes (name) values ('b')");
    });
    await assert.rejects(write, { code: 'unavailable', message: 'the store cannot be reached' });
    await untilItWorks(db);
    assert.deepEqual(await names(db), []);
  });

  it('does not go on elsewhere with a transaction whose connection ended between two statements', async () => {
    const write = db.transaction(async (db) => {
      await db.execute("insert into notes (name) values ('a')");
      await terminateOthers();
      await sleep(300);
      await db.execute("insert into notes (name) values ('b')").catch(() => {});
      await db.execute("insert into notes (name) values ('c')");
    });
    await assert.rejects(write, { code: 'unavailable' });
    await untilItWorks(db);
    assert.deepEqual(await names(db), []);
  });

  it('says so when the outcome of a commit is not known', async () => {
    await runScript(
      direct,
      `create function slow_commit() returns trigger language plpgsql as 'begin perform pg_sleep(20); return null; end';
       create constraint trigger slow after insert on notes deferrable initially deferred
         for each row when (new.name = 'slow') execute function slow_commit();`,
    );
    const write = db.transaction((db) => db.execute("insert into notes (name) values ('slow')"));
    void write.catch(() => {});
    const committing = "select pid from pg_stat_activity where state = 'active' and query = 'commit'";
    while ((await direct.query(committing)).length === 0) await sleep(20);
    await terminateOthers();
    await assert.rejects(write, { code: 'unavailable', message: /read it again before you repeat it/ });
  });

  for (const how of ['reset', 'end'] as const) {
    it(`survives broken lines in the middle of everything (${how})`, async () => {
      let stop = false;
      const outcomes = { ok: 0, unavailable: 0 };
      const work = [
        () => db.query('select $1::int as n, pg_sleep(0.002)', [1]),
        () =>
          db.transaction(async (db) => {
            await db.query('select $1::text as a', ['x'.repeat(3000)]);
            await db.query('select pg_sleep(0.003)');
          }),
        () => db.snapshot((db) => db.query('select $1::int as n', [2])),
      ];
      const worker = async (index: number) => {
        while (!stop) {
          try {
            await work[index % work.length]?.();
            outcomes.ok += 1;
          } catch (error) {
            assert.ok(error instanceof AppError && error.code === 'unavailable', String(error));
            outcomes.unavailable += 1;
          }
        }
      };
      const workers = Array.from({ length: 9 }, (_, index) => worker(index));
      for (let cuts = 0; cuts < 25; cuts += 1) {
        await sleep(20 + Math.random() * 40);
        proxy.cut(how);
      }
      stop = true;
      await Promise.all(workers);
      assert.ok(outcomes.ok > 0 && outcomes.unavailable > 0, JSON.stringify(outcomes));
      await untilItWorks(db);
    });
  }

  it('is unavailable while nobody answers, and nothing cached is trusted meanwhile', async () => {
    const cache = new Cache(new Changes(db), 10, async (key: string) => key.toUpperCase());
    assert.equal(await cache.get('key'), 'KEY');
    await proxy.shut();
    await sleep(600);
    await assert.rejects(cache.get('key'), { code: 'unavailable', retryAfterSeconds: 2 });
    await assert.rejects(
      db.transaction(async () => assert.fail('it ran')),
      { code: 'unavailable' },
    );
    await proxy.open();
    await untilItWorks(db);
    assert.equal(await cache.get('key'), 'KEY');
  });

  it('comes back after the server itself crashed and restarted', async () => {
    const { pid } = (await direct.one<{ pid: number }>('select pg_backend_pid() as pid')) ?? { pid: 0 };
    await db.transaction((db) => db.execute("insert into notes (name) values ('kept')"));
    await direct.query('checkpoint'); // this server does not wait for its disk at a commit
    const slow = db.query('select pg_sleep(25)');
    void slow.catch(() => {});
    // PostgreSQL ends every other backend and recovers when one of them is killed.
    process.kill(pid, 'SIGKILL');
    await assert.rejects(slow, { code: 'unavailable' });
    await untilItWorks(db);
    await untilItWorks(direct);
    assert.deepEqual(await names(db), ['kept']);
  });
});
