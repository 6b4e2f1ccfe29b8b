import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatRfc3339, isCalendarDay, knownTimeZone, parseRfc3339, zeroTime } from './time.ts';

const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');
const instants = fc.integer({ min: earliest, max: latest });

/** Pairs of a text and the same instant in a form Date reads. */
const accepted: [string, string][] = [
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
  ['2026-01-02t03:04:05z', '2026-01-02T03:04:05Z'],
  ['2026-01-02T03:04:05.1Z', '2026-01-02T03:04:05.100Z'],
  ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.124Z'],
  ['2026-01-02T03:04:05.123000000Z', '2026-01-02T03:04:05.123Z'],
  ['2026-01-02T03:04:05.000000001Z', '2026-01-02T03:04:05.001Z'],
  ['2026-01-02T03:04:59.9999Z', '2026-01-02T03:05:00Z'],
  ['1969-12-31T23:59:59.9999Z', '1970-01-01T00:00:00Z'],
  ['1960-01-01T00:00:00.0001Z', '1960-01-01T00:00:00.001Z'],
  ['2026-01-02T03:04:05+05:30', '2026-01-01T21:34:05Z'],
  ['2026-01-02T03:04:05-23:59', '2026-01-03T03:03:05Z'],
  ['2026-01-02T03:04:05-00:00', '2026-01-02T03:04:05Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z'],
  ['0050-06-01T00:00:00Z', '0050-06-01T00:00:00Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
  ['2016-12-31T23:59:60.5Z', '2017-01-01T00:00:00.500Z'],
  ['2017-01-01T05:29:60+05:30', '2017-01-01T00:00:00Z'],
  ['1960-12-31T15:59:60-08:00', '1961-01-01T00:00:00Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
];

const refused = [
  ...['', '2026-01-02', '2026-01-02T03:04Z', '2026-01-02T03:04:05', '2026-01-02 03:04:05Z'],
  ...['2026-01-02T03:04:05.Z', '2026-01-02T03:04:05,5Z', '2026-01-02T03:04:05.1234567890Z'],
  ...['2026-01-02T03:04:05+0530', '2026-01-02T03:04:05+05', '2026-01-02T03:04:05+24:00'],
  ...['2026-01-02T03:04:05+05:60', '2026-01-02T24:00:00Z', '2026-01-02T03:60:05Z', '2026-01-02T03:04:61Z'],
  ...['2026-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-01-32T00:00:00Z'],
  ...['2026-00-01T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-00T00:00:00Z', '0000-01-01T00:00:00Z'],
  ...['2016-12-31T23:58:60Z', '2016-12-31T22:59:60Z', '2016-12-31T23:59:60+01:00'],
  ...['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '9999-12-31T23:59:59.9991Z'],
  ...['9999-12-31T23:59:60Z', '+2026-01-02T03:04:05Z', '2026-1-2T03:04:05Z', ' 2026-01-02T03:04:05Z'],
  ...['2026-01-02T03:04:05Z\n', '2026-01-02T03:04:05Z ', '٢٠٢٦-01-02T03:04:05Z', '20260102T030405Z'],
];

test('reads every form of RFC 3339 date-time', () => {
  for (const [text, same] of accepted) assert.equal(parseRfc3339(text), Date.parse(same), text);
});

test('refuses other text, days that do not exist and instants outside the years 1 to 9999', () => {
  for (const text of refused) assert.equal(parseRfc3339(text), undefined, JSON.stringify(text));
});

test('agrees with Date on every instant', () => {
  fc.assert(
    fc.property(instants, (instant) => {
      assert.equal(parseRfc3339(new Date(instant).toISOString()), instant);
      assert.equal(Date.parse(formatRfc3339(instant)), instant);
    }),
  );
});

test('agrees with Date on offsets', () => {
  const offset = fc.tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59));
  const inside = fc.integer({ min: earliest + 86_400_000, max: latest - 86_400_000 });
  fc.assert(
    fc.property(inside, offset, (instant, [sign, hours, minutes]) => {
      const zone = `${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
      const text = new Date(instant).toISOString().replace('Z', zone);
      assert.equal(parseRfc3339(text), Date.parse(text), text);
    }),
  );
});

test('what it writes it reads back', () => {
  fc.assert(fc.property(instants, (instant) => parseRfc3339(formatRfc3339(instant)) === instant));
});

test('rounding up keeps both bounds of a range exact', () => {
  fc.assert(
    fc.property(fc.nat(999_999_999), fc.nat(1000), (nanoseconds, millisecond) => {
      const base = Date.parse('2026-01-02T03:04:05Z');
      const bound = parseRfc3339(`2026-01-02T03:04:05.${String(nanoseconds).padStart(9, '0')}Z`);
      assert.ok(bound !== undefined);
      assert.equal(base + millisecond < bound, millisecond * 1_000_000 < nanoseconds);
    }),
  );
});

test('writes milliseconds only when there are some, always three digits', () => {
  assert.equal(formatRfc3339(Date.UTC(2026, 0, 2, 3, 4, 5)), '2026-01-02T03:04:05Z');
  assert.equal(formatRfc3339(Date.UTC(2026, 0, 2, 3, 4, 5, 120)), '2026-01-02T03:04:05.120Z');
  assert.equal(formatRfc3339(earliest), zeroTime);
  assert.equal(formatRfc3339(-1), '1969-12-31T23:59:59.999Z');
});

test('refuses to write what it could not read back', () => {
  for (const instant of [earliest - 1, latest + 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => formatRfc3339(instant), RangeError);
  }
});

test('isCalendarDay knows real days only', () => {
  const check = (text: string) => {
    const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
    return isCalendarDay(year, month, day);
  };
  for (const day of ['2024-2-29', '1-1-1', '9999-12-31', '2000-2-29']) assert.ok(check(day), day);
  const unreal = [
    '2023-2-29',
    '1900-2-29',
    '0-1-1',
    '10000-1-1',
    '2024-13-1',
    '2024-0-1',
    '2024-4-31',
    '2024-1-0',
  ];
  for (const day of unreal) assert.ok(!check(day), day);
});

test('knownTimeZone takes IANA names only', () => {
  assert.equal(knownTimeZone('Europe/Berlin'), 'Europe/Berlin');
  assert.equal(knownTimeZone('Asia/Kolkata'), 'Asia/Kolkata');
  for (const name of ['UTC', 'utc', 'Etc/UTC']) assert.equal(knownTimeZone(name), 'UTC', name);
  for (const name of ['', 'Mars/Base', '+01:00', '-0500', 'Europe/', ' UTC']) {
    assert.equal(knownTimeZone(name), undefined, name);
  }
});
