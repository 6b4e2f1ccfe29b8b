import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { store } from '../../test/server/harness.ts';
import { openEmptyStores, runScript, type TestStores } from '../../test/server/stores.ts';
import { AppError } from '../errors.ts';
import { type Db, inList, UniqueViolation, type Value } from './client.ts';

const script = `
  create table samples (id identity, amount bigint, label text unique, data blob);
  create table parts (id integer primary key, sample_id bigint not null references samples (id));`;

describe('Db: values', () => {
  let stores: TestStores;
  let db: Db;

  before(async () => {
    stores = await openEmptyStores();
    db = stores.db;
    await runScript(db, script);
  });
  after(() => stores.remove());
  beforeEach(() =>
    db.transaction(async (db) => {
      await db.execute('delete from parts');
      await db.execute('delete from samples');
    }),
  );

  async function stored(column: 'amount' | 'label' | 'data', value: Value): Promise<unknown> {
    await db.transaction((db) => db.execute(`insert into samples (${column}) values ($1)`, [value]));
    const row = await db.one<Record<string, unknown>>(
      `select ${column} as value from samples order by id desc limit 1`,
    );
    return row?.value;
  }

  it('takes one parameter in several places', async () => {
    assert.deepEqual(
      await db.one('select cast($2 as text) as a, cast($1 as text) as b, cast($2 as text) as c', ['x', 'y']),
      { a: 'y', b: 'x', c: 'y' },
    );
  });

  it('refuses a wrong number of parameters, and not as an outage', async () => {
    for (const params of [['x'], ['x', 'y', 'z']]) {
      await assert.rejects(
        db.query('select cast($1 as text) as a, cast($2 as text) as b', params),
        (error) => error instanceof Error && !(error instanceof AppError),
      );
    }
    assert.deepEqual(await db.one('select cast($1 as text) as a', ['still works']), { a: 'still works' });
  });

  it('keeps integers exact, as numbers wherever a number is exact', async () => {
    const exact = [0, -1, 0x7fffffff, 0x80000000, -0x80000001, 2 ** 53 - 1, -(2 ** 53 - 1)];
    for (const value of exact) assert.equal(await stored('amount', value), value);
    for (const value of [2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      assert.equal(await stored('amount', value), value);
    }
    assert.equal(await stored('amount', 5n), 5);
    assert.equal(await stored('amount', 1_700_000_000_000n), 1_700_000_000_000);
  });

  it('compares integers beyond 2^53 exactly', async () => {
    await stored('amount', 2n ** 53n + 1n);
    const found = (value: bigint) => db.query('select id from samples where amount = $1', [value]);
    assert.equal((await found(2n ** 53n + 1n)).length, 1);
    assert.equal((await found(2n ** 53n)).length, 0);
    assert.equal((await found(2n ** 53n + 2n)).length, 0);
  });

  it('gives large and small integers of one row their own types', async () => {
    await db.transaction((db) =>
      db.execute('insert into samples (amount, label) values ($1, $2)', [2n ** 60n, 'large']),
    );
    assert.deepEqual(await db.one('select amount, 7 as seven, label from samples'), {
      amount: 2n ** 60n,
      seven: 7,
      label: 'large',
    });
  });

  it('refuses a fraction where an integer belongs', async () => {
    await assert.rejects(stored('amount', 1.5));
  });

  it('tells null, empty text and text apart', async () => {
    assert.equal(await stored('label', null), null);
    assert.equal(await stored('label', ''), '');
    assert.equal(await stored('label', 'ÅÅ \u{1F415} 日本 \' " \\ $1 ?1'), 'ÅÅ \u{1F415} 日本 \' " \\ $1 ?1');
    assert.equal((await db.query("select id from samples where label = ''")).length, 1);
    assert.equal((await db.query('select id from samples where label is null')).length, 1);
  });

  it('keeps bytes, and no bytes', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    assert.deepEqual(new Uint8Array((await stored('data', bytes)) as Uint8Array), bytes);
    assert.equal(((await stored('data', new Uint8Array())) as Uint8Array).length, 0);
    assert.equal(await stored('data', null), null);
  });

  it('refuses undefined instead of taking it for null', async () => {
    await assert.rejects(stored('label', undefined as never), /undefined/i);
    assert.equal((await db.query('select id from samples')).length, 0);
  });

  it('answers the first row, or undefined', async () => {
    await db.transaction((db) => db.bulk('samples', ['label'], [['a'], ['b']]));
    assert.deepEqual(await db.one('select label from samples order by label'), { label: 'a' });
    assert.equal(await db.one('select label from samples where label = $1', ['c']), undefined);
    assert.equal((await db.query('select label from samples where label = $1', ['c'])).length, 0);
  });

  it('counts the rows that a statement changed', async () => {
    await db.transaction(async (db) => {
      const insert = 'insert into samples (label) values ($1), ($2) on conflict (label) do nothing';
      assert.equal(await db.execute(insert, ['a', 'b']), 2);
      assert.equal(await db.execute(insert, ['b', 'c']), 1);
      assert.equal(await db.execute('update samples set amount = 1 where label <> $1', ['a']), 2);
      assert.equal(await db.execute('delete from samples where label = $1', ['nothing']), 0);
      assert.equal(await db.execute('delete from samples'), 3);
    });
  });

  it('never gives the id of a deleted row out again', async () => {
    const insert = () =>
      db.transaction((db) => db.one<{ id: number }>('insert into samples (amount) values (1) returning id'));
    const first = await insert();
    await db.transaction((db) => db.execute('delete from samples'));
    assert.ok(Number((await insert())?.id) > Number(first?.id));
  });

  it('tells a broken unique key from other refusals', async () => {
    await stored('label', 'taken');
    await assert.rejects(stored('label', 'taken'), UniqueViolation);
    const { id } = (await db.one<{ id: number }>('select id from samples')) ?? { id: 0 };
    const add = (part: number, sample: number | null) =>
      db.transaction((db) => db.execute('insert into parts (id, sample_id) values ($1, $2)', [part, sample]));
    await add(1, id);
    await assert.rejects(add(1, id), UniqueViolation);
    await assert.rejects(add(2, null), (error) => !(error instanceof UniqueViolation));
  });

  it('enforces foreign keys', async () => {
    await assert.rejects(
      db.transaction((db) => db.execute('insert into parts (id, sample_id) values (1, 999999)')),
      /foreign key/i,
    );
    const sample = await db.transaction((db) =>
      db.one<{ id: number }>("insert into samples (label) values ('whole') returning id"),
    );
    await db.transaction((db) =>
      db.execute('insert into parts (id, sample_id) values (1, $1)', [sample?.id ?? 0]),
    );
    await assert.rejects(
      db.transaction((db) => db.execute('delete from samples')),
      /foreign key/i,
    );
  });

  it('sorts and compares text by code point (gap 1.14)', async () => {
    const sorted = ['', ' ', 'A', 'Z', '_', 'a', 'z', 'É', 'é', 'Ω', '日', '\uE000', '\uFFFD', '\u{1F415}'];
    await db.transaction((db) =>
      db.bulk(
        'samples',
        ['label'],
        [...sorted].reverse().map((label) => [label]),
      ),
    );
    const labels = async (sql: string, params?: Value[]) =>
      (await db.query<{ label: string }>(sql, params)).map((row) => row.label);
    assert.deepEqual(await labels('select label from samples order by label'), sorted);
    assert.deepEqual(await labels('select label from samples where label > $1 order by label', ['a']), [
      ...sorted.slice(6),
    ]);
    assert.deepEqual(await labels('select max(label) as label from samples'), ['\u{1F415}']);
    assert.deepEqual(await labels('select label from samples where label = $1', ['e\u0301']), []);
  });

  it('finds rows by a list of any length', async () => {
    await db.transaction((db) => db.bulk('samples', ['label'], [['a'], ['b'], ['c']]));
    for (const wanted of [['a'], ['a', 'c'], ['c', 'x', 'a'], ['x'], Array<string>(100).fill('b')]) {
      const { sql, params } = inList(wanted, 2);
      const rows = await db.query<{ label: string }>(
        `select label from samples where label <> $1 and label in (${sql}) order by label`,
        ['nothing', ...params],
      );
      const expected = ['a', 'b', 'c'].filter((label) => wanted.includes(label));
      assert.deepEqual(
        rows.map((row) => row.label),
        expected,
      );
    }
  });

  it('calls itself what it is', () => assert.equal(db.dialect, store));
});

describe('inList', () => {
  it('pads with the last value to a power of two', () => {
    assert.deepEqual(inList([7], 1), { sql: '$1', params: [7] });
    assert.deepEqual(inList([7, 8, 9], 3), { sql: '$3, $4, $5, $6', params: [7, 8, 9, 9] });
    const lengths = [1, 2, 3, 4, 5, 8, 9, 1000].map(
      (size) => inList(Array<Value>(size).fill('x'), 1).params.length,
    );
    assert.deepEqual(lengths, [1, 2, 4, 4, 8, 8, 16, 1024]);
  });

  it('refuses an empty list', () => {
    assert.throws(() => inList([], 1), /at least one value/);
  });
});
