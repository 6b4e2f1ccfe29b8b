import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromWallClock, toWallClock, zoneOffset } from './time-zone.ts';

const minute = 60_000;
const day = 1440 * minute;
const at = (text: string) => Date.parse(`${text}Z`);
const zones = [
  ...['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kolkata'],
  ...['Pacific/Apia', 'Pacific/Kwajalein', 'America/St_Johns', 'Antarctica/Troll', 'Africa/Monrovia', 'UTC'],
];

/** The wall clock as Intl writes it field by field, which the code under test does not use. */
function shownByIntl(zone: string, instant: number): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    ...{ hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
  const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return at(`${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}`);
}

test('knows the offsets on both sides of a change to the millisecond', () => {
  const changes: [zone: string, change: string, before: number, after: number][] = [
    ['Europe/Berlin', '2024-03-31T01:00:00', 60, 120],
    ['Europe/Berlin', '2024-10-27T01:00:00', 120, 60],
    ['America/New_York', '2024-03-10T07:00:00', -300, -240],
    ['Australia/Lord_Howe', '2024-10-05T15:30:00', 630, 660],
    ['Africa/Casablanca', '2024-03-10T02:00:00', 60, 0],
    ['Pacific/Apia', '2011-12-30T10:00:00', -600, 840],
    // Two changes within seven days.
    ['America/Recife', '2000-10-15T02:00:00', -120, -180],
    ['America/Recife', '2000-10-08T03:00:00', -180, -120],
    ['Africa/Monrovia', '1972-01-07T00:44:30', -44.5, 0],
  ];
  for (const [zone, change, before, after] of changes) {
    assert.equal(zoneOffset(zone, at(change) - 1), before * minute, `before ${zone} ${change}`);
    assert.equal(zoneOffset(zone, at(change)), after * minute, `from ${zone} ${change}`);
  }
  assert.equal(zoneOffset('UTC', 0), 0);
  assert.equal(zoneOffset('Asia/Kolkata', at('9999-12-31T00:00:00')), 330 * minute);
});

test('resolves skipped and repeated readings as RFC 5545 says', () => {
  const readings: [zone: string, reading: string, instant: string, skippedMinutes: number][] = [
    ['Europe/Berlin', '2024-03-31T01:59:59', '2024-03-31T00:59:59', 0],
    ['Europe/Berlin', '2024-03-31T02:00:00', '2024-03-31T01:00:00', 60],
    ['Europe/Berlin', '2024-03-31T02:30:00', '2024-03-31T01:30:00', 60],
    ['Europe/Berlin', '2024-03-31T03:00:00', '2024-03-31T01:00:00', 0],
    ['Europe/Berlin', '2024-10-27T02:30:00', '2024-10-27T00:30:00', 0],
    ['Europe/Berlin', '2024-10-27T03:00:00', '2024-10-27T02:00:00', 0],
    ['Australia/Lord_Howe', '2024-10-06T02:15:00', '2024-10-05T15:45:00', 30],
    ['Pacific/Apia', '2011-12-29T23:59:59', '2011-12-30T09:59:59', 0],
    ['Pacific/Apia', '2011-12-30T00:00:00', '2011-12-30T10:00:00', 1440],
    ['Pacific/Apia', '2011-12-30T23:59:59', '2011-12-31T09:59:59', 1440],
    ['Pacific/Apia', '2011-12-31T00:00:00', '2011-12-30T10:00:00', 0],
  ];
  for (const [zone, reading, instant, minutes] of readings) {
    const expected = { instant: at(instant), skipped: minutes * minute };
    assert.deepEqual(fromWallClock(zone, at(reading)), expected, `${zone} ${reading}`);
  }
});

test('agrees with the fields that Intl writes, and finds the first instant of a reading', () => {
  const seconds = fc.integer({
    min: at('1969-01-01T00:00:00') / 1000,
    max: at('2040-01-01T00:00:00') / 1000,
  });
  fc.assert(
    fc.property(fc.constantFrom(...zones), seconds, (zone, second) => {
      const instant = second * 1000;
      const wallClock = toWallClock(zone, instant);
      assert.equal(wallClock, shownByIntl(zone, instant));
      const resolved = fromWallClock(zone, wallClock);
      assert.equal(resolved.skipped, 0);
      assert.ok(resolved.instant <= instant);
      assert.equal(toWallClock(zone, resolved.instant), wallClock);
    }),
    { numRuns: 400 },
  );
});

test('stays right when more is asked for than it remembers', () => {
  const names = Intl.supportedValuesOf('timeZone').slice(0, 120);
  for (const zone of [...names, ...names]) {
    assert.equal(toWallClock(zone, at('2024-07-01T00:00:00')), shownByIntl(zone, at('2024-07-01T00:00:00')));
  }
  for (let number = 0; number < 5000; number++) zoneOffset('Europe/Berlin', number * 3 * day);
  assert.equal(zoneOffset('Europe/Berlin', at('2024-07-01T00:00:00')), 120 * minute);
});
