import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseIsoDuration } from './duration.ts';

const accepted: [string, number][] = [
  ['P1W', 604_800_000],
  ['P1Y', 365 * 86_400_000],
  ['P30D', 30 * 86_400_000],
  ['PT1H', 3_600_000],
  ['PT90M', 5_400_000],
  ['PT1S', 1000],
  ['PT0S', 0],
  ['P007D', 7 * 86_400_000],
  ['P1Y2DT3H4M5S', 365 * 86_400_000 + 2 * 86_400_000 + 3 * 3_600_000 + 4 * 60_000 + 5000],
  ['P1DT5S', 86_405_000],
  ['PT9007199254740S', 9_007_199_254_740_000],
];

const refused = [
  ...['', 'P', 'PT', 'P1', 'P1DT', 'T1H', '1D', 'P1M', 'P1Y1M', 'P1W1D', 'P1Y1W', 'P1H', 'P1S', 'PT1D'],
  ...['p1d', 'P1d', 'P1.5D', 'PT0.5S', 'PT1,5S', 'P-1D', '-P1D', '+P1D', ' P1D', 'P1D ', 'P1D\n', 'P1D1Y'],
  ...['PT1S1M', 'P٣D', 'PT9007199254741S', `P${'9'.repeat(400)}D`, 'P1DP1D', 'P D'],
];

test('reads the durations of the accepted shapes', () => {
  for (const [text, milliseconds] of accepted) assert.equal(parseIsoDuration(text), milliseconds, text);
});

test('refuses everything else', () => {
  for (const text of refused) assert.equal(parseIsoDuration(text), undefined, JSON.stringify(text));
});

test('adds the components exactly, and refuses totals past the safe integers', () => {
  const count = fc.option(fc.bigInt({ min: 0n, max: 10n ** 13n }), { nil: undefined });
  fc.assert(
    fc.property(count, count, count, (days, hours, seconds) => {
      fc.pre([days, hours, seconds].some((value) => value !== undefined));
      const time = (hours === undefined ? '' : `${hours}H`) + (seconds === undefined ? '' : `${seconds}S`);
      const text = `P${days === undefined ? '' : `${days}D`}${time === '' ? '' : `T${time}`}`;
      const exact = (days ?? 0n) * 86_400_000n + (hours ?? 0n) * 3_600_000n + (seconds ?? 0n) * 1000n;
      const expected = exact > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(exact);
      assert.equal(parseIsoDuration(text), expected, text);
    }),
  );
});
