import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { Deadline } from '../deadline.ts';
import type { Db, Reader } from './client.ts';
import { isStoreMissing, openStores, type Stores } from './open.ts';
import { LockedError, lockDataDir } from './server-lock.ts';

describe('SQLite', () => {
  let dataDir: string;
  let stores: Stores;
  let db: Db;
  const settings = () => ({ dataDir, databaseUrl: undefined, databasePool: 1, databasePrepare: true });

  before(async () => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'kennel-test-')), 'not', 'there', 'yet');
    stores = openStores(settings());
    db = stores.db;
    await db.transaction((db) => db.execute('create table notes (name text primary key) strict'));
  });
  after(async () => {
    await stores.close();
    rmSync(join(dataDir, '..', '..', '..'), { recursive: true });
  });

  const pragmas = async (db: Reader) => {
    const value = async (name: string) => Object.values((await db.one<object>(`pragma ${name}`)) ?? {})[0];
    return {
      journal_mode: await value('journal_mode'),
      synchronous: await value('synchronous'),
      foreign_keys: await value('foreign_keys'),
      busy_timeout: await value('busy_timeout'),
    };
  };

  it('writes ahead, waits for the disk, checks references and waits for others', async () => {
    for (const store of [stores.db, stores.graph]) {
      const { busy_timeout, ...others } = await store.transaction(pragmas);
      assert.deepEqual(others, { journal_mode: 'wal', synchronous: 2, foreign_keys: 1 });
      assert.ok(Number(busy_timeout) > 0);
    }
  });

  it('does not wait for the disk where that was said', async () => {
    const fleeting = openStores(
      { ...settings(), dataDir: join(dataDir, 'fleeting') },
      { waitsForDisk: false },
    );
    for (const store of [fleeting.db, fleeting.graph])
      assert.equal((await store.transaction(pragmas)).synchronous, 0);
    await fleeting.close();
  });

  it('writes only in a transaction', async () => {
    for (const sql of ["insert into notes (name) values ('a')", 'drop table notes', 'create table b (a)']) {
      await assert.rejects(db.query(sql), /readonly/, sql);
    }
    assert.deepEqual(await db.query('select name from notes'), []);
  });

  it('keeps the graph in a file of its own, with a writer of its own', async () => {
    assert.ok(existsSync(join(dataDir, 'kennel.db')) && existsSync(join(dataDir, 'graph.db')));
    await stores.graph.transaction(async (graph) => {
      await graph.execute('create table only_in_graph (id integer primary key) strict');
      await db.transaction((db) => db.execute("insert into notes (name) values ('beside a graph write')"));
    });
    await assert.rejects(db.query('select id from only_in_graph'), /no such table/);
    assert.deepEqual(await db.query('select name from notes'), [{ name: 'beside a graph write' }]);
  });

  it('makes a data directory and files that only their owner can read', () => {
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    for (const file of ['kennel.db', 'kennel.db-wal', 'kennel.db-shm', 'graph.db'])
      assert.equal(statSync(join(dataDir, file)).mode & 0o777, 0o600, file);
  });

  it('knows whether there is a store, without making one', () => {
    assert.equal(isStoreMissing(settings()), false);
    const elsewhere = join(dataDir, 'elsewhere');
    assert.equal(isStoreMissing({ ...settings(), dataDir: elsewhere }), true);
    assert.equal(existsSync(elsewhere), false);
  });

  it('waits for the writer of another process without stopping this one', async () => {
    const other = new DatabaseSync(join(dataDir, 'kennel.db'));
    other.exec('begin immediate');
    let ticks = 0;
    const clock = setInterval(() => {
      ticks += 1;
    }, 5);
    const write = db.transaction((db) => db.execute("insert into notes (name) values ('waited')"));
    await sleep(400);
    clearInterval(clock);
    assert.ok(ticks >= 3, `the event loop turned only ${ticks} times`);
    assert.deepEqual(await db.query("select name from notes where name = 'waited'"), []);
    await assert.rejects(db.within(new Deadline(0.2)).transaction(pragmas), { code: 'timed_out' });
    other.exec('commit');
    other.close();
    await write;
    assert.equal((await db.query("select name from notes where name = 'waited'")).length, 1);
  });

  it('reports a file that is no database as what it is', async () => {
    const broken = join(dataDir, 'broken');
    await openStores({ ...settings(), dataDir: broken }).close();
    writeFileSync(
      join(broken, 'kennel.db'),
      'this is not a database, but it is long enough to be read'.repeat(100),
    );
    assert.throws(() => openStores({ ...settings(), dataDir: broken }), /not a database/);
  });
});

describe('lockDataDir', () => {
  const parent = mkdtempSync(join(tmpdir(), 'kennel-test-'));
  const dataDir = join(parent, 'data');
  after(() => rmSync(parent, { recursive: true }));

  it('has one holder at a time, and says what it is told to say', () => {
    const lock = lockDataDir(dataDir, 'somebody else is here');
    assert.throws(() => lockDataDir(dataDir, 'somebody else is here'), {
      constructor: LockedError,
      message: 'somebody else is here',
    });
    lock.release();
    lockDataDir(dataDir, 'nobody is here').release();
  });

  it('does not keep anybody from the store itself', async () => {
    const lock = lockDataDir(dataDir, 'busy');
    const stores = openStores({
      dataDir,
      databaseUrl: undefined,
      databasePool: 1,
      databasePrepare: true,
    });
    await stores.db.transaction((db) => db.execute('create table beside (id integer primary key) strict'));
    await stores.close();
    lock.release();
  });
});
