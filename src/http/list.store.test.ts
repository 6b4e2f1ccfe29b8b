import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { store } from '../../test/server/harness.ts';
import { openEmptyStores, runScript, type TestStores } from '../../test/server/stores.ts';
import type { Value } from '../db/client.ts';
import type { Problem } from '../errors.ts';
import { compareCodePoints } from '../values/text.ts';
import { formatRfc3339 } from '../values/time.ts';
import { type ColumnType, type List, type Page, readListRequest, readPage, readRows } from './list.ts';
import type { RawParameters } from './parameters.ts';

const types: Readonly<Record<string, ColumnType>> = {
  id: 'integer',
  name: 'text',
  small: 'integer',
  large: 'integer',
  at: 'time',
  owner: 'uuid',
  is_on: 'boolean',
};
const list: List = {
  select: 't.id',
  from: 'things t',
  key: 'id',
  growth: 'few rows',
  columns: Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, { type, sql: `t.${name}` }]),
  ),
};
const columnNames = Object.keys(types);
type Row = Readonly<Record<string, string | bigint | null>>;

const pieces = [
  'a',
  'A',
  'b',
  'ä',
  'Ä',
  'ß',
  'ı',
  'İ',
  '\u212a',
  'k',
  '%',
  '_',
  '\\',
  "'",
  '😀',
  '\uffee',
  ' ',
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 3 }).map((parts) => parts.join(''));
const times = [0n, 1n, 1_700_000_000_000n, 1_700_000_000_001n, 1_700_000_000_002n];
const owners = [
  '00000000-0000-4000-8000-000000000001',
  'a0000000-0000-4000-8000-000000000002',
  'ffffffff-0000-4000-8000-000000000003',
];
const valuesOf: Readonly<Record<string, fc.Arbitrary<string | bigint>>> = {
  name: text,
  small: fc.constantFrom(-(2n ** 31n), -1n, 0n, 1n, 2n ** 31n - 1n),
  large: fc.constantFrom(-(2n ** 63n), -(2n ** 53n) - 1n, 0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n),
  at: fc.constantFrom(...times),
  owner: fc.constantFrom(...owners),
  is_on: fc.constantFrom(0n, 1n),
};
const rowWithoutId = fc.record(
  Object.fromEntries(
    Object.entries(valuesOf).map(([name, value]) => [name, fc.option(value, { freq: 3, nil: null })]),
  ),
);
const tables = fc
  .array(rowWithoutId, { maxLength: 14 })
  .map((rows) => rows.map((row, index): Row => ({ id: BigInt(index + 1), ...row })));

interface Filter {
  readonly name: string;
  readonly predicate: string;
  readonly operand: string | bigint | null;
}
const ordered = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'];
const predicates: Readonly<Record<ColumnType, readonly string[]>> = {
  text: ['eq', 'neq', '~eq'],
  integer: ordered,
  number: ordered,
  time: ordered,
  uuid: ['eq', 'neq'],
  boolean: ['eq', 'neq'],
};
const filter: fc.Arbitrary<Filter> = fc.constantFrom(...columnNames).chain((name) => {
  // Numbers that no column holds, and that fit only the wide ones.
  const number = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const known = valuesOf[name] ?? fc.bigInt({ min: 0n, max: 15n });
  const operand = types[name] === 'integer' ? fc.oneof(known, number) : known;
  return fc.constantFrom(...(predicates[types[name] ?? 'text'] ?? [])).chain((predicate) =>
    fc.record({
      name: fc.constant(name),
      predicate: fc.constant(predicate),
      operand: ['eq', 'neq'].includes(predicate) ? fc.option(operand, { freq: 4, nil: null }) : operand,
    }),
  );
});
const sortBy = fc.array(fc.constantFrom(...columnNames.flatMap((name) => [name, `-${name}`])), {
  maxLength: 4,
});

function written({ name, predicate, operand }: Filter): string {
  if (operand === null) return `${predicate}:null`;
  if (types[name] === 'time') return `${predicate}:${formatRfc3339(Number(operand))}`;
  if (types[name] === 'boolean') return `${predicate}:${operand === 1n}`;
  return `${predicate}:${operand}`;
}

const fold = (value: string) => value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const compare = (a: string | bigint, b: string | bigint): number =>
  typeof a === 'bigint' || typeof b === 'bigint' ? (a < b ? -1 : a > b ? 1 : 0) : compareCodePoints(a, b);

function holds(row: Row, { name, predicate, operand }: Filter): boolean {
  const value = row[name] ?? null;
  if (predicate === 'neq') return value !== operand;
  if (operand === null || value === null) return predicate === 'eq' && value === operand;
  if (predicate === '~eq') return fold(String(value)).includes(fold(String(operand)));
  const sign = compare(value, operand);
  if (predicate === 'eq') return sign === 0;
  return predicate.startsWith('g')
    ? sign > 0 || (predicate === 'gte' && sign === 0)
    : sign < 0 || (predicate === 'lte' && sign === 0);
}

function sorted(rows: readonly Row[], terms: readonly string[]): Row[] {
  const inOrder = (a: Row, b: Row): number => {
    for (const term of [...terms, 'id']) {
      const name = term.replace('-', '');
      const [left, right] = [a[name] ?? null, b[name] ?? null];
      const sign =
        left === null || right === null
          ? Number(left !== null) - Number(right !== null)
          : compare(left, right);
      if (sign !== 0) return term.startsWith('-') ? -sign : sign;
    }
    return 0;
  };
  return [...rows].sort(inOrder);
}

/** As a query string brings them: several of one name are an array. */
function asQuery(filters: readonly Filter[], terms: readonly string[]): Record<string, string | string[]> {
  const raw: Record<string, string | string[]> = {};
  for (const one of filters) raw[one.name] = [raw[one.name] ?? [], written(one)].flat();
  return terms.length === 0 ? raw : { ...raw, sort_by: [...terms] };
}

const idsOf = ({ rows }: Page<{ id: number }>) => rows.map(({ id }) => id);

describe(`a list on ${store}`, () => {
  let stores: TestStores;

  before(async () => {
    stores = await openEmptyStores();
    await runScript(
      stores.db,
      `create table things (id identity, name text, small integer, large bigint, at bigint, owner text, is_on integer);`,
    );
  });
  after(() => stores.remove());

  const fill = (rows: readonly Row[]) =>
    stores.db.transaction(async (db) => {
      await db.execute('delete from things');
      await db.bulk(
        'things',
        columnNames,
        rows.map((row) => columnNames.map((name): Value => row[name] ?? null)),
      );
    });

  function request(raw: RawParameters) {
    const problems: Problem[] = [];
    const asked = readListRequest(list, raw, new Set(), problems);
    assert.deepEqual(problems, []);
    return asked;
  }

  const names = async (raw: RawParameters) => {
    const named = { ...list, select: 't.name' };
    return (await readRows<{ name: string }>(stores.db, named, request(raw))).map(({ name }) => name);
  };

  it('gives the rows that every filter lets through, in order, on pages that make up the whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        tables,
        fc.array(filter, { maxLength: 3 }),
        sortBy,
        fc.integer({ min: 1, max: 16 }),
        async (rows, filters, terms, size) => {
          await fill(rows);
          const wanted = sorted(
            rows.filter((row) => filters.every((one) => holds(row, one))),
            terms,
          ).map(({ id }) => Number(id));
          const raw = asQuery(filters, terms);
          const whole = await readPage<{ id: number }>(stores.db, list, request(raw));
          assert.equal(whole.count, wanted.length);
          assert.deepEqual(idsOf(whole), wanted);
          const found: number[] = [];
          for (let skip = 0; skip < wanted.length + size; skip += size) {
            const page = await readPage<{ id: number }>(
              stores.db,
              list,
              request({ ...raw, skip: String(skip), limit: String(size) }),
            );
            assert.equal(page.count, wanted.length);
            assert.ok(page.rows.length <= size);
            found.push(...idsOf(page));
          }
          assert.deepEqual(found, wanted);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('counts all rows on a page of none, and past the end', async () => {
    await fill([1n, 2n, 3n].map((id): Row => ({ id, name: 'x' })));
    for (const raw of [{ limit: '0' }, { skip: '2147483647' }, { skip: '3', limit: '2' }]) {
      const { count, rows } = await readPage(stores.db, list, request(raw));
      assert.deepEqual([count, rows.length], [3, 0]);
    }
  });

  it('finds wildcards, quotes and backslashes as they are', async () => {
    const values = ['50%', '5000', 'a_b', 'aXb', 'a\\b', "a'b", 'a"b', '%', '_', '\\'];
    await fill(values.map((name, index): Row => ({ id: BigInt(index + 1), name })));
    assert.deepEqual(await names({ name: '~eq:%' }), ['50%', '%']);
    assert.deepEqual(await names({ name: '~eq:_' }), ['a_b', '_']);
    assert.deepEqual(await names({ name: '~eq:\\' }), ['a\\b', '\\']);
    assert.deepEqual(await names({ name: "~eq:'" }), ["a'b"]);
    assert.deepEqual(await names({ name: '~eq:A_B' }), ['a_b']);
    assert.deepEqual(await names({ name: '~eq:' }), values);
  });

  it('folds the letters A to Z and no others, the same on every store', async () => {
    const values = ['ADA', 'ada', 'ÄDA', 'äda', 'STRASSE', 'straße', 'İ', 'i', '\u212a', 'k', 'Σ', 'σ', 'ς'];
    await fill(values.map((name, index): Row => ({ id: BigInt(index + 1), name })));
    assert.deepEqual(await names({ name: '~eq:aDa' }), ['ADA', 'ada']);
    assert.deepEqual(await names({ name: '~eq:äD' }), ['äda']);
    assert.deepEqual(await names({ name: '~eq:Ä' }), ['ÄDA']);
    assert.deepEqual(await names({ name: '~eq:K' }), ['k']);
    assert.deepEqual(await names({ name: '~eq:I' }), ['i']);
    assert.deepEqual(await names({ name: '~eq:Σ' }), ['Σ']);
    assert.deepEqual(await names({ name: 'eq:ada' }), ['ada']);
  });

  it('takes the longest text it lets through', async () => {
    await fill([{ id: 1n, name: '_'.repeat(1000) }]);
    assert.equal((await names({ name: `~eq:${'_'.repeat(1000)}` })).length, 1);
    assert.equal((await names({ name: `~eq:${'€'.repeat(1000)}` })).length, 0);
  });

  it('compares a narrow column with what would not fit it', async () => {
    await fill([{ id: 1n, small: 5n }]);
    const found = async (small: string) => (await readRows(stores.db, list, request({ small }))).length;
    const huge = '9223372036854775807';
    assert.deepEqual(
      await Promise.all([found(`lt:${huge}`), found(`eq:${huge}`), found(`neq:${huge}`)]),
      [1, 0, 1],
    );
    assert.equal(await found('gt:-9223372036854775808'), 1);
  });

  it('takes fifty filters, every column to sort by, and leaves the table alone', async () => {
    await fill([{ id: 1n, name: "'; drop table things; --" }]);
    const raw = { name: Array(50).fill("eq:'; drop table things; --"), sort_by: columnNames };
    assert.equal((await names(raw)).length, 1);
  });
});
