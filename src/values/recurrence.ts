import { quoteShort } from './text.ts';
import { isCalendarDay, knownTimeZone } from './time.ts';

const frequencies = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY'] as const;
const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
/** A range that starts below zero is for numbers counted from either end, so it has no 0. */
const numberRanges = {
  ...{ bySecond: [0, 59], byMinute: [0, 59], byHour: [0, 23], byMonth: [1, 12] },
  ...{ byMonthDay: [-31, 31], byYearDay: [-366, 366], byWeekNo: [-53, 53], bySetPos: [-366, 366] },
} satisfies Record<string, Range>;
const ordinalRange: Range = [-53, 53];
const intervalRange: Range = [1, 10_000];
const otherParts = ['FREQ', 'INTERVAL', 'BYDAY', 'WKST', 'DTSTART'];
const knownParts = new Set([...otherParts, ...Object.keys(numberRanges).map((list) => list.toUpperCase())]);
const startPattern = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(Z?)$/;
const longestText = 1000;

export type Frequency = (typeof frequencies)[number];
export type Weekday = (typeof weekdays)[number];
type NumberList = keyof typeof numberRanges;
type Range = [low: number, high: number];
type Parts = Map<string, string>;

/** One BYDAY entry; an ordinal counts within the month or year, from its end when negative. */
export interface WeekdayRule {
  weekday: Weekday;
  ordinal: number | undefined;
}

/** Wall-clock time in `zone`, which is 'UTC' or an IANA name. */
export interface RecurrenceStart
  extends Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number> {
  zone: string;
}

/** A checked RFC 5545 recurrence without an end. By-lists are sorted and without repeats; empty is absent. */
export interface Recurrence extends Record<NumberList, number[]> {
  freq: Frequency;
  interval: number;
  byDay: WeekdayRule[];
  wkst: Weekday;
  start: RecurrenceStart;
}

/** Why a text is not an acceptable recurrence, in words fit for the person who sent it. */
export class RecurrenceProblem extends Error {
  override readonly name = 'RecurrenceProblem';
}

function fail(message: string): never {
  throw new RecurrenceProblem(message);
}

/**
 * Checks a recurrence written as a DTSTART and an RRULE line, or as one line of rule parts with a DTSTART part
 * among them.
 */
export function parseRecurrence(text: string): Recurrence {
  if (text.length > longestText) fail(`the recurrence is longer than ${longestText} characters`);
  if (text.trim() === '') fail('the recurrence is empty');
  // ASCII only, because changing case would otherwise turn some foreign letters into ASCII ones.
  if (/[^\r\n -~]/.test(text)) fail('the recurrence has a character that is not plain ASCII');
  const parts = readParts(text);
  const numbers = (list: NumberList) => readNumbers(parts, list);
  const recurrence: Recurrence = {
    freq: readChoice(parts, 'FREQ', frequencies) ?? fail('FREQ is required'),
    interval: readNumber('INTERVAL', parts.get('INTERVAL') ?? '1', intervalRange),
    bySecond: numbers('bySecond'),
    byMinute: numbers('byMinute'),
    byHour: numbers('byHour'),
    byDay: readWeekdays(parts.get('BYDAY')),
    byMonthDay: numbers('byMonthDay'),
    byYearDay: numbers('byYearDay'),
    byWeekNo: numbers('byWeekNo'),
    byMonth: numbers('byMonth'),
    bySetPos: numbers('bySetPos'),
    wkst: readChoice(parts, 'WKST', weekdays) ?? 'MO',
    start: readStart(parts.get('DTSTART') ?? fail('DTSTART is required'), parts.get('TZID')),
  };
  refuseForbiddenCombinations(recurrence, parts);
  return recurrence;
}

/** Gathers the parts by upper-case name; the DTSTART line counts as the parts DTSTART and TZID. */
function readParts(text: string): Parts {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const parts: Parts = new Map();
  let rule: string | undefined;
  for (const line of lines) {
    const start = /^DTSTART(?:;TZID=([^:;]*))?:(.*)$/i.exec(line);
    if (start !== null) {
      addPart(parts, 'DTSTART', start[2] ?? '');
      if (start[1] !== undefined) parts.set('TZID', start[1]);
      continue;
    }
    const ruleOfLine = /^RRULE:(.*)$/i.exec(line)?.[1] ?? (lines.length === 1 ? line : undefined);
    if (ruleOfLine === undefined) fail(`${quoteShort(line)} is neither a DTSTART nor an RRULE line`);
    if (rule !== undefined) fail('RRULE is given more than once');
    rule = ruleOfLine;
  }
  if (rule === undefined) fail('RRULE is required');
  for (const part of rule.split(';')) {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(part) ?? fail(`${quoteShort(part)} is not NAME=VALUE`);
    addPart(parts, name?.toUpperCase() ?? '', value ?? '');
  }
  return parts;
}

function addPart(parts: Parts, name: string, value: string): void {
  if (name === 'UNTIL' || name === 'COUNT') {
    fail(`${name} is not supported: a schedule goes on until it is changed or removed`);
  }
  if (!knownParts.has(name)) fail(`${quoteShort(name)} is not a known part`);
  if (parts.has(name)) fail(`${name} is given more than once`);
  if (value === '') fail(`${name} has no value`);
  parts.set(name, value.toUpperCase());
}

function readChoice<Choice extends string>(
  parts: Parts,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = parts.get(name);
  const choice = choices.find((known) => known === value);
  if (value !== undefined && choice === undefined) {
    fail(`${name} must be one of ${choices.join(', ')}, not ${quoteShort(value)}`);
  }
  return choice;
}

function readNumbers(parts: Parts, list: NumberList): number[] {
  const name = list.toUpperCase();
  const texts = parts.get(name)?.split(',') ?? [];
  const numbers = texts.map((text) => readNumber(name, text, numberRanges[list]));
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function readNumber(name: string, text: string, [low, high]: Range): number {
  const isSigned = low < 0;
  const shape = isSigned ? /^[+-]?\d{1,5}$/ : /^\d{1,5}$/;
  const value = shape.test(text) ? Number(text) : Number.NaN;
  if (value >= low && value <= high && !(isSigned && value === 0)) return value;
  const range = isSigned ? `1 to ${high} or -${high} to -1` : `${low} to ${high}`;
  return fail(`${name} takes whole numbers from ${range}, not ${quoteShort(text)}`);
}

function readWeekdays(value: string | undefined): WeekdayRule[] {
  const rules = new Map<string, WeekdayRule>();
  for (const text of value?.split(',') ?? []) {
    const weekday = weekdays.find((known) => text.endsWith(known));
    if (weekday === undefined) fail(`BYDAY takes ${weekdays.join(', ')}, not ${quoteShort(text)}`);
    const digits = text.slice(0, -weekday.length);
    const ordinal = digits === '' ? undefined : readNumber('BYDAY', digits, ordinalRange);
    rules.set(`${ordinal}${weekday}`, { weekday, ordinal });
  }
  // Ordinals stay below 100, so the weekday decides first.
  const rank = (rule: WeekdayRule) => weekdays.indexOf(rule.weekday) * 200 + (rule.ordinal ?? -100);
  return [...rules.values()].sort((a, b) => rank(a) - rank(b));
}

function readStart(value: string, zoneName: string | undefined): RecurrenceStart {
  const match =
    startPattern.exec(value) ?? fail(`DTSTART is like 20240131T093000Z, not ${quoteShort(value)}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const isRealTime = isCalendarDay(year, month, day) && hour < 24 && minute < 60 && second < 60;
  if (!isRealTime) fail(`DTSTART ${quoteShort(value)} is not a real date and time`);
  const isUtc = match[7] === 'Z';
  if (isUtc && zoneName !== undefined) fail('DTSTART must not have both a TZID and the "Z" of UTC');
  if (!isUtc && zoneName === undefined) fail('DTSTART must end in "Z" for UTC or have a TZID');
  const zone =
    knownTimeZone(zoneName ?? 'UTC') ?? fail(`TZID ${quoteShort(zoneName ?? '')} is not a known time zone`);
  return { year, month, day, hour, minute, second, zone };
}

/** The combinations that RFC 5545, section 3.3.10, rules out. */
function refuseForbiddenCombinations({ freq, byDay, ...rule }: Recurrence, parts: Parts): void {
  const hasOrdinals = byDay.some(({ ordinal }) => ordinal !== undefined);
  if (rule.byWeekNo.length > 0 && freq !== 'YEARLY') fail('BYWEEKNO needs FREQ=YEARLY');
  if (rule.byYearDay.length > 0 && ['DAILY', 'WEEKLY', 'MONTHLY'].includes(freq)) {
    fail(`BYYEARDAY cannot be used with FREQ=${freq}`);
  }
  if (rule.byMonthDay.length > 0 && freq === 'WEEKLY') fail('BYMONTHDAY cannot be used with FREQ=WEEKLY');
  if (hasOrdinals && freq !== 'MONTHLY' && freq !== 'YEARLY') {
    fail('BYDAY takes numbered weekdays only with FREQ=MONTHLY or FREQ=YEARLY');
  }
  if (hasOrdinals && rule.byWeekNo.length > 0) fail('BYDAY takes no numbered weekdays next to BYWEEKNO');
  const otherByPart = [...parts.keys()].some((name) => name.startsWith('BY') && name !== 'BYSETPOS');
  if (rule.bySetPos.length > 0 && !otherByPart) fail('BYSETPOS needs another BY part');
}
