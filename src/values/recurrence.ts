import { quoteShort } from './text.ts';
import { isCalendarDay, knownTimeZone } from './time.ts';
import { fromWallClock } from './time-zone.ts';

const frequencies = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const;
export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
/** A range that starts below zero is for numbers counted from either end, so it has no 0. */
const numberRanges = {
  ...{ bySecond: [0, 59], byMinute: [0, 59], byHour: [0, 23], byMonth: [1, 12] },
  ...{ byMonthDay: [-31, 31], byYearDay: [-366, 366], byWeekNo: [-53, 53], bySetPos: [-366, 366] },
} satisfies Record<string, Range>;
const ordinalRange: Range = [-53, 53];
const intervalRange: Range = [1, 10_000];
const countRange: Range = [1, 10_000];
const otherParts = ['FREQ', 'INTERVAL', 'BYDAY', 'WKST', 'COUNT', 'UNTIL', 'DTSTART'];
const knownParts = new Set([...otherParts, ...Object.keys(numberRanges).map((list) => list.toUpperCase())]);
const timePattern = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(Z?)$/;
const longestText = 1000;

export type Frequency = (typeof frequencies)[number];
export type Weekday = (typeof weekdays)[number];
type NumberList = keyof typeof numberRanges;
type Range = [low: number, high: number];
type Parts = Map<string, string>;

/** One BYDAY entry; an ordinal counts within the month or year, from its end when negative. */
export interface WeekdayRule {
  readonly weekday: Weekday;
  readonly ordinal: number | undefined;
}

/** Wall-clock time in `zone`, which is 'UTC' or an IANA name. */
export interface RecurrenceStart
  extends Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>> {
  readonly zone: string;
}

/** A checked, frozen RFC 5545 recurrence. By-lists are sorted and without repeats; empty is absent. */
export interface Recurrence extends Readonly<Record<NumberList, readonly number[]>> {
  readonly freq: Frequency;
  readonly interval: number;
  readonly byDay: readonly WeekdayRule[];
  readonly wkst: Weekday;
  readonly start: RecurrenceStart;
  readonly count: number | undefined;
  /** The last instant that may be an occurrence. */
  readonly until: number | undefined;
  /** Instants that are left out; they still count for COUNT. */
  readonly exDates: readonly number[];
}

export interface RecurrenceOptions {
  /** Whether COUNT, UNTIL and EXDATE lines are allowed. By default a recurrence has no end and no gaps. */
  canEnd?: boolean;
  /** The shortest FREQ that is allowed; MINUTELY by default. */
  shortestFreq?: Frequency;
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
 * among them; EXDATE lines may follow where they are allowed.
 */
export function parseRecurrence(text: string, options: RecurrenceOptions = {}): Recurrence {
  if (text.length > longestText) fail(`the recurrence is longer than ${longestText} characters`);
  if (text.trim() === '') fail('the recurrence is empty');
  // ASCII only, because changing case would otherwise turn some foreign letters into ASCII ones.
  if (/[^\r\n -~]/.test(text)) fail('the recurrence has a character that is not plain ASCII');
  const { parts, exDates } = readLines(text, options.canEnd ?? false);
  const freqs = frequencies.slice(0, frequencies.indexOf(options.shortestFreq ?? 'MINUTELY') + 1);
  const count = parts.get('COUNT');
  const until = parts.get('UNTIL');
  const numbers = (list: NumberList) => readNumbers(parts, list);
  const recurrence: Recurrence = {
    freq: readChoice(parts, 'FREQ', freqs) ?? fail('FREQ is required'),
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
    start: readTime('DTSTART', parts.get('DTSTART') ?? fail('DTSTART is required'), parts.get('TZID')),
    count: count === undefined ? undefined : readNumber('COUNT', count, countRange),
    until: until === undefined ? undefined : instantOf(readTime('UNTIL', until, undefined)),
    exDates: Object.freeze([...new Set(exDates)].sort((a, b) => a - b)),
  };
  refuseForbiddenCombinations(recurrence, parts);
  return Object.freeze(recurrence);
}

/** The start on the wall clock, as milliseconds that would be that reading in UTC. */
export function startWallClock({ year, month, day, hour, minute, second }: RecurrenceStart): number {
  // Date.UTC would read the years 0 to 99 as 1900 to 1999; the setter does not.
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day);
  return midnight + ((hour * 60 + minute) * 60 + second) * 1000;
}

function instantOf(time: RecurrenceStart): number {
  return fromWallClock(time.zone, startWallClock(time)).instant;
}

/** Gathers the parts by upper-case name; the DTSTART line counts as the parts DTSTART and TZID. */
function readLines(text: string, canEnd: boolean): { parts: Parts; exDates: number[] } {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const parts: Parts = new Map();
  const exDates: number[] = [];
  let rule: string | undefined;
  for (const line of lines) {
    const start = /^DTSTART(?:;TZID=([^:;]*))?:(.*)$/i.exec(line);
    if (start !== null) {
      addPart(parts, 'DTSTART', start[2] ?? '', canEnd);
      if (start[1] !== undefined) parts.set('TZID', start[1]);
      continue;
    }
    const exDate = canEnd ? /^EXDATE(?:;TZID=([^:;]*))?:(.*)$/i.exec(line) : null;
    if (exDate !== null) {
      const times = (exDate[2] ?? '').toUpperCase().split(',');
      exDates.push(...times.map((time) => instantOf(readTime('EXDATE', time, exDate[1]))));
      continue;
    }
    const ruleOfLine = /^RRULE:(.*)$/i.exec(line)?.[1] ?? (lines.length === 1 ? line : undefined);
    if (ruleOfLine === undefined) {
      fail(`${quoteShort(line)} is neither a DTSTART nor an RRULE${canEnd ? ' nor an EXDATE' : ''} line`);
    }
    if (rule !== undefined) fail('RRULE is given more than once');
    rule = ruleOfLine;
  }
  if (rule === undefined) fail('RRULE is required');
  for (const part of rule.split(';')) {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(part) ?? fail(`${quoteShort(part)} is not NAME=VALUE`);
    addPart(parts, name?.toUpperCase() ?? '', value ?? '', canEnd);
  }
  return { parts, exDates };
}

function addPart(parts: Parts, name: string, value: string, canEnd: boolean): void {
  if (!canEnd && (name === 'UNTIL' || name === 'COUNT')) {
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

function readNumbers(parts: Parts, list: NumberList): readonly number[] {
  const name = list.toUpperCase();
  const texts = parts.get(name)?.split(',') ?? [];
  const numbers = texts.map((text) => readNumber(name, text, numberRanges[list]));
  return Object.freeze([...new Set(numbers)].sort((a, b) => a - b));
}

function readNumber(name: string, text: string, [low, high]: Range): number {
  const isSigned = low < 0;
  const shape = isSigned ? /^[+-]?\d{1,5}$/ : /^\d{1,5}$/;
  const value = shape.test(text) ? Number(text) : Number.NaN;
  if (value >= low && value <= high && !(isSigned && value === 0)) return value;
  const range = isSigned ? `1 to ${high} or -${high} to -1` : `${low} to ${high}`;
  return fail(`${name} takes whole numbers from ${range}, not ${quoteShort(text)}`);
}

function readWeekdays(value: string | undefined): readonly WeekdayRule[] {
  const rules = new Map<string, WeekdayRule>();
  for (const text of value?.split(',') ?? []) {
    const weekday = weekdays.find((known) => text.endsWith(known));
    if (weekday === undefined) fail(`BYDAY takes ${weekdays.join(', ')}, not ${quoteShort(text)}`);
    const digits = text.slice(0, -weekday.length);
    const ordinal = digits === '' ? undefined : readNumber('BYDAY', digits, ordinalRange);
    rules.set(`${ordinal}${weekday}`, Object.freeze({ weekday, ordinal }));
  }
  // Ordinals stay below 100, so the weekday decides first.
  const rank = (rule: WeekdayRule) => weekdays.indexOf(rule.weekday) * 200 + (rule.ordinal ?? -100);
  return Object.freeze([...rules.values()].sort((a, b) => rank(a) - rank(b)));
}

function readTime(name: string, value: string, zoneName: string | undefined): RecurrenceStart {
  const match = timePattern.exec(value) ?? fail(`${name} is like 20240131T093000Z, not ${quoteShort(value)}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const isRealTime = isCalendarDay(year, month, day) && hour < 24 && minute < 60 && second < 60;
  if (!isRealTime) fail(`${name} ${quoteShort(value)} is not a real date and time`);
  const isUtc = match[7] === 'Z';
  if (isUtc && zoneName !== undefined) fail(`${name} must not have both a TZID and the "Z" of UTC`);
  if (!isUtc && zoneName === undefined) {
    fail(`${name} must end in "Z" for UTC${name === 'UNTIL' ? '' : ' or have a TZID'}`);
  }
  const zone =
    knownTimeZone(zoneName ?? 'UTC') ?? fail(`TZID ${quoteShort(zoneName ?? '')} is not a known time zone`);
  return Object.freeze({ year, month, day, hour, minute, second, zone });
}

/** The combinations that RFC 5545, section 3.3.10, rules out. */
function refuseForbiddenCombinations({ freq, byDay, ...rule }: Recurrence, parts: Parts): void {
  if (parts.has('COUNT') && parts.has('UNTIL')) fail('COUNT and UNTIL cannot be used together');
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
