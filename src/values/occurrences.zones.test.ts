import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextOccurrences } from './occurrences.ts';
import { parseRecurrence } from './recurrence.ts';

const local = (zone: string, start: string, rule: string) =>
  parseRecurrence(`DTSTART;TZID=${zone}:${start}\nRRULE:${rule}`, { canEnd: true });
const at = (text: string) => Date.parse(`${text}Z`);
const first = (rule: ReturnType<typeof local>, limit = 6) =>
  nextOccurrences(rule, Number.NEGATIVE_INFINITY, limit);
/** Like 20240131T093000, in UTC. */
const short = (instant: number) => new Date(instant).toISOString().replace(/[-:]|\.000Z/g, '');

test('a rule keeps its wall-clock time across changes of the clock', () => {
  const cases: [zone: string, start: string, rule: string, expected: string][] = [
    // Skipped readings count by the offset before the gap, repeated ones mean the first.
    ['Europe/Berlin', '20240330T023000', 'FREQ=DAILY', '20240330T013000 20240331T013000 20240401T003000'],
    ['Europe/Berlin', '20241026T023000', 'FREQ=DAILY', '20241026T003000 20241027T003000 20241028T013000'],
    ['America/New_York', '20240309T023000', 'FREQ=DAILY', '20240309T073000 20240310T073000 20240311T063000'],
    ['America/New_York', '20241102T013000', 'FREQ=DAILY', '20241102T053000 20241103T053000 20241104T063000'],
    [
      'Australia/Lord_Howe',
      '20241005T021500',
      'FREQ=DAILY',
      '20241004T154500 20241005T154500 20241006T151500',
    ],
    [
      'Australia/Lord_Howe',
      '20240406T014500',
      'FREQ=DAILY',
      '20240405T144500 20240406T144500 20240407T151500',
    ],
    ['Africa/Casablanca', '20240309T120000', 'FREQ=DAILY', '20240309T110000 20240310T120000 20240311T120000'],
    ['Asia/Kolkata', '20240330T023000', 'FREQ=DAILY', '20240329T210000 20240330T210000 20240331T210000'],
    // 30 December 2011 was skipped as a whole, so it falls on the instant of the 31st.
    ['Pacific/Apia', '20111229T120000', 'FREQ=DAILY', '20111229T220000 20111230T220000 20111231T220000'],
    ['Pacific/Apia', '20111230T120000', 'FREQ=WEEKLY', '20111230T220000 20120105T220000 20120112T220000'],
    // Every occurrence lies in a gap.
    [
      'Europe/Berlin',
      '20240331T023000',
      'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
      '20240331T013000 20250330T013000',
    ],
  ];
  for (const [zone, start, rule, expected] of cases) {
    const times = expected.split(' ');
    assert.deepEqual(first(local(zone, start, rule), times.length).map(short), times, `${zone} ${start}`);
  }
});

test('short frequencies follow the wall clock too, without repeats and in order', () => {
  const cases: [zone: string, start: string, rule: string, expected: string][] = [
    // 02:00 and 03:00 are the same instant, and so are 02:30 and 03:30.
    ['Europe/Berlin', '20240331T013000', 'FREQ=MINUTELY;INTERVAL=30', '003000 010000 013000 020000 023000'],
    // 02:20 happens after 03:10, the reading that follows the gap.
    ['Europe/Berlin', '20240331T013000', 'FREQ=MINUTELY;INTERVAL=50', '003000 011000 012000 020000'],
    // The second 02:00 to 03:00 is left out.
    ['Europe/Berlin', '20241027T013000', 'FREQ=MINUTELY;INTERVAL=30', '233000 000000 003000 020000 023000'],
    ['Europe/Berlin', '20240330T180000', 'FREQ=HOURLY;INTERVAL=6', '170000 230000 040000 100000'],
    [
      'Australia/Lord_Howe',
      '20241006T013000',
      'FREQ=MINUTELY;INTERVAL=20',
      '150000 152000 153000 154000 155000',
    ],
  ];
  for (const [zone, start, rule, expected] of cases) {
    const times = expected.split(' ');
    const found = first(local(zone, start, rule), times.length).map((instant) => short(instant).slice(9));
    assert.deepEqual(found, times, `${zone} ${start} ${rule}`);
  }
  // Two wall-clock readings that are one instant count once.
  assert.equal(first(local('Europe/Berlin', '20240331T013000', 'FREQ=HOURLY;COUNT=3'), 9).length, 3);
  assert.equal(
    short(first(local('Europe/Berlin', '20240331T013000', 'FREQ=HOURLY;COUNT=3'), 9)[2] ?? 0),
    '20240331T023000',
  );
});

test('a jump inside or just behind a gap finds what the gap holds', () => {
  const rule = local('Europe/Berlin', '20200101T000000', 'FREQ=MINUTELY;BYHOUR=2;BYMINUTE=15,45');
  const found = nextOccurrences(rule, at('2024-03-31T01:20:00'), 2);
  assert.deepEqual(found.map(short), ['20240331T014500', '20240401T001500']);
});
