import { type Recurrence, startWallClock } from './recurrence.ts';
import { dayFilter, type Periods, periodsOf } from './recurrence-days.ts';
import { fromWallClock, zoneOffset } from './time-zone.ts';

/**
 * The occurrences of a recurrence, as instants in milliseconds since 1970.
 *
 * - A rule is worked out on the wall clock of DTSTART's zone, at every FREQ. So FREQ=HOURLY;INTERVAL=6 stays at the
 *   same hours all year. While clocks go back a shorter FREQ pauses, because a reading that comes twice means the
 *   first one; while they go forward readings that meet on one instant are one occurrence, for COUNT too.
 *   Evenly spaced instants are had by a DTSTART in UTC.
 * - DTSTART is an occurrence only if it fits the rule; otherwise it only says where the rule begins. The RFC leaves
 *   this case open.
 * - BYSETPOS counts within whole periods, also within the first, which may begin before DTSTART.
 * - A rule that gives nothing for 100 years, or reaches the end of the year 9999, is taken to have ended.
 */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const latest = Date.parse('9999-12-31T23:59:59Z');
const searchedDays = 36_525;
const largestLimit = 10_000;
const shortUnits: Partial<Record<Recurrence['freq'], number>> = {
  DAILY: day,
  HOURLY: hour,
  MINUTELY: minute,
  SECONDLY: second,
};

/** The first occurrences after an instant, in order; at most 10,000 at a time. */
export function nextOccurrences(rule: Recurrence, after: number, limit: number): number[] {
  return occurrencesBetween(rule, after, latest, limit);
}

export function nextOccurrence(rule: Recurrence, after: number): number | undefined {
  return nextOccurrences(rule, after, 1)[0];
}

/** The first occurrences in (after, upTo], in order; at most 10,000 at a time. */
export function occurrencesBetween(rule: Recurrence, after: number, upTo: number, limit: number): number[] {
  if (!Number.isInteger(limit) || limit < 0 || limit > largestLimit) {
    throw new RangeError(`the limit ${limit} is not a whole number from 0 to ${largestLimit}`);
  }
  const end = Math.min(upTo, rule.until ?? latest, latest);
  const found: number[] = [];
  if (limit === 0 || after >= end) return found;
  const start = startWallClock(rule.start);
  // COUNT can only be known by counting from the start, everything else can be jumped to.
  const from = rule.count === undefined ? Math.max(start, wallClockAfter(rule, after, start)) : start;
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  for (const instant of instantsOf(rule.start.zone, wallClockTimes(rule, from, end + 2 * day))) {
    if (instant > end) break;
    if (instant > after && !rule.exDates.includes(instant)) found.push(instant);
    left--;
    if (left === 0 || found.length === limit) break;
  }
  return found;
}

/** A wall-clock time below which nothing happens after the instant. */
function wallClockAfter({ start: { zone } }: Recurrence, after: number, start: number): number {
  const instant = Math.max(after, start - 2 * day);
  // Skipped readings count by the offset before their gap, so they still happen for up to a day after it.
  return instant + Math.min(zoneOffset(zone, instant), zoneOffset(zone, instant - day));
}

/** Turns ascending wall-clock times into strictly ascending instants. */
function* instantsOf(zone: string, wallClockTimes: Iterable<number>): Generator<number> {
  // Skipped readings happen at the same time as the readings after the gap, so they wait for their place.
  const waiting: number[] = [];
  for (const wallClock of wallClockTimes) {
    const { instant, skipped } = fromWallClock(zone, wallClock);
    while (waiting[0] !== undefined && waiting[0] < instant - skipped) yield waiting.shift() ?? 0;
    if (skipped > 0) {
      waiting.push(instant);
      continue;
    }
    if (waiting[0] === instant) waiting.shift();
    yield instant;
  }
  yield* waiting;
}

function wallClockTimes(rule: Recurrence, from: number, end: number): Generator<number> {
  let plan = plans.get(rule);
  if (plan === undefined) {
    plan = makePlan(rule);
    plans.set(rule, plan);
  }
  return plan.unit === undefined
    ? timesByPeriod(rule, plan, from, end)
    : timesByDay(rule, plan, plan.unit, from, end);
}

/** What a rule's times come from; rules are frozen, so it is worked out once for each. */
interface Plan {
  isAllowed: (day: number) => boolean;
  periods: Periods;
  /** The length of a period of a day or less. */
  unit: number | undefined;
  /** The allowed units of a day by the remainder of their number, because only every INTERVALth one is meant. */
  unitsByRemainder: Map<number, number[]>;
  /** Milliseconds into the unit, or else into the day. */
  times: number[];
}

const plans = new WeakMap<Recurrence, Plan>();

function makePlan(rule: Recurrence): Plan {
  const unit = shortUnits[rule.freq];
  const { byHour, byMinute, bySecond, start } = rule;
  const hours = unit !== undefined && unit < day ? [0] : orElse(byHour, start.hour);
  const minutes = unit !== undefined && unit < hour ? [0] : orElse(byMinute, start.minute);
  const seconds = unit === second ? [0] : orElse(bySecond, start.second);
  const times = hours.flatMap((h) =>
    minutes.flatMap((m) => seconds.map((s) => h * hour + m * minute + s * second)),
  );
  const unitsByRemainder = new Map<number, number[]>();
  for (let number = 0; unit !== undefined && number < day / unit; number++) {
    const time = number * unit;
    const isAllowed =
      (unit === day || allows(byHour, Math.floor(time / hour))) &&
      (unit >= hour || allows(byMinute, Math.floor(time / minute) % 60)) &&
      (unit >= minute || allows(bySecond, Math.floor(time / second) % 60));
    if (!isAllowed) continue;
    const remainder = number % rule.interval;
    const units = unitsByRemainder.get(remainder);
    if (units === undefined) unitsByRemainder.set(remainder, [number]);
    else units.push(number);
  }
  // Every unit has the same times, so BYSETPOS chooses among them once and for all.
  const chosen =
    unit === undefined ? times : Array.from(positions(rule.bySetPos, times.length), (at) => times[at] ?? 0);
  return { isAllowed: dayFilter(rule), periods: periodsOf(rule), unit, unitsByRemainder, times: chosen };
}

function orElse(list: readonly number[], value: number): readonly number[] {
  return list.length > 0 ? list : [value];
}

function allows(list: readonly number[], value: number): boolean {
  return list.length === 0 || list.includes(value);
}

/** FREQ=DAILY and shorter: day by day, each with every INTERVALth unit. */
function* timesByDay(
  rule: Recurrence,
  { isAllowed, unitsByRemainder, times }: Plan,
  unit: number,
  from: number,
  end: number,
): Generator<number> {
  // BYSETPOS may ask for more times than a unit has; to look through all units for them would take long.
  if (times.length === 0) return;
  const startUnit = Math.floor(startWallClock(rule.start) / unit);
  let lastDay = Math.floor(from / day) + searchedDays;
  for (let today = Math.floor(from / day); today <= lastDay && today * day <= end; today++) {
    const firstUnit = today * (day / unit);
    const remainder = (startUnit - firstUnit) % rule.interval;
    const units = unitsByRemainder.get(remainder < 0 ? remainder + rule.interval : remainder);
    if (units === undefined || !isAllowed(today)) continue;
    // The unit that `from` lies in may still have times to come.
    const first = firstAtLeast(units, Math.floor(from / unit) - firstUnit);
    for (let index = first; index < units.length; index++) {
      for (const time of times) {
        const wallClock = (firstUnit + (units[index] ?? 0)) * unit + time;
        if (wallClock < from) continue;
        lastDay = today + searchedDays;
        yield wallClock;
      }
    }
  }
}

/** FREQ=WEEKLY and longer: period by period, so that BYSETPOS can choose among all times of one. */
function* timesByPeriod(rule: Recurrence, plan: Plan, from: number, end: number): Generator<number> {
  const { periods, times } = plan;
  const fromDay = Math.floor(from / day);
  const startIndex = periods.indexOf(Math.floor(startWallClock(rule.start) / day));
  const steps = Math.floor((periods.indexOf(fromDay) - startIndex) / rule.interval);
  let lastDay = fromDay + searchedDays;
  for (let index = startIndex + steps * rule.interval; ; index += rule.interval) {
    const firstDay = periods.firstDay(index);
    if (firstDay > lastDay || firstDay * day > end) return;
    const days: number[] = [];
    const nextFirstDay = periods.firstDay(index + 1);
    for (let today = firstDay; today < nextFirstDay; today++) if (plan.isAllowed(today)) days.push(today);
    const first = firstAtLeast(days, fromDay) * times.length;
    for (const position of positions(rule.bySetPos, days.length * times.length, first)) {
      const today = days[Math.floor(position / times.length)] ?? 0;
      const wallClock = today * day + (times[position % times.length] ?? 0);
      if (wallClock < from) continue;
      lastDay = today + searchedDays;
      yield wallClock;
    }
  }
}

/** The places, from 0, of a period's times that are meant, ascending; those before `first` may be left out. */
function* positions(bySetPos: readonly number[], length: number, first = 0): Generator<number> {
  if (bySetPos.length > 0) {
    const places = bySetPos.map((place) => (place > 0 ? place - 1 : length + place));
    yield* [...new Set(places)].filter((place) => place >= 0 && place < length).sort((a, b) => a - b);
    return;
  }
  for (let place = first; place < length; place++) yield place;
}

/** Where an ascending list reaches a value. */
function firstAtLeast(list: readonly number[], value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
