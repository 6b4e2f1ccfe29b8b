import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../errors.ts';
import { deletedAtColumn, type List, readListRequest } from './list.ts';
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
    share: { type: 'number', sql: 'share' },
    size: { type: 'integer', sql: 'size', words: ['small', 'middling', 'large'] },
    deleted_at: deletedAtColumn,
  },
};
const uuid = 'C3F7D7B4-6a5e-4f7b-9f0a-0d8f3a0f9a11';
const noon = '2026-01-31T12:00:00Z';
const noonMs = Date.parse(noon);

function read(raw: RawParameters) {
  const problems: Problem[] = [];
  const request = readListRequest(list, raw, new Set(['own']), problems);
  return { request, problems };
}

/** The one condition and its value. */
function filtered(raw: RawParameters) {
  const { request, problems } = read(raw);
  assert.deepEqual(problems, []);
  return [request.where, ...request.params];
}

function refused(raw: RawParameters): Problem {
  const { problems } = read(raw);
  assert.equal(problems.length, 1, JSON.stringify(problems));
  return problems[0] as Problem;
}

const operators = { eq: '=', neq: 'is distinct from', gt: '>', gte: '>=', lt: '<', lte: '<=' };
const cases = [
  { name: 'id', sql: 'id', text: '12', value: 12n, wide: true, takes: Object.keys(operators) },
  { name: 'at', sql: 'at', text: noon, value: noonMs, wide: true, takes: Object.keys(operators) },
  { name: 'name', sql: 'name', text: 'Ada', value: 'Ada', wide: false, takes: ['eq', 'neq', '~eq'] },
  { name: 'owner', sql: 'owner', text: uuid, value: uuid.toLowerCase(), wide: false, takes: ['eq', 'neq'] },
  { name: 'on', sql: 'is_on', text: 'true', value: 1, wide: false, takes: ['eq', 'neq'] },
];

describe('a filter of a list', () => {
  for (const { name, sql, text, value, wide, takes } of cases) {
    for (const [predicate, operator] of Object.entries(operators)) {
      if (!takes.includes(predicate)) continue;
      it(`compares ${name} with ${predicate}`, () => {
        const parameter = wide ? 'cast($1 as bigint)' : '$1';
        assert.deepEqual(filtered({ [name]: `${predicate}:${text}` }), [
          `${sql} ${operator} ${parameter}`,
          value,
        ]);
      });
    }

    it(`refuses other predicates for ${name}, and says which it takes`, () => {
      for (const predicate of [...Object.keys(operators), '~eq'].filter((one) => !takes.includes(one))) {
        assert.deepEqual(refused({ [name]: `${predicate}:${text}` }), {
          context: name,
          message: `the specified filter predicate is not supported for this column: ${name} ${predicate}; it takes ${takes.join(', ')}`,
        });
      }
    });

    it(`means eq without a predicate, for ${name}`, () => {
      assert.deepEqual(filtered({ [name]: text }), filtered({ [name]: `eq:${text}` }));
    });

    it(`finds what is unset and what is set, for ${name}`, () => {
      assert.deepEqual(filtered({ [name]: 'eq:null' }), [`${sql} is null`]);
      assert.deepEqual(filtered({ [name]: 'null' }), [`${sql} is null`]);
      assert.deepEqual(filtered({ [name]: 'neq:null' }), [`${sql} is not null`]);
    });
  }

  it('refuses to order by null', () => {
    for (const predicate of ['gt', 'gte', 'lt', 'lte'])
      assert.match(
        refused({ at: `${predicate}:null` }).message,
        /^at can be compared to null with eq and neq/,
      );
  });

  it('looks for text with its wildcards as they are, and "null" as a word', () => {
    const containing = (value: string) => ["lower(name) like $1 escape '\\'", value];
    assert.deepEqual(filtered({ name: '~eq:50%_A\\Ä' }), containing('%50\\%\\_a\\\\Ä%'));
    assert.deepEqual(filtered({ name: '~eq:null' }), containing('%null%'));
    assert.deepEqual(filtered({ name: '~eq:' }), containing('%%'));
  });

  it('splits at the first colon after a word alone', () => {
    assert.deepEqual(filtered({ name: 'eq:a:b' }), ['name = $1', 'a:b']);
    assert.deepEqual(filtered({ name: 'eq:' }), ['name = $1', '']);
    assert.deepEqual(filtered({ name: '' }), ['name = $1', '']);
    assert.deepEqual(filtered({ name: 'eq:line\nbreak' }), ['name = $1', 'line\nbreak']);
    // Not a predicate, whatever it looks like: a full-width colon, a Cyrillic letter, a blank.
    for (const text of ['eq：a', 'еq:a', ' eq:a', 'eq :a', '7:a', ':a', '=:a'])
      assert.deepEqual(filtered({ name: text }), ['name = $1', text]);
  });

  it('refuses a word before the colon that is no predicate, and says how to write it', () => {
    for (const word of ['like', 'EQ', 'Eq', 'in', '~neq', '~', 'urn', 'constructor', 'toString']) {
      if (word === '~') continue;
      assert.deepEqual(refused({ name: `${word}:a` }), {
        context: 'name',
        message: `"${word}" is not a filter predicate: use eq, neq, ~eq, as in name=eq:value`,
      });
    }
  });

  it('takes whole numbers of 64 bits, and nothing that only looks like one', () => {
    const good = { '0': 0n, '-0': 0n, '007': 7n, '-9223372036854775808': -(2n ** 63n) };
    for (const [text, value] of Object.entries({ ...good, '9223372036854775807': 2n ** 63n - 1n }))
      assert.deepEqual(filtered({ id: `gt:${text}` }), ['id > cast($1 as bigint)', value]);
    assert.deepEqual(filtered({ id: `${'0'.repeat(40)}5` }), ['id = cast($1 as bigint)', 5n]);
    const bad = ['9223372036854775808', '-9223372036854775809', '1.0', '1e3', '0x1', ' 1', '1 ', '+1', ''];
    for (const text of [...bad, '١', '１', '1_000', '--1', '-', 'NaN', '1;drop table things', '1\0'])
      assert.match(refused({ id: `eq:${text}` }).message, /^id must be a whole number that fits 64 bits/);
  });

  it('takes numbers with a point or an exponent, and nothing that only looks like one', () => {
    for (const [text, value] of Object.entries({
      '0': '0',
      '0.250': '0.25',
      '-1.5': '-1.5',
      '2e-3': '0.002',
      '1e-999': '0',
    }))
      assert.deepEqual(filtered({ share: `lt:${text}` }), ['share < cast($1 as double precision)', value]);
    for (const text of ['.5', '5.', '1,5', '0x1', 'NaN', 'Infinity', '1e999', ' 1', '+1', ''])
      assert.match(refused({ share: `eq:${text}` }).message, /^share must be a number such as 0.25/);
  });

  it('takes words for numbers, and compares as the numbers do', () => {
    assert.deepEqual(filtered({ size: 'large' }), ['size = cast($1 as bigint)', 2]);
    assert.deepEqual(filtered({ size: 'gte:middling' }), ['size >= cast($1 as bigint)', 1]);
    assert.deepEqual(filtered({ size: 'neq:small' }), ['size is distinct from cast($1 as bigint)', 0]);
    for (const text of ['2', 'Large', '', 'huge'])
      assert.match(
        refused({ size: `eq:${text}` }).message,
        /^size must be one of small, middling, large, but is "/,
      );
  });

  it('takes exact date-times, UUIDs and booleans alone', () => {
    for (const text of ['2026-01-31', '2026-02-30T00:00:00Z', '2026-01-31T12:00:00', '1738324800', 'now', ''])
      assert.match(refused({ at: `gte:${text}` }).message, /^at must be an RFC 3339 date-time/);
    for (const text of [uuid.slice(1), `{${uuid}}`, uuid.replaceAll('-', ''), `${uuid} `, ''])
      assert.match(refused({ owner: `eq:${text}` }).message, /^owner must be a UUID/);
    for (const text of ['1', '0', 'TRUE', 'yes', 't', ''])
      assert.match(refused({ on: `eq:${text}` }).message, /^on must be true or false/);
  });

  it('puts a time between two milliseconds between them', () => {
    const between = '2026-01-31T12:00:00.0009Z';
    const next = noonMs + 1;
    assert.deepEqual(filtered({ at: `gt:${between}` }), ['at >= cast($1 as bigint)', next]);
    assert.deepEqual(filtered({ at: `gte:${between}` }), ['at >= cast($1 as bigint)', next]);
    assert.deepEqual(filtered({ at: `lt:${between}` }), ['at < cast($1 as bigint)', next]);
    assert.deepEqual(filtered({ at: `lte:${between}` }), ['at < cast($1 as bigint)', next]);
    assert.deepEqual(filtered({ at: `eq:${between}` }), ['false']);
    assert.deepEqual(filtered({ at: `neq:${between}` }), ['true']);
    const whole = '2026-01-31T12:00:00.001000Z';
    assert.deepEqual(filtered({ at: `lte:${whole}` }), ['at <= cast($1 as bigint)', next]);
  });

  it('joins several with and, repeated ones too, each with a parameter of its own', () => {
    assert.deepEqual(filtered({ id: ['gt:1', 'lt:9'], name: ['neq:null', 'a'], on: 'false' }), [
      'id > cast($1 as bigint) and id < cast($2 as bigint) and name is not null and name = $3 and is_on = $4',
      1n,
      9n,
      'a',
      0,
    ]);
    assert.deepEqual(filtered({}), ['true']);
  });

  it('never puts what was sent into the SQL', () => {
    for (const text of ["'; drop table things; --", '$1', '$2', '?', '"id"', '`', 'x) or (1=1', '\\']) {
      assert.deepEqual(filtered({ name: text }), ['name = $1', text]);
      assert.match(refused({ [`name ${text}`]: 'eq:a' }).message, /^the specified column cannot be filtered/);
    }
  });

  it('replaces what cannot be stored', () => {
    assert.deepEqual(filtered({ name: 'eq:a\0b\ud800' }), ['name = $1', 'a\ufffdb\ufffd']);
  });

  it('refuses an unknown column by its name, that of an inherited member too', () => {
    const names = ['is_on', 'Name', 'name ', 'constructor', 'toString', 'hasOwnProperty', ''];
    for (const name of names) {
      assert.deepEqual(refused({ [name]: 'eq:a' }), {
        context: name,
        message: `the specified column cannot be filtered: ${JSON.stringify(name)}; choose from id, name, at, made, owner, on, share, size, deleted_at`,
      });
    }
    const raw = JSON.parse('{"__proto__": "eq:a"}');
    assert.equal(refused(raw).context, '__proto__');
    const { context, message } = refused({ [`${'x'.repeat(99)}😀\0${'y'.repeat(5000)}`]: 'a' });
    assert.equal(context, `${'x'.repeat(99)}\ufffd`);
    assert.ok(message.length < 250);
  });

  it('leaves the parameters of the operation itself alone', () => {
    assert.deepEqual(filtered({ own: 'anything' }), ['true']);
  });

  it('reports every problem', () => {
    const { problems } = read({ id: ['x', 'y'], nothing: 'a', sort_by: 'nope', limit: '-1', skip: 'b' });
    assert.deepEqual(
      problems.map(({ context }) => context),
      ['id', 'id', 'nothing', 'sort_by', 'skip', 'limit'],
    );
  });

  it('refuses more than 50, and a value of more than 1000 characters', () => {
    assert.equal(read({ id: Array(50).fill('gt:1') }).problems.length, 0);
    assert.equal(
      refused({ id: Array(51).fill('gt:1') }).message,
      'at most 50 filters are taken, 51 are given',
    );
    assert.equal(read({ name: `~eq:${'_'.repeat(1000)}` }).problems.length, 0);
    assert.match(refused({ name: `~eq:${'_'.repeat(1001)}` }).message, /at most 1000 characters, 1001 are/);
  });
});
