import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { store } from '../../test/server/harness.ts';
import { openEmptyStores, runScript, type TestStores } from '../../test/server/stores.ts';
import { type Db, type Reader, type Transaction, UniqueViolation } from './client.ts';

const add = (db: Transaction, name: string) => db.execute('insert into notes (name) values ($1)', [name]);
const names = async (db: Reader) =>
  (await db.query<{ name: string }>('select name from notes order by name')).map((row) => row.name);

describe('Db: transactions', () => {
  let stores: TestStores;
  let db: Db;
  /** The same store as another process has it. */
  let other: Db;

  before(async () => {
    stores = await openEmptyStores();
    db = stores.db;
    await runScript(db, 'create table notes (name text primary key, version bigint not null default 1);');
    other = stores.openAgain().db;
  });
  after(() => stores.remove());
  beforeEach(() => db.transaction((db) => db.execute('delete from notes')));

  it('stores everything and answers what its work answers', async () => {
    const answer = await db.transaction(async (db) => {
      await add(db, 'a');
      await add(db, 'b');
      return 'done';
    });
    assert.equal(answer, 'done');
    assert.deepEqual(await names(other), ['a', 'b']);
  });

  it('stores nothing when its work fails, and passes the failure on', async () => {
    const failure = new Error('changed my mind');
    await assert.rejects(
      db.transaction(async (db) => {
        await add(db, 'a');
        throw failure;
      }),
      failure,
    );
    assert.deepEqual(await names(db), []);
  });

  it('stores nothing when a statement fails', async () => {
    await assert.rejects(
      db.transaction(async (db) => {
        await add(db, 'a');
        await add(db, 'a');
      }),
      UniqueViolation,
    );
    assert.deepEqual(await names(db), []);
  });

  it('sees its own changes before anybody else does', async () => {
    await db.transaction(async (inside) => {
      await add(inside, 'a');
      assert.deepEqual(await names(inside), ['a']);
      assert.deepEqual(await names(db), []);
      assert.deepEqual(await names(other), []);
      assert.deepEqual(await db.snapshot(names), []);
    });
    assert.deepEqual(await names(db), ['a']);
  });

  it('runs what waits for the commit after it, and never after a rollback', async () => {
    const seen: string[][] = [];
    let reading = Promise.resolve();
    const look = () => {
      reading = names(other).then((found) => {
        seen.push(found);
      });
    };
    await db.transaction(async (db) => {
      db.afterCommit(look);
      await add(db, 'a');
    });
    await reading;
    assert.deepEqual(seen, [['a']]);
    await assert.rejects(
      db.transaction(async (db) => {
        db.afterCommit(look);
        await add(db, 'b');
        throw new Error('no');
      }),
    );
    await reading;
    assert.equal(seen.length, 1);
  });

  it('keeps two that take turns out of each other', async () => {
    const failing = db.transaction(async (db) => {
      for (const name of ['a1', 'a2', 'a3']) {
        await add(db, name);
        await sleep(5);
      }
      throw new Error('rolled back');
    });
    const working = db.transaction(async (db) => {
      const seen: string[] = [];
      for (const name of ['b1', 'b2', 'b3']) {
        await add(db, name);
        await sleep(5);
        seen.push(...(await names(db)));
      }
      return seen;
    });
    await assert.rejects(failing, /rolled back/);
    assert.deepEqual(await working, ['b1', 'b1', 'b2', 'b1', 'b2', 'b3']);
    assert.deepEqual(await names(db), ['b1', 'b2', 'b3']);
  });

  it('loses no update made under a lock, within a process and between processes', async () => {
    await db.transaction((db) => add(db, 'counter'));
    let inside = 0;
    let most = 0;
    const increment = (handle: Db) =>
      handle.transaction(async (db) => {
        await db.lock('counter');
        inside += 1;
        most = Math.max(most, inside);
        const row = await db.one<{ version: number }>('select version from notes');
        await sleep(2);
        await db.execute('update notes set version = $1', [Number(row?.version) + 1]);
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 12 }, (_, index) => increment(index % 2 === 0 ? db : other)));
    assert.deepEqual(await db.one('select version from notes'), { version: 13 });
    assert.equal(most, 1);
  });

  it('frees a lock when the transaction fails', async () => {
    await assert.rejects(
      db.transaction(async (db) => {
        await db.lock('freed');
        throw new Error('no');
      }),
    );
    await other.transaction((db) => db.lock('freed'));
  });

  it('shows a snapshot one state while others write', async () => {
    await db.transaction((db) => add(db, 'a'));
    const seen = await db.snapshot(async (snapshot) => {
      const first = await names(snapshot);
      await db.transaction((db) => add(db, 'b'));
      await other.transaction((db) => db.execute("delete from notes where name = 'a'"));
      assert.deepEqual(await names(db), ['b']);
      return [first, await names(snapshot)];
    });
    assert.deepEqual(seen, [['a'], ['a']]);
    assert.deepEqual(await db.snapshot(names), ['b']);
  });

  it('refuses to write in a snapshot', async () => {
    await assert.rejects(db.snapshot((db) => db.query("insert into notes (name) values ('a')")));
    assert.deepEqual(await names(db), []);
  });

  it('runs more snapshots and transactions at once than it has connections', async () => {
    const snapshots = Array.from({ length: 15 }, () =>
      db.snapshot(async (db) => {
        await sleep(2);
        return (await names(db)).length;
      }),
    );
    const writes = Array.from({ length: 15 }, (_, index) => db.transaction((db) => add(db, `n${index}`)));
    assert.equal((await Promise.all(snapshots)).length, 15);
    await Promise.all(writes);
    assert.equal((await names(db)).length, 15);
  });

  it('inserts thousands of rows, and leaves conflicts to the clause it is given', async () => {
    const rows = (count: number, version: number) =>
      (function* () {
        for (let index = 0; index < count; index += 1)
          yield [`row ${String(index).padStart(5, '0')}`, version];
      })();
    const count = async () =>
      db.one('select cast(count(*) as bigint) as rows, cast(sum(version) as bigint) as versions from notes');
    await db.transaction((db) => db.bulk('notes', ['name', 'version'], rows(20_000, 1)));
    assert.deepEqual(await count(), { rows: 20_000, versions: 20_000 });
    await db.transaction((db) =>
      db.bulk('notes', ['name', 'version'], rows(20_001, 9), 'on conflict (name) do nothing'),
    );
    assert.deepEqual(await count(), { rows: 20_001, versions: 20_009 });
    await db.transaction((db) =>
      db.bulk(
        'notes',
        ['name', 'version'],
        rows(10, 3),
        'on conflict (name) do update set version = excluded.version',
      ),
    );
    assert.deepEqual(await count(), { rows: 20_001, versions: 20_029 });
    await assert.rejects(
      db.transaction((db) => db.bulk('notes', ['name', 'version'], rows(20_002, 1))),
      UniqueViolation,
    );
    await db.transaction((db) => db.bulk('notes', ['name', 'version'], []));
    assert.deepEqual(await count(), { rows: 20_001, versions: 20_029 });
  });

  it('gives the graph a file of its own only where the store is a file', () => {
    assert.equal(stores.db === stores.graph, store === 'postgres');
  });

  it('refuses work once it is closed', async () => {
    const closed = stores.openAgain();
    await closed.close();
    await assert.rejects(
      closed.db.transaction(async () => assert.fail('it ran')),
      { code: 'unavailable' },
    );
    await assert.rejects(
      closed.db.snapshot(async () => assert.fail('it ran')),
      { code: 'unavailable' },
    );
    await closed.close();
  });

  it('lets what is under way finish before it closes', async () => {
    const closing = stores.openAgain();
    let entered = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const write = closing.db.transaction(async (db) => {
      await add(db, 'a');
      entered();
      await sleep(50);
      await add(db, 'b');
    });
    await inside;
    await closing.close();
    await write;
    assert.deepEqual(await names(db), ['a', 'b']);
  });
});
