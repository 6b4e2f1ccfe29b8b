import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { store } from '../../test/server/harness.ts';
import { openEmptyStores, runScript, type TestStores } from '../../test/server/stores.ts';
import { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import type { Db, Reader } from './client.ts';
import { SlowReads } from './slow-reads.ts';

const counting = (to: number) =>
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${to}) select cast(count(*) as bigint) as total from n`;
/** Takes a second or so. */
const longCount = counting(4_000_000);
const total = async (db: Reader, sql: string) => (await db.one<{ total: number }>(sql))?.total;
const names = (db: Reader) => db.query<{ name: string }>('select name from notes order by name');

describe('Db: slowly', () => {
  let stores: TestStores;
  let db: Db;

  before(async () => {
    stores = await openEmptyStores();
    db = stores.db;
    await runScript(db, 'create table notes (name text primary key, amount bigint, data blob);');
    await db.transaction((db) =>
      db.bulk(
        'notes',
        ['name', 'amount', 'data'],
        [
          ['a', 2n ** 60n, Uint8Array.of(1, 2, 255)],
          ['b', 7, null],
        ],
      ),
    );
  });
  after(() => stores.remove());

  it('answers with the same values as any other read', async () => {
    const sql = 'select name, amount, data, amount > $1 as large from notes order by name';
    const rows = await db.slowly((db) => db.query<Record<string, unknown>>(sql, [2n ** 59n]));
    const expected = await db.query<Record<string, unknown>>(sql, [2n ** 59n]);
    const plain = (row: Record<string, unknown>) => ({
      ...row,
      data: row.data && [...(row.data as Uint8Array)],
    });
    assert.deepEqual(rows.map(plain), expected.map(plain));
    assert.equal(rows[0]?.amount, 2n ** 60n);
    assert.equal(await db.slowly((db) => db.one('select name from notes where name = $1', ['x'])), undefined);
  });

  it('sees one state of the store, and the present one the next time', async () => {
    const seen = await db.slowly(async (slow) => {
      const before = await names(slow);
      await db.transaction((db) => db.execute("insert into notes (name) values ('meanwhile')"));
      return [before.length, (await names(slow)).length];
    });
    assert.deepEqual(seen, [2, 2]);
    assert.equal((await db.slowly(names)).length, 3);
  });

  it('keeps the statements of several snapshots apart', async () => {
    const counts = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        db.slowly(async (db) => [
          ...(await Promise.all([total(db, counting(index + 1)), total(db, counting(100))])),
          await total(db, counting(index + 2)),
        ]),
      ),
    );
    assert.deepEqual(
      counts,
      Array.from({ length: 12 }, (_, index) => [index + 1, 100, index + 2]),
    );
  });

  it('refuses what any other read refuses, in the same words, and goes on', async () => {
    for (const [sql, params] of [
      ['select nothing from notes', []],
      ['select name from notes where name = $1', []],
      ['select name from notes where name = $1', [undefined as never]],
    ] as const) {
      const usual = await db.query(sql, params).catch((error: Error) => error);
      assert.ok(usual instanceof Error && !(usual instanceof AppError));
      await assert.rejects(
        db.slowly((db) => db.query(sql, params)),
        (error) => error instanceof Error && error.message === usual.message,
      );
    }
    assert.equal(await db.slowly((db) => total(db, counting(3))), 3);
  });

  it('does not write', async () => {
    await assert.rejects(db.slowly((db) => db.query("insert into notes (name) values ('c') returning name")));
    assert.ok(!(await names(db)).some(({ name }) => name === 'c'));
  });

  it('does not begin when the time is up or the request was ended', async () => {
    const never = async () => assert.fail('it ran');
    await assert.rejects(db.within(new Deadline(0)).slowly(never), { code: 'timed_out' });
    const deadline = new Deadline();
    const reason = new AppError('unavailable', 'shutting down');
    deadline.cancel(reason);
    await assert.rejects(db.within(deadline).slowly(never), reason);
  });

  it('ends the wait of a caller whose time is up, and reads for the next one', async () => {
    await assert.rejects(
      db.within(new Deadline(0.05)).slowly((db) => total(db, longCount)),
      { code: 'timed_out' },
    );
    assert.equal((await names(db)).length, 3);
    assert.equal(await db.slowly((db) => total(db, counting(5))), 5);
  });

  it('gives the snapshot of a caller that failed back', async () => {
    await assert.rejects(
      db.slowly(async (db) => {
        await names(db);
        throw new Error('the caller failed');
      }),
      /the caller failed/,
    );
    await db.transaction((db) => db.execute("insert into notes (name) values ('later')"));
    assert.ok((await db.slowly(names)).some(({ name }) => name === 'later'));
  });

  it('finishes before the store is closed, and is refused afterwards', async () => {
    const other = stores.openAgain();
    const running = other.db.slowly((db) => total(db, longCount));
    await other.db.query('select 1 as one');
    const abandoned = other.db.within(new Deadline(0.05)).slowly((db) => total(db, longCount));
    const closed = running.then(() => other.close());
    await assert.rejects(abandoned, { code: 'timed_out' });
    assert.equal(await running, 4_000_000);
    await closed;
    await assert.rejects(other.db.slowly(names), { code: 'unavailable' });
  });

  if (store === 'sqlite') {
    it('lets the process go on with everything else meanwhile', async () => {
      let ended = false;
      const running = db
        .slowly((db) => total(db, longCount))
        .finally(() => {
          ended = true;
        });
      await db.transaction((db) => db.execute("insert into notes (name) values ('beside')"));
      assert.ok((await names(db)).some(({ name }) => name === 'beside'));
      await sleep(1);
      assert.equal(ended, false, 'it had ended before anything else could be done');
      assert.equal(await running, 4_000_000);
    });

    it('closes only when the statement that is running has ended, though nobody waits for it', async () => {
      const other = stores.openAgain();
      const abandoned = other.db.within(new Deadline(0.3)).slowly((db) => total(db, longCount));
      await assert.rejects(abandoned, { code: 'timed_out' });
      await other.close();
      await assert.rejects(other.db.slowly(names), { code: 'unavailable', message: 'the store is closed' });
    });

    it('says that it is busy when very many wait', async () => {
      const deadline = new Deadline();
      const bounded = db.within(deadline);
      const running = db.slowly((db) => total(db, longCount));
      const waiting = Array.from({ length: 100 }, () => bounded.slowly(names).catch((error) => error.code));
      await assert.rejects(db.slowly(names), { code: 'unavailable', retryAfterSeconds: 5 });
      deadline.cancel(new AppError('conflict', 'ended by the test'));
      assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['conflict']));
      await running;
      assert.ok((await db.slowly(names)).length > 0);
    });

    it('starts another thread when one was lost', async () => {
      // The file is gone, so the thread cannot even open it.
      const missing = new SlowReads('/nowhere/at/all.db');
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await assert.rejects(missing.read(new Deadline(), names), /unable to open|no such file|directory/i);
      }
      await missing.close();
    });
  }
});
