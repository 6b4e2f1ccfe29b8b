import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../errors.ts';
import { deletedAtColumn, type List, listParameters, narrowed, readListRequest } from './list.ts';
import type { RawParameters } from './parameters.ts';

const list: List = {
  select: '*',
  from: 'things',
  key: 'id',
  growth: 'few rows',
  columns: {
    id: { type: 'integer', sql: 'id' },
    name: { type: 'text', sql: 'name' },
    at: { type: 'time', sql: 'at' },
    made: { type: 'time', sql: 'made', neverNull: true },
    owner: { type: 'uuid', sql: 'owner' },
    on: { type: 'boolean', sql: 'is_on' },
    deleted_at: deletedAtColumn,
  },
};

function read(raw: RawParameters, of: List = list) {
  const problems: Problem[] = [];
  const request = readListRequest(of, raw, new Set(['own']), problems);
  return { request, problems };
}

function refused(raw: RawParameters): Problem {
  const { problems } = read(raw);
  assert.equal(problems.length, 1, JSON.stringify(problems));
  return problems[0] as Problem;
}

describe('the order of a list', () => {
  const order = (sortBy: string | string[] | undefined, of = list) => {
    const { request, problems } = read(sortBy === undefined ? {} : { sort_by: sortBy }, of);
    assert.deepEqual(problems, []);
    return request.orderBy;
  };

  it('is by the key, or as the list says', () => {
    assert.equal(order(undefined), 'id asc');
    assert.equal(order(undefined, { ...list, defaultSort: ['-made'] }), 'made desc, id asc');
  });

  it('has what is unset first, and the key last', () => {
    assert.equal(order('name'), 'name asc nulls first, id asc');
    assert.equal(order('-name'), 'name desc nulls last, id asc');
    assert.equal(order(['-on', 'made']), 'is_on desc nulls last, made asc, id asc');
  });

  it('has a column once, as it was named first', () => {
    assert.equal(order(['-id', 'name', 'id', '-name']), 'id desc, name asc nulls first');
  });

  it('refuses what is no column', () => {
    for (const name of [
      '',
      '-',
      '--id',
      'is_on',
      'id,name',
      'id desc',
      'id; drop table things',
      '__proto__',
    ]) {
      const { context, message } = refused({ sort_by: name });
      const meant = name.startsWith('-') ? name.slice(1) : name;
      assert.equal(context, 'sort_by');
      assert.equal(
        message,
        `the specified column cannot be sorted: ${JSON.stringify(meant)}; choose from id, name, at, made, owner, on, deleted_at`,
      );
    }
  });
});

describe('the page of a list', () => {
  it('is everything, or as the list says', () => {
    assert.deepEqual([read({}).request.skip, read({}).request.limit], [0, undefined]);
    assert.equal(read({}, { ...list, defaultLimit: 100 }).request.limit, 100);
    assert.equal(read({ limit: '0' }, { ...list, defaultLimit: 100 }).request.limit, 0);
  });

  it('takes whole numbers up to its bounds', () => {
    assert.equal(read({ limit: '10000' }).request.limit, 10_000);
    assert.equal(read({ skip: '2147483647' }).request.skip, 2_147_483_647);
    assert.equal(read({ skip: '0000000000000007' }).request.skip, 7);
    for (const limit of ['10001', '-1', '1.5', '', ' 1', '1e3', '0x1', '９', '9'.repeat(500), ['1', '1']])
      assert.match(refused({ limit }).message, /^limit must be one whole number from 0 to 10000, but is /);
    for (const skip of ['2147483648', '-1', 'null'])
      assert.match(refused({ skip }).message, /^skip must be one whole number from 0 to 2147483647, but is /);
  });

  it('may be asked for by offset, where the list says so', () => {
    const withOffset: List = { ...list, offset: true };
    assert.equal(read({ offset: '3' }, withOffset).request.skip, 3);
    assert.match(read({ offset: '-1' }, withOffset).problems[0]?.message ?? '', /^offset must be one whole/);
    const { problems } = read({ offset: '3', skip: '3' }, withOffset);
    assert.deepEqual(
      problems.map(({ context }) => context),
      ['offset'],
    );
    assert.equal(refused({ offset: '3' }).context, 'offset');
    assert.ok('offset' in listParameters(withOffset) && !('offset' in listParameters(list)));
  });

  it('tells what was sent', () => {
    assert.deepEqual([...read({ limit: '1', name: 'a', skip: undefined }).request.given], ['limit', 'name']);
  });
});

describe('narrowed', () => {
  it('adds a condition as a whole, with the next parameter', () => {
    const { request } = read({ id: Array(10).fill('gt:1') });
    const { where, params } = narrowed(request, 'a = $1 or b = $1', 'x');
    assert.ok(where.endsWith(' and (a = $11 or b = $11)'));
    assert.equal(params.at(-1), 'x');
    assert.equal(params.length, 11);
  });
});

describe('listParameters', () => {
  it('describes a parameter for each column, the order and the page', () => {
    const described = listParameters({ ...list, defaultLimit: 100 });
    assert.deepEqual(Object.keys(described), [...Object.keys(list.columns), 'sort_by', 'skip', 'limit']);
    const { items } = described.sort_by as unknown as { items: { enum: string[] } };
    assert.ok(items.enum.includes('-made') && items.enum.length === 14);
    assert.equal((described.limit as unknown as { default: number }).default, 100);
  });
});
