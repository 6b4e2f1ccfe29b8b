import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextOccurrence, nextOccurrences, occurrencesBetween } from './occurrences.ts';
import { parseRecurrence } from './recurrence.ts';

const parse = (text: string) => parseRecurrence(text, { canEnd: true, shortestFreq: 'SECONDLY' });
const utc = (start: string, rule: string) => parse(`DTSTART:${start}Z\nRRULE:${rule}`);
const local = (zone: string, start: string, rule: string) =>
  parse(`DTSTART;TZID=${zone}:${start}\nRRULE:${rule}`);
const at = (text: string) => Date.parse(`${text}Z`);
const first = (rule: ReturnType<typeof parse>, limit = 6) =>
  nextOccurrences(rule, Number.NEGATIVE_INFINITY, limit);
/** Like 20240131T093000, in UTC. */
const short = (instant: number) => new Date(instant).toISOString().replace(/[-:]|\.000Z/g, '');

/** All at 09:00. Where DTSTART does not fit its rule it is not among the occurrences. */
const byDay: [start: string, rule: string, days: string][] = [
  ['19970902', 'FREQ=WEEKLY;WKST=SU;BYDAY=TU,TH', '19970902 19970904 19970909 19970911 19970916 19970918'],
  [
    '19970901',
    'FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,WE,FR',
    '19970901 19970903 19970905 19970915 19970917 19970919',
  ],
  ['19970905', 'FREQ=MONTHLY;BYDAY=1FR', '19970905 19971003 19971107 19971205 19980102 19980206'],
  [
    '19970907',
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-1SU',
    '19970907 19970928 19971102 19971130 19980104 19980125',
  ],
  ['19970922', 'FREQ=MONTHLY;BYDAY=-2MO', '19970922 19971020 19971117 19971222 19980119 19980216'],
  ['19970928', 'FREQ=MONTHLY;BYMONTHDAY=-3', '19970928 19971029 19971128 19971229 19980129 19980226'],
  ['19970902', 'FREQ=MONTHLY;BYMONTHDAY=2,15', '19970902 19970915 19971002 19971015 19971102 19971115'],
  ['19970930', 'FREQ=MONTHLY;BYMONTHDAY=1,-1', '19970930 19971001 19971031 19971101 19971130 19971201'],
  [
    '19970910',
    'FREQ=MONTHLY;INTERVAL=18;BYMONTHDAY=10,11,12,13,14,15',
    '19970910 19970911 19970912 19970913 19970914 19970915',
  ],
  ['19970902', 'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU', '19970902 19970909 19970916 19970923 19970930 19971104'],
  ['19970610', 'FREQ=YEARLY;BYMONTH=6,7', '19970610 19970710 19980610 19980710 19990610 19990710'],
  [
    '19970310',
    'FREQ=YEARLY;INTERVAL=2;BYMONTH=1,2,3',
    '19970310 19990110 19990210 19990310 20010110 20010210',
  ],
  [
    '19970101',
    'FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,100,200',
    '19970101 19970410 19970719 20000101 20000409 20000718',
  ],
  ['19970519', 'FREQ=YEARLY;BYDAY=20MO', '19970519 19980518 19990517 20000515 20010514 20020520'],
  ['19970512', 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '19970512 19980511 19990517 20000515 20010514 20020513'],
  ['19970605', 'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8', '19970605 19970612 19970619 19970626 19970703 19970710'],
  [
    '19970902',
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    '19980213 19980313 19981113 19990813 20001013 20010413',
  ],
  [
    '19970913',
    'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
    '19970913 19971011 19971108 19971213 19980110 19980207',
  ],
  [
    '19961105',
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '19961105 20001107 20041102 20081104 20121106 20161108',
  ],
  [
    '19970904',
    'FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3',
    '19970904 19971007 19971106 19971204 19980107 19980205',
  ],
  [
    '19970929',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '19970929 19971030 19971127 19971230 19980129 19980226',
  ],
  [
    '19970805',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO',
    '19970805 19970810 19970819 19970824 19970902 19970907',
  ],
  [
    '19970805',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU',
    '19970805 19970817 19970819 19970831 19970902 19970914',
  ],
  ['20070115', 'FREQ=MONTHLY;BYMONTHDAY=15,30', '20070115 20070130 20070215 20070315 20070330 20070415'],
  ['20240229', 'FREQ=YEARLY', '20240229 20280229 20320229 20360229 20400229 20440229'],
  ['18960229', 'FREQ=YEARLY', '18960229 19040229 19080229 19120229 19160229 19200229'],
  ['20240131', 'FREQ=MONTHLY', '20240131 20240331 20240531 20240731 20240831 20241031'],
  ['20040101', 'FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO', '20041227 20091228 20151228 20201228 20261228 20321227'],
  ['20040101', 'FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO', '20050103 20060102 20070101 20071231 20081229 20100104'],
  [
    '20040101',
    'FREQ=YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=SU',
    '20040104 20050102 20060101 20061231 20071230 20090104',
  ],
  ['20040101', 'FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU', '20050102 20060101 20061231 20071230 20081228 20100103'],
  ['20040101', 'FREQ=YEARLY;BYYEARDAY=366', '20041231 20081231 20121231 20161231 20201231 20241231'],
  ['20040101', 'FREQ=YEARLY;BYYEARDAY=-366,60', '20040101 20040229 20050301 20060301 20070301 20080101'],
  [
    '20240101',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    '20240131 20240229 20240329 20240430 20240531 20240628',
  ],
  ['20240103', 'FREQ=WEEKLY;BYDAY=MO,FR', '20240105 20240108 20240112 20240115 20240119 20240122'],
  ['20240101', 'FREQ=YEARLY;BYDAY=-1FR', '20241227 20251226 20261225 20271231 20281229 20291228'],
  ['20240101', 'FREQ=YEARLY;BYDAY=53MO', '20241230 20291231 20351231 20401231 20461231 20521230'],
];

/** All in the year of the start. */
const byTime: [start: string, rule: string, times: string][] = [
  [
    '19970902T090000',
    'FREQ=HOURLY;INTERVAL=3',
    '0902T090000 0902T120000 0902T150000 0902T180000 0902T210000 0903T000000',
  ],
  [
    '19970902T090000',
    'FREQ=MINUTELY;INTERVAL=90',
    '0902T090000 0902T103000 0902T120000 0902T133000 0902T150000 0902T163000',
  ],
  [
    '19970902T090000',
    'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
    '0902T090000 0902T092000 0902T094000 0902T100000 0902T102000 0902T104000',
  ],
  [
    '19970902T090000',
    'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
    '0902T090000 0902T092000 0902T094000 0902T100000 0902T102000 0902T104000',
  ],
  [
    '20240101T000000',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1;BYHOUR=6,18;BYSETPOS=-1,1',
    '0229T060000 0229T180000 0228T060000 0228T180000 0228T060000 0228T180000',
  ],
  [
    '20240101T000000',
    'FREQ=DAILY;BYHOUR=1,2;BYMINUTE=0,30;BYSETPOS=2,-1',
    '0101T013000 0101T023000 0102T013000 0102T023000 0103T013000 0103T023000',
  ],
  [
    '20240101T000000',
    'FREQ=SECONDLY;INTERVAL=45;BYSECOND=0,30',
    '0101T000000 0101T000130 0101T000300 0101T000430 0101T000600 0101T000730',
  ],
];

test('gives the days of rules by day, week, month and year', () => {
  for (const [start, rule, days] of byDay) {
    const expected = days.split(' ').map((day) => `${day}T090000`);
    assert.deepEqual(first(utc(`${start}T090000`, rule), expected.length).map(short), expected, rule);
  }
});

test('gives the times of rules with hours, minutes and seconds', () => {
  for (const [start, rule, times] of byTime) {
    const expected = times.split(' ');
    const found = first(utc(start, rule), expected.length).map((instant) => short(instant).slice(4));
    assert.deepEqual(found, expected, rule);
  }
});

test('a week number without a weekday means the weekday of the start', () => {
  const days = first(utc('20240103T000000', 'FREQ=YEARLY;BYWEEKNO=20'), 3);
  assert.deepEqual(days.map(short), ['20240515T000000', '20250514T000000', '20260513T000000']);
});

test('BYSETPOS counts from the beginning of the period, also of the one that the start cuts', () => {
  const days = first(utc('20240103T000000', 'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2'), 2);
  assert.deepEqual(days.map(short), ['20240103T000000', '20240110T000000']);
  assert.deepEqual(first(utc('20240101T000000', 'FREQ=DAILY;BYHOUR=1;BYSETPOS=2,-2'), 2), []);
  const same = first(utc('20240101T000000', 'FREQ=DAILY;BYHOUR=1,2;BYSETPOS=1,-2'), 2);
  assert.deepEqual(same.map(short), ['20240101T010000', '20240102T010000']);
});

test('the range leaves out its beginning and takes in its end', () => {
  const daily = utc('20240101T000000', 'FREQ=DAILY');
  const [from, to] = [at('2024-01-02T00:00:00'), at('2024-01-04T00:00:00')];
  assert.deepEqual(occurrencesBetween(daily, from, to, 10).map(short), [
    '20240103T000000',
    '20240104T000000',
  ]);
  assert.deepEqual(occurrencesBetween(daily, from - 1, to - 1, 10).map(short), [
    '20240102T000000',
    '20240103T000000',
  ]);
  assert.deepEqual(occurrencesBetween(daily, from, to, 1).map(short), ['20240103T000000']);
  assert.deepEqual(occurrencesBetween(daily, from, to, 0), []);
  assert.deepEqual(occurrencesBetween(daily, to, from, 10), []);
  assert.equal(nextOccurrence(daily, from), at('2024-01-03T00:00:00'));
  assert.equal(nextOccurrence(daily, Number.POSITIVE_INFINITY), undefined);
  for (const limit of [-1, 1.5, 10_001, Number.NaN]) {
    assert.throws(() => nextOccurrences(daily, 0, limit), RangeError);
  }
});

test('COUNT, UNTIL and EXDATE end or thin out a rule', () => {
  const counted = utc('20240101T000000', 'FREQ=DAILY;COUNT=3');
  assert.deepEqual(first(counted).map(short), ['20240101T000000', '20240102T000000', '20240103T000000']);
  assert.equal(nextOccurrence(counted, at('2024-01-02T00:00:00')), at('2024-01-03T00:00:00'));
  assert.equal(nextOccurrence(counted, at('2024-01-03T00:00:00')), undefined);
  const until = local('Europe/Berlin', '20240101T000000', 'FREQ=DAILY;UNTIL=20240102T230000Z');
  assert.deepEqual(first(until).map(short), ['20231231T230000', '20240101T230000', '20240102T230000']);
  assert.deepEqual(first(utc('20240101T000000', 'FREQ=DAILY;UNTIL=20231231T235959Z')), []);
  const thinned = parse(
    'DTSTART:20240101T000000Z\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE;TZID=Asia/Kolkata:20240102T053000\nEXDATE:20240104T000000Z',
  );
  assert.deepEqual(first(thinned).map(short), ['20240101T000000', '20240103T000000']);
});

test('ends for rules that never match, and leaps for those that rarely do', () => {
  const never = [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYDAY=6MO',
    'FREQ=SECONDLY;INTERVAL=2;BYSECOND=1',
    'FREQ=HOURLY;INTERVAL=12;BYHOUR=1',
    'FREQ=YEARLY;INTERVAL=10000;BYHOUR=1',
    'FREQ=SECONDLY;BYMONTH=4;BYMONTHDAY=31',
    'FREQ=YEARLY;BYWEEKNO=30;BYYEARDAY=1',
    'FREQ=DAILY;BYHOUR=1;BYSETPOS=2',
    'FREQ=SECONDLY;BYHOUR=1,2,3;BYSETPOS=-2',
  ];
  for (const rule of never) {
    const recurrence = local('Europe/Berlin', '20240101T020000', rule);
    assert.equal(nextOccurrence(recurrence, at('2024-06-01T00:00:00')), undefined, rule);
  }
  const rare = utc('19900101T000000', 'FREQ=SECONDLY;BYYEARDAY=366;BYDAY=MO;BYHOUR=1;BYMINUTE=2;BYSECOND=3');
  assert.deepEqual(nextOccurrences(rare, at('2013-01-01T00:00:00'), 2).map(short), [
    '20401231T010203',
    '20681231T010203',
  ]);
  const old = local('Europe/Berlin', '00010101T000000', 'FREQ=SECONDLY;INTERVAL=7');
  assert.equal(nextOccurrences(old, at('2024-01-01T00:00:00'), 10_000).length, 10_000);
});

test('ends with the year 9999', () => {
  const rule = local('America/New_York', '99991230T200000', 'FREQ=DAILY');
  assert.deepEqual(
    first(rule).map((instant) => new Date(instant).toISOString()),
    ['9999-12-31T01:00:00.000Z'],
  );
});
