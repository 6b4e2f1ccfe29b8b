import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRecurrence, RecurrenceProblem } from './recurrence.ts';

const midnight = { year: 2024, month: 1, day: 1, hour: 0, minute: 0, second: 0, zone: 'UTC' };
const daily = {
  freq: 'DAILY',
  interval: 1,
  bySecond: [],
  byMinute: [],
  byHour: [],
  byDay: [],
  byMonthDay: [],
  byYearDay: [],
  byWeekNo: [],
  byMonth: [],
  bySetPos: [],
  wkst: 'MO',
  start: midnight,
  count: undefined,
  until: undefined,
  exDates: [],
};

const withRule = (rule: string) => parseRecurrence(`DTSTART:20240101T000000Z\nRRULE:${rule}`);

function refuses(text: string, message: RegExp): void {
  assert.throws(() => parseRecurrence(text), { name: 'RecurrenceProblem', message }, JSON.stringify(text));
}

function refusesRule(rule: string, message: RegExp): void {
  refuses(`DTSTART:20240101T000000Z\nRRULE:${rule}`, message);
}

test('reads the two-line and the one-line form alike', () => {
  const forms = [
    'DTSTART:20240101T000000Z\nRRULE:FREQ=DAILY;INTERVAL=1',
    'DTSTART:20240101T000000Z\r\nRRULE:FREQ=DAILY;INTERVAL=1\r\n',
    'RRULE:FREQ=DAILY\nDTSTART:20240101T000000Z',
    'FREQ=DAILY;INTERVAL=1;DTSTART=20240101T000000Z',
    'DTSTART=20240101T000000Z;FREQ=DAILY',
    'RRULE:FREQ=DAILY;DTSTART=20240101T000000Z',
    'dtstart:20240101t000000z\nrrule:freq=daily;interval=01;wkst=mo',
  ];
  for (const form of forms) assert.deepEqual(parseRecurrence(form), daily, form);
});

test('reads a start in a named time zone', () => {
  const { start } = parseRecurrence('DTSTART;TZID=Europe/Berlin:20240229T023059\nRRULE:FREQ=DAILY');
  const expected = { year: 2024, month: 2, day: 29, hour: 2, minute: 30, second: 59, zone: 'Europe/Berlin' };
  assert.deepEqual(start, expected);
  assert.equal(parseRecurrence('dtstart;tzid=Etc/UTC:20240101T000000\nRRULE:FREQ=DAILY').start.zone, 'UTC');
});

test('sorts the lists and drops repeats', () => {
  const rule = withRule('FREQ=YEARLY;BYMONTHDAY=31,-1,+5,31;BYMONTH=12,2;BYSETPOS=1,-1;BYHOUR=9,10,0');
  assert.deepEqual(rule.byMonthDay, [-1, 5, 31]);
  assert.deepEqual(rule.byMonth, [2, 12]);
  assert.deepEqual(rule.bySetPos, [-1, 1]);
  assert.deepEqual(rule.byHour, [0, 9, 10]);
  assert.deepEqual(withRule('FREQ=MONTHLY;BYDAY=SU,2MO,-1MO,MO,+2MO,-53TU;WKST=SU').byDay, [
    { weekday: 'MO', ordinal: undefined },
    { weekday: 'MO', ordinal: -1 },
    { weekday: 'MO', ordinal: 2 },
    { weekday: 'TU', ordinal: -53 },
    { weekday: 'SU', ordinal: undefined },
  ]);
});

test('accepts both ends of every range and nothing past them', () => {
  const ranges: [part: string, good: string, bad: string[]][] = [
    ['BYSECOND', '0,59', ['60', '-1', '+1']],
    ['BYMINUTE', '0,59', ['60', '-1']],
    ['BYHOUR', '0,23', ['24', '-1']],
    ['BYMONTH', '1,12', ['0', '13', '-1']],
    ['BYMONTHDAY', '-31,-1,1,31', ['0', '-0', '32', '-32']],
    ['BYYEARDAY', '-366,-1,1,366', ['0', '367', '-367']],
    ['BYWEEKNO', '-53,-1,1,53', ['0', '54', '-54']],
    ['BYSETPOS', '-366,-1,1,366', ['0', '367', '-367']],
    ['BYDAY', '-53MO,-1TU,1WE,53TH,FR,+1SA,SU', ['0MO', '54MO', '-54MO', 'XX', '1', 'MONDAY', 'M', '1.5MO']],
  ];
  for (const [part, good, bad] of ranges) {
    const others = part === 'BYSETPOS' ? ';BYMINUTE=1' : '';
    assert.doesNotThrow(() => withRule(`FREQ=YEARLY;${part}=${good}${others}`), part);
    for (const value of [...bad, 'x', '1 ', '1e1', '999999', '']) {
      refusesRule(`FREQ=YEARLY;${part}=${value}`, new RegExp(`^${part} `));
      refusesRule(`FREQ=YEARLY;${part}=${good},${value}`, new RegExp(`^${part} `));
    }
  }
});

test('accepts the supported frequencies and intervals only', () => {
  for (const freq of ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY']) {
    assert.equal(withRule(`FREQ=${freq};INTERVAL=10000`).freq, freq);
  }
  refusesRule('FREQ=SECONDLY', /^FREQ must be one of .*, not "SECONDLY"$/);
  refusesRule('FREQ=FORTNIGHTLY', /^FREQ must be one of/);
  refusesRule('INTERVAL=2', /^FREQ is required$/);
  for (const interval of ['0', '-1', '10001', '1.5', '+1', 'x']) {
    refusesRule(`FREQ=DAILY;INTERVAL=${interval}`, /^INTERVAL takes whole numbers from 1 to 10000/);
  }
  refusesRule('FREQ=WEEKLY;WKST=XX', /^WKST must be one of/);
});

test('a shorter or longer shortest frequency can be asked for', () => {
  const text = (freq: string) => `DTSTART:20240101T000000Z\nRRULE:FREQ=${freq}`;
  assert.equal(parseRecurrence(text('SECONDLY'), { shortestFreq: 'SECONDLY' }).freq, 'SECONDLY');
  assert.equal(parseRecurrence(text('HOURLY'), { shortestFreq: 'HOURLY' }).freq, 'HOURLY');
  assert.throws(() => parseRecurrence(text('MINUTELY'), { shortestFreq: 'HOURLY' }), {
    message: 'FREQ must be one of YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, not "MINUTELY"',
  });
});

test('is frozen, with its lists', () => {
  const rule = withRule('FREQ=MONTHLY;BYDAY=1MO;BYHOUR=1');
  for (const part of [
    rule,
    rule.start,
    rule.byDay,
    rule.byDay[0],
    rule.byHour,
    rule.bySetPos,
    rule.exDates,
  ]) {
    assert.ok(Object.isFrozen(part));
  }
});

test('reads COUNT, UNTIL and EXDATE where a recurrence may end', () => {
  const ending = (rule: string, ...lines: string[]) =>
    parseRecurrence(['DTSTART:20240101T000000Z', `RRULE:${rule}`, ...lines].join('\n'), { canEnd: true });
  assert.equal(ending('FREQ=DAILY;COUNT=10000').count, 10_000);
  assert.equal(ending('FREQ=DAILY;until=20250101t000000z').until, Date.UTC(2025, 0, 1));
  const exDates = ending(
    'FREQ=DAILY',
    'EXDATE;TZID=Europe/Berlin:20240331T023000,20240102T010000',
    'exdate:20240102T000000Z',
  );
  assert.deepEqual(exDates.exDates, [Date.UTC(2024, 0, 2), Date.UTC(2024, 2, 31, 1, 30)]);
  const oneLine = 'FREQ=DAILY;DTSTART=20240101T000000Z;COUNT=2';
  assert.equal(parseRecurrence(oneLine, { canEnd: true }).count, 2);

  const problems: [rule: string, line: string, message: RegExp][] = [
    ['COUNT=0', '', /^COUNT takes whole numbers from 1 to 10000, not "0"$/],
    ['COUNT=10001', '', /^COUNT takes/],
    ['COUNT=1;UNTIL=20250101T000000Z', '', /^COUNT and UNTIL cannot be used together$/],
    ['UNTIL=20250101T000000', '', /^UNTIL must end in "Z" for UTC$/],
    ['UNTIL=20250101', '', /^UNTIL is like 20240131T093000Z, not "20250101"$/],
    ['UNTIL=20250230T000000Z', '', /^UNTIL "20250230T000000Z" is not a real date and time$/],
    ['COUNT=1', 'EXDATE:20240102T000000', /^EXDATE must end in "Z" for UTC or have a TZID$/],
    ['COUNT=1', 'EXDATE:20240102T000000Z,', /^EXDATE is like 20240131T093000Z, not ""$/],
    ['COUNT=1', 'EXDATE;TZID=Mars/Base:20240102T000000', /^TZID "Mars\/Base" is not a known time zone$/],
    [
      'COUNT=1',
      'EXDATE;VALUE=DATE:20240102',
      /^"EXDATE;VALUE=DATE:20240102" is neither a DTSTART nor an RRULE nor an EXDATE line$/,
    ],
    ['COUNT=1', 'RDATE:20240102T000000Z', /^"RDATE:20240102T000000Z" is neither/],
  ];
  for (const [rule, line, message] of problems) {
    const lines = line === '' ? [] : [line];
    assert.throws(() => ending(`FREQ=DAILY;${rule}`, ...lines), { name: 'RecurrenceProblem', message }, rule);
  }
});

test('refuses parts that are unsupported, unknown, repeated, empty or malformed', () => {
  refusesRule('FREQ=DAILY;UNTIL=20250101T000000Z', /^UNTIL is not supported: /);
  refusesRule('FREQ=DAILY;count=3', /^COUNT is not supported: /);
  refusesRule('FREQ=DAILY;X-FOO=1', /^"X-FOO" is not a known part$/);
  refusesRule('FREQ=DAILY;TZID=UTC', /^"TZID" is not a known part$/);
  refusesRule('FREQ=DAILY;freq=DAILY', /^FREQ is given more than once$/);
  refusesRule('FREQ=DAILY;DTSTART=20240101T000000Z', /^DTSTART is given more than once$/);
  refusesRule('FREQ=DAILY;BYDAY=', /^BYDAY has no value$/);
  refusesRule('FREQ=DAILY;', /^"" is not NAME=VALUE$/);
  refusesRule('FREQ=DAILY;BYDAY', /^"BYDAY" is not NAME=VALUE$/);
  refusesRule('FREQ=DAILY;=1', /^"=1" is not NAME=VALUE$/);
  refusesRule('FREQ=DAILY; INTERVAL=1', /^" INTERVAL" is not a known part$/);
  refusesRule('FREQ=DAILY;BYDAY=\u017fU', /not plain ASCII$/);
});

test('refuses what RFC 5545 forbids together', () => {
  for (const freq of ['MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY']) {
    refusesRule(`FREQ=${freq};BYWEEKNO=1`, /^BYWEEKNO needs FREQ=YEARLY$/);
  }
  for (const freq of ['MONTHLY', 'WEEKLY', 'DAILY']) {
    refusesRule(`FREQ=${freq};BYYEARDAY=1`, /^BYYEARDAY cannot be used with/);
  }
  for (const freq of ['YEARLY', 'HOURLY', 'MINUTELY']) withRule(`FREQ=${freq};BYYEARDAY=1`);
  refusesRule('FREQ=WEEKLY;BYMONTHDAY=1', /^BYMONTHDAY cannot be used with FREQ=WEEKLY$/);
  for (const freq of ['WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY']) {
    refusesRule(`FREQ=${freq};BYDAY=MO,1TU`, /^BYDAY takes numbered weekdays only/);
    assert.deepEqual(withRule(`FREQ=${freq};BYDAY=MO`).byDay, [{ weekday: 'MO', ordinal: undefined }]);
  }
  refusesRule('FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO', /^BYDAY takes no numbered weekdays next to BYWEEKNO$/);
  refusesRule('FREQ=MONTHLY;BYSETPOS=1', /^BYSETPOS needs another BY part$/);
});

test('refuses a missing, floating or impossible start', () => {
  refuses('RRULE:FREQ=DAILY', /^DTSTART is required$/);
  refuses('DTSTART:20240101T000000Z', /^RRULE is required$/);
  refuses('DTSTART:20240101T000000\nRRULE:FREQ=DAILY', /^DTSTART must end in "Z" for UTC or have a TZID$/);
  refuses('FREQ=DAILY;DTSTART=20240101T000000', /^DTSTART must end in "Z"/);
  refuses('DTSTART;TZID=Europe/Berlin:20240101T000000Z\nRRULE:FREQ=DAILY', /^DTSTART must not have both/);
  for (const zone of ['', 'Mars/Base', '+0100']) {
    refuses(`DTSTART;TZID=${zone}:20240101T000000\nRRULE:FREQ=DAILY`, /^TZID ".*" is not a known time zone$/);
  }
  for (const start of ['20230229T000000Z', '00000101T000000Z', '20240101T240000Z', '20240101T006000Z']) {
    refuses(`FREQ=DAILY;DTSTART=${start}`, /^DTSTART ".*" is not a real date and time$/);
  }
  refuses('FREQ=DAILY;DTSTART=20240101T000060Z', /not a real date and time$/);
  for (const start of ['20240101', '2024-01-01T00:00:00Z', '20240101T000000+01', '20240101T000000Z;']) {
    refuses(`DTSTART:${start}\nRRULE:FREQ=DAILY`, /^DTSTART is like 20240131T093000Z, not/);
  }
});

test('refuses other lines and overlong or empty text', () => {
  refuses('DTSTART:20240101T000000Z\nFREQ=DAILY', /^"FREQ=DAILY" is neither a DTSTART nor an RRULE line$/);
  refuses('DTSTART:20240101T000000Z\nEXDATE:20240102T000000Z', /^"EXDATE:.*" is neither/);
  refuses('DTSTART:20240101T000000Z\nRRULE:FREQ=DAILY\nEXDATE:20240102T000000Z', /^"EXDATE:.*" is neither/);
  refuses('DTSTART;VALUE=DATE:20240101\nRRULE:FREQ=DAILY', /^"DTSTART;VALUE=DATE:20240101" is neither/);
  refuses('DTSTART:20240101T000000Z\n\nRRULE:FREQ=DAILY', /^"" is neither/);
  refuses('DTSTART:20240101T000000Z\nRRULE:FREQ=DAILY\nRRULE:FREQ=DAILY', /^RRULE is given more than once$/);
  refuses('DTSTART:20240101T000000Z\nDTSTART:20240101T000000Z\nRRULE:FREQ=DAILY', /^DTSTART is given more/);
  refuses('DTSTART:20240101T000000Z\\nRRULE:FREQ=DAILY', /^RRULE is required$/);
  refuses('', /^the recurrence is empty$/);
  const padding = (length: number) =>
    `FREQ=DAILY;DTSTART=20240101T000000Z;BYHOUR=${'0,'.repeat(500)}`.slice(0, length);
  assert.doesNotThrow(() => parseRecurrence(padding(1000)));
  refuses(`${padding(1000)},0`, /^the recurrence is longer than 1000 characters$/);
});

test('any text gives a recurrence or a RecurrenceProblem', () => {
  const pieces = [
    'DTSTART',
    ':',
    ';',
    '=',
    '\n',
    'RRULE:',
    'FREQ=DAILY',
    'BYDAY=',
    '1MO',
    ',',
    'TZID=UTC',
    'EXDATE:',
    'UNTIL=',
    '20240101T000000Z',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 });
  fc.assert(
    fc.property(text, (parts) => {
      try {
        parseRecurrence(parts.join(''));
        parseRecurrence(parts.join(''), { canEnd: true, shortestFreq: 'SECONDLY' });
      } catch (error) {
        assert.ok(error instanceof RecurrenceProblem, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});
