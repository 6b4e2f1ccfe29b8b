import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { store } from '../../test/server/harness.ts';
import { openEmptyStores, runScript, type TestStores } from '../../test/server/stores.ts';
import { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import type { Db, Reader, Transaction } from './client.ts';

const add = (db: Transaction, name: string) => db.execute('insert into notes (name) values ($1)', [name]);
const names = async (db: Reader) =>
  (await db.query<{ name: string }>('select name from notes order by name')).map((row) => row.name);
const timedOut = { code: 'timed_out', message: 'request timed out' };
const never = async () => assert.fail('it ran');

/** Work that takes part in a store's queue until it is let go. */
function holder() {
  let enter = () => {};
  let letGo = () => {};
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const hold = async (db: Reader) => {
    await db.query('select 1 as one');
    enter();
    await released;
  };
  return { hold, entered, letGo };
}

describe('Db: within a deadline', () => {
  let stores: TestStores;
  let db: Db;

  before(async () => {
    stores = await openEmptyStores();
    db = stores.db;
    await runScript(db, 'create table notes (name text primary key);');
  });
  after(() => stores.remove());
  beforeEach(() => db.transaction((db) => db.execute('delete from notes')));

  it('does not begin when it has expired already', async () => {
    const late = db.within(new Deadline(0));
    await assert.rejects(late.transaction(never), timedOut);
    await assert.rejects(late.snapshot(names), timedOut);
    await assert.rejects(late.query('select 1 as one'), timedOut);
    await assert.rejects(late.one('select 1 as one'), timedOut);
    assert.deepEqual(await names(db), []);
  });

  it('stores nothing when it expires between two statements', async () => {
    let second: Promise<unknown> = Promise.resolve();
    let ended = () => {};
    const workEnded = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const write = db.within(new Deadline(0.2)).transaction(async (db) => {
      await add(db, 'a');
      await sleep(300);
      second = add(db, 'b');
      await second.finally(ended);
    });
    await assert.rejects(write, timedOut);
    await workEnded;
    await assert.rejects(second, timedOut);
    assert.deepEqual(await names(db), []);
  });

  it('stores nothing when it expires before the commit', async () => {
    let committed = false;
    const deadline = new Deadline(0.2);
    const write = db.within(deadline).transaction(async (db) => {
      db.afterCommit(() => {
        committed = true;
      });
      await add(db, 'a');
      await sleep(300);
    });
    await assert.rejects(write, timedOut);
    await sleep(200);
    assert.deepEqual(await names(db), []);
    assert.equal(committed, false);
  });

  it('stores what is done in time', async () => {
    await db.within(new Deadline(20)).transaction((db) => add(db, 'a'));
    assert.deepEqual(await db.within(new Deadline(20)).snapshot(names), ['a']);
  });

  it('ends the wait for a turn to write', async () => {
    const holders = Array.from({ length: stores.settings.databasePool }, holder);
    const held = holders.map(({ hold }) => db.transaction(hold));
    await Promise.race(holders.map(({ entered }) => entered));
    await assert.rejects(db.within(new Deadline(0.2)).transaction(never), timedOut);
    const patient = db.within(new Deadline(20)).transaction((db) => add(db, 'patient'));
    for (const { letGo } of holders) letGo();
    await Promise.all(held);
    await patient;
    assert.deepEqual(await names(db), ['patient']);
  });

  it('ends the wait for a turn to take a snapshot', async () => {
    const holders = Array.from({ length: 4 }, holder);
    const held = holders.map(({ hold }) => db.snapshot(hold));
    await Promise.race(holders.map(({ entered }) => entered));
    await assert.rejects(db.within(new Deadline(0.2)).snapshot(never), timedOut);
    const patient = db.within(new Deadline(20)).snapshot(names);
    for (const { letGo } of holders) letGo();
    await Promise.all(held);
    assert.deepEqual(await patient, []);
    // The one that gave up left no place taken behind.
    await Promise.all(Array.from({ length: 8 }, () => db.snapshot(names)));
  });

  it('ends the wait for a row or for the store that another process has locked', async () => {
    await db.transaction((db) => add(db, 'a'));
    const other = stores.openAgain();
    const { hold, entered, letGo } = holder();
    const held = other.db.transaction(async (db) => {
      await db.execute("update notes set name = 'b'");
      await hold(db);
    });
    await entered;
    await assert.rejects(
      db.within(new Deadline(0.3)).transaction((db) => db.execute("update notes set name = 'c'")),
      timedOut,
    );
    letGo();
    await held;
    assert.deepEqual(await names(db), ['b']);
  });

  it('ends at once when it is cancelled, with the reason given', async () => {
    const reason = new AppError('unavailable', 'shutting down');
    const holders = Array.from({ length: stores.settings.databasePool }, holder);
    const held = holders.map(({ hold }) => db.transaction(hold));
    await Promise.race(holders.map(({ entered }) => entered));
    const deadline = new Deadline(undefined);
    const waiting = db.within(deadline).transaction(never);
    deadline.cancel(reason);
    await assert.rejects(waiting, reason);
    await assert.rejects(db.within(deadline).query('select 1 as one'), reason);
    for (const { letGo } of holders) letGo();
    await Promise.all(held);
  });

  it('stores nothing of what is cancelled half-way', async () => {
    const deadline = new Deadline(20);
    const write = db.within(deadline).transaction(async (db) => {
      await add(db, 'a');
      deadline.cancel(new AppError('unavailable', 'shutting down'));
      await add(db, 'b');
    });
    await assert.rejects(write, { code: 'unavailable', message: 'shutting down' });
    await db.transaction((db) => add(db, 'c'));
    assert.deepEqual(await names(db), ['c']);
  });

  it('keeps what it is within apart from everybody else', async () => {
    const late = db.within(new Deadline(0));
    assert.equal(late.dialect, store);
    await assert.rejects(late.query('select 1 as one'), timedOut);
    assert.deepEqual(await db.one('select 1 as one'), { one: 1 });
  });

  it('knows no limit without a wait', async () => {
    const deadline = new Deadline(undefined);
    assert.equal(deadline.remainingMs(), Number.POSITIVE_INFINITY);
    assert.equal(deadline.isCustom, true);
    const unlimited = db.within(deadline);
    await unlimited.transaction(async (db) => {
      await add(db, 'a');
      await sleep(20);
    });
    assert.deepEqual(await unlimited.snapshot(names), ['a']);
    assert.deepEqual(await unlimited.one('select name from notes'), { name: 'a' });
    assert.deepEqual([new Deadline().waitSeconds, new Deadline().isCustom], [30, false]);
  });
});
