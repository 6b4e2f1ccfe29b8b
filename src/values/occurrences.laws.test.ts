import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { occurrencesByTrying } from '../../test/reference/slow-occurrences.ts';
import { nextOccurrence, nextOccurrences, occurrencesBetween } from './occurrences.ts';
import { parseRecurrence, type Recurrence, startWallClock, weekdays } from './recurrence.ts';

const day = 86_400_000;
const options = { canEnd: true, shortestFreq: 'SECONDLY' } as const;
const everything = Number.NEGATIVE_INFINITY;
const long = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'];
const short = ['DAILY', 'HOURLY', 'MINUTELY'];

const signed = (most: number) => fc.integer({ min: -most, max: most }).filter((number) => number !== 0);
const list = (entry: fc.Arbitrary<unknown>, maxLength: number) =>
  fc.uniqueArray(entry, { minLength: 1, maxLength }).map((entries) => entries.join(','));
const upTo = (max: number, maxLength: number, min = 0) => list(fc.integer({ min, max }), maxLength);
const weekday = fc.constantFrom(...weekdays);
const numbered = fc.tuple(signed(5), weekday).map(([ordinal, name]) => `${ordinal}${name}`);
/** Few parts at a time, because most rules with many never match. */
const sometimes = (value: fc.Arbitrary<string>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary: value, weight: 1 });

interface Choice {
  freqs: string[];
  hasMinutes: boolean;
  hasSeconds: boolean;
}

function ruleParts({ freqs, hasMinutes, hasSeconds }: Choice): fc.Arbitrary<string> {
  return fc.constantFrom(...freqs).chain((freq) => {
    const isLong = freq === 'YEARLY' || freq === 'MONTHLY';
    const parts = {
      INTERVAL: sometimes(fc.constantFrom('2', '3', '5', '7')),
      BYMONTH: sometimes(upTo(12, 5, 1)),
      ...(freq === 'YEARLY' && { BYWEEKNO: sometimes(list(signed(53), 4)) }),
      ...(!['MONTHLY', 'WEEKLY', 'DAILY'].includes(freq) && { BYYEARDAY: sometimes(list(signed(366), 60)) }),
      ...(freq !== 'WEEKLY' && { BYMONTHDAY: sometimes(list(signed(31), 12)) }),
      BYDAY: sometimes(isLong ? list(fc.oneof(weekday, numbered), 4) : list(weekday, 4)),
      BYHOUR: sometimes(upTo(23, 4)),
      ...(hasMinutes && { BYMINUTE: sometimes(upTo(59, 4)) }),
      ...(hasSeconds && { BYSECOND: sometimes(upTo(59, 4)) }),
      BYSETPOS: sometimes(list(signed(4), 2)),
      WKST: sometimes(weekday),
    };
    return fc.record(parts).map((values) => {
      const given = Object.entries(values).filter(([, value]) => value !== undefined);
      return `FREQ=${freq}${given.map(([name, value]) => `;${name}=${value}`).join('')}`;
    });
  });
}

const starts = fc.constantFrom(
  ...['DTSTART:20240101T000000Z', 'DTSTART:20231215T131700Z', 'DTSTART;TZID=Asia/Kolkata:20240229T233000'],
  ...['DTSTART;TZID=Europe/Berlin:20240330T021500', 'DTSTART;TZID=Europe/Berlin:20241026T022000'],
  ...['DTSTART;TZID=America/New_York:20240309T013000', 'DTSTART;TZID=Africa/Casablanca:20240309T020000'],
  ...['DTSTART;TZID=Australia/Lord_Howe:20241005T021000', 'DTSTART;TZID=Pacific/Apia:20111229T100000'],
);

/** Rules that RFC 5545 forbids are few, and left out. */
function recurrences(choice: Choice): fc.Arbitrary<{ text: string; rule: Recurrence }> {
  const texts = fc.tuple(starts, ruleParts(choice)).map(([start, parts]) => `${start}\nRRULE:${parts}`);
  return texts.filter(isAccepted).map((text) => ({ text, rule: parseRecurrence(text, options) }));
}

function isAccepted(text: string): boolean {
  try {
    return parseRecurrence(text, options) !== undefined;
  } catch {
    return false;
  }
}

/** Compares from the start until four years later, or the given number of days later; gives how many there were. */
function agreesWithTrying(choice: Choice, step: number, numRuns: number, daysAfter?: number): number {
  let found = 0;
  const property = fc.property(recurrences(choice), ({ rule }) => {
    const { year } = rule.start;
    const startDay = Math.floor(startWallClock(rule.start) / day) * day;
    // Whole periods, because BYSETPOS counts all times of one; a week may begin before the year does.
    const from = daysAfter === undefined ? Date.UTC(year, 0, 1 - 7) : startDay;
    const to = daysAfter === undefined ? Date.UTC(year + 4, 0, 1) : startDay + daysAfter * day;
    const end = to - (daysAfter === undefined ? 8 : 2) * day;
    const expected = occurrencesByTrying(rule, from, to, step).filter((instant) => instant <= end);
    assert.deepEqual(occurrencesBetween(rule, everything, end, 10_000), expected.slice(0, 10_000));
    found += expected.length;
  });
  fc.assert(property, { numRuns });
  return found;
}

test('long rules give what trying every hour of four years gives', () => {
  const choice = { freqs: long, hasMinutes: false, hasSeconds: false };
  assert.ok(agreesWithTrying(choice, 3_600_000, 150) > 150);
});

test('short rules give what trying every minute of some days gives', () => {
  const choice = { freqs: short, hasMinutes: true, hasSeconds: false };
  assert.ok(agreesWithTrying(choice, 60_000, 200, 6) > 200);
});

test('rules by the second give what trying every second gives', () => {
  agreesWithTrying({ freqs: ['MINUTELY', 'SECONDLY'], hasMinutes: true, hasSeconds: true }, 1000, 10, 4);
});

const anyRule = { freqs: [...long, 'HOURLY', 'MINUTELY', 'SECONDLY'], hasMinutes: true, hasSeconds: true };

test('occurrences ascend strictly, and every question is answered from the same list', () => {
  const property = fc.property(
    recurrences(anyRule),
    fc.nat(),
    fc.integer({ min: -1, max: 1 }),
    ({ rule }, nat, shift) => {
      const all = nextOccurrences(rule, everything, 60);
      for (const [index, instant] of all.entries()) assert.ok(index === 0 || instant > (all[index - 1] ?? 0));
      if (all.length === 0) return;
      const after = (all[nat % Math.min(all.length, 40)] ?? 0) + shift;
      const rest = all.filter((instant) => instant > after);
      assert.deepEqual(nextOccurrences(rule, after, 10), rest.slice(0, 10));
      assert.equal(nextOccurrence(rule, after), rest[0]);
      const end = rest[nat % 10] ?? after;
      assert.deepEqual(
        occurrencesBetween(rule, after, end, 60),
        rest.filter((instant) => instant <= end),
      );
      assert.deepEqual(
        occurrencesBetween(rule, after, end - 1, 60),
        rest.filter((instant) => instant < end),
      );
    },
  );
  fc.assert(property, { numRuns: 200 });
});

test('jumping to an instant gives the same as walking there from the start', () => {
  const property = fc.property(recurrences(anyRule), fc.nat(), ({ rule }, nat) => {
    const walked = nextOccurrences(rule, everything, 2000);
    if (walked.length === 0) return;
    const index = nat % walked.length;
    const rest = walked.slice(index + 1, index + 6);
    assert.deepEqual(nextOccurrences(rule, walked[index] ?? 0, rest.length), rest);
  });
  fc.assert(property, { numRuns: 100 });
});

test('a rule with COUNT gives the beginning of the same rule without', () => {
  const counts = fc.integer({ min: 1, max: 30 });
  const property = fc.property(recurrences(anyRule), counts, fc.nat(40), ({ text, rule }, count, skip) => {
    const counted = parseRecurrence(`${text};COUNT=${count}`, options);
    const all = nextOccurrences(rule, everything, 50);
    assert.deepEqual(nextOccurrences(counted, everything, 50), all.slice(0, count));
    const after = all[skip];
    if (after !== undefined)
      assert.deepEqual(nextOccurrences(counted, after, 50), all.slice(skip + 1, count));
  });
  fc.assert(property, { numRuns: 100 });
});
