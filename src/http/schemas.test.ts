import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseRfc3339, zeroTime } from '../values/time.ts';
import { NullInt32, NullString, NullTime, nullInt32, nullString, nullTime } from './contract-schemas.ts';
import { dateTime, timestamps } from './schemas.ts';

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const instant = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(9999, 11, 31) });

/** What a caller gets to see. */
const wire = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('nullable wrappers (gap 1.6)', () => {
  const wrappers: {
    name: string;
    schema: TSchema;
    value: fc.Arbitrary<unknown>;
    wrap(value: unknown): object;
    member: string;
    unset: unknown;
  }[] = [
    {
      name: 'int32',
      schema: NullInt32,
      value: int32,
      wrap: (v) => nullInt32(v as number),
      member: 'int32',
      unset: 0,
    },
    {
      name: 'string',
      schema: NullString,
      value: fc.string({ unit: 'binary' }),
      wrap: (v) => nullString(v as string),
      member: 'string',
      unset: '',
    },
    {
      name: 'time',
      schema: NullTime,
      value: instant,
      wrap: (v) => nullTime(v as number),
      member: 'time',
      unset: zeroTime,
    },
  ];

  for (const { name, schema, value, wrap, member, unset } of wrappers) {
    const fits = Compile(schema);

    it(`of ${name} are always objects with exactly two members, valid exactly when set`, () => {
      fc.assert(
        fc.property(fc.option(value), (given) => {
          const seen = wire(wrap(given));
          assert.deepEqual(Object.keys(seen), [member, 'valid']);
          assert.equal(seen.valid, given !== null);
          assert.ok(fits.Check(seen), JSON.stringify(seen));
        }),
      );
    });

    it(`of ${name} carry what they were given, also when it looks unset`, () => {
      const given = name === 'time' ? 0 : unset;
      assert.equal(wire(wrap(given)).valid, true);
      assert.deepEqual(wire(wrap(null)), { [member]: unset, valid: false });
    });
  }

  it('of numbers and texts give the value back', () => {
    fc.assert(fc.property(int32, (given) => wire(nullInt32(given)).int32 === given));
    fc.assert(fc.property(fc.string(), (given) => wire(nullString(given)).string === given));
  });

  it('of times give the instant back, in UTC, with milliseconds only when there are some', () => {
    fc.assert(
      fc.property(instant, (given) => {
        const { time } = wire(nullTime(given));
        assert.equal(parseRfc3339(time), given);
        assert.match(time, given % 1000 === 0 ? /T\d\d:\d\d:\d\dZ$/ : /T\d\d:\d\d:\d\d\.\d{3}Z$/);
      }),
    );
  });
});

describe('timestamps', () => {
  it('are never deleted', () => {
    assert.deepEqual(timestamps({ created_at: 0, updated_at: 1500 }), {
      created_at: '1970-01-01T00:00:00Z',
      updated_at: '1970-01-01T00:00:01.500Z',
      deleted_at: { Time: zeroTime, Valid: false },
    });
  });

  it('that never happened are the zero time', () => {
    assert.equal(dateTime(null), zeroTime);
  });
});
