import { type Recurrence, startWallClock, weekdays } from '../../src/values/recurrence.ts';
import { fromWallClock } from '../../src/values/time-zone.ts';

const day = 86_400_000;
const dateOf = (wallClock: number) => new Date(wallClock);
const mondayFirst = (wallClock: number) => (dateOf(wallClock).getUTCDay() + 6) % 7;
const isIn = (numbers: readonly number[], ...candidates: number[]) =>
  numbers.length === 0 || candidates.some((candidate) => numbers.includes(candidate));

/** Every midnight from one to before the other. */
function days(from: number, to: number): number[] {
  return Array.from({ length: (to - from) / day }, (_, index) => from + index * day);
}

/** Week 1 is the first week with at least four days in the year. */
function firstWeek(year: number, wkst: number): number {
  const possible = days(Date.UTC(year, 0, -2), Date.UTC(year, 0, 5));
  return possible.find((midnight) => mondayFirst(midnight) === wkst) ?? 0;
}

function isInWeeks(rule: Recurrence, midnight: number): boolean {
  if (rule.byWeekNo.length === 0) return true;
  const wkst = weekdays.indexOf(rule.wkst);
  return [-1, 0, 1].some((shift) => {
    const year = dateOf(midnight).getUTCFullYear() + shift;
    const [from, to] = [firstWeek(year, wkst), firstWeek(year + 1, wkst)];
    const week = Math.floor((midnight - from) / (7 * day)) + 1;
    const weeks = (to - from) / (7 * day);
    return midnight >= from && midnight < to && isIn(rule.byWeekNo, week, week - weeks - 1);
  });
}

function isOnWeekday(rule: Recurrence, midnight: number): boolean {
  const [year, month] = [dateOf(midnight).getUTCFullYear(), dateOf(midnight).getUTCMonth()];
  const isByMonth = rule.freq === 'MONTHLY' || rule.byMonth.length > 0;
  const [from, to] = isByMonth
    ? [Date.UTC(year, month), Date.UTC(year, month + 1)]
    : [Date.UTC(year, 0), Date.UTC(year + 1, 0)];
  return rule.byDay.some(({ weekday, ordinal }) => {
    if (weekdays[mondayFirst(midnight)] !== weekday) return false;
    if (ordinal === undefined) return true;
    const same = days(from, to).filter((other) => mondayFirst(other) === mondayFirst(midnight));
    return same.at(ordinal > 0 ? ordinal - 1 : ordinal) === midnight;
  });
}

function isRightDay(rule: Recurrence, midnight: number): boolean {
  const [date, start] = [dateOf(midnight), startWallClock(rule.start)];
  const [year, month, monthDay] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const yearDay = (midnight - Date.UTC(year, 0)) / day + 1;
  const monthLength = (Date.UTC(year, month + 1) - Date.UTC(year, month)) / day;
  const yearLength = (Date.UTC(year + 1, 0) - Date.UTC(year, 0)) / day;
  const isByDate = rule.byMonthDay.length + rule.byYearDay.length + rule.byDay.length > 0;
  const isByWeek = rule.freq === 'WEEKLY' || rule.byWeekNo.length > 0;
  if (!isByDate && isByWeek && mondayFirst(midnight) !== mondayFirst(start)) return false;
  if (!isByDate && !isByWeek && ['MONTHLY', 'YEARLY'].includes(rule.freq) && monthDay !== rule.start.day)
    return false;
  const isStartMonthMeant = rule.freq === 'YEARLY' && !isByDate && !isByWeek && rule.byMonth.length === 0;
  if (isStartMonthMeant && month + 1 !== rule.start.month) return false;
  return (
    isIn(rule.byMonth, month + 1) &&
    isIn(rule.byMonthDay, monthDay, monthDay - monthLength - 1) &&
    isIn(rule.byYearDay, yearDay, yearDay - yearLength - 1) &&
    (rule.byDay.length === 0 || isOnWeekday(rule, midnight)) &&
    isInWeeks(rule, midnight)
  );
}

function isRightTime({ freq, start, byHour, byMinute, bySecond }: Recurrence, wallClock: number): boolean {
  const date = dateOf(wallClock);
  // What a frequency does not repeat by itself is as in the start.
  const isEvery = {
    hour: ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(freq),
    minute: ['MINUTELY', 'SECONDLY'].includes(freq),
    second: freq === 'SECONDLY',
  };
  const meant = (unit: keyof typeof isEvery, numbers: readonly number[]) =>
    numbers.length > 0 || isEvery[unit] ? numbers : [start[unit]];
  return (
    isIn(meant('hour', byHour), date.getUTCHours()) &&
    isIn(meant('minute', byMinute), date.getUTCMinutes()) &&
    isIn(meant('second', bySecond), date.getUTCSeconds())
  );
}

function periodNumber(rule: Recurrence, wallClock: number): number {
  const date = dateOf(wallClock);
  const sinceWeekStart = (mondayFirst(wallClock) - weekdays.indexOf(rule.wkst) + 7) % 7;
  if (rule.freq === 'YEARLY') return date.getUTCFullYear();
  if (rule.freq === 'MONTHLY') return date.getUTCFullYear() * 12 + date.getUTCMonth();
  if (rule.freq === 'WEEKLY') return Math.round((Math.floor(wallClock / day) - sinceWeekStart) / 7);
  const length = { DAILY: day, HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1000 }[rule.freq];
  return Math.floor(wallClock / length);
}

/**
 * Every occurrence on the days from `from` to before `to`, which must be whole periods, found by trying each `step`:
 * slow, but plainly right.
 */
export function occurrencesByTrying(rule: Recurrence, from: number, to: number, step: number): number[] {
  const start = startWallClock(rule.start);
  const periods = new Map<number, number[]>();
  for (const midnight of days(from, to)) {
    if (!isRightDay(rule, midnight)) continue;
    for (let wallClock = midnight + (start % step); wallClock < midnight + day; wallClock += step) {
      const period = periodNumber(rule, wallClock);
      if ((period - periodNumber(rule, start)) % rule.interval !== 0 || !isRightTime(rule, wallClock))
        continue;
      periods.set(period, [...(periods.get(period) ?? []), wallClock]);
    }
  }
  const { bySetPos } = rule;
  const chosen = [...periods.values()].flatMap((times) =>
    times.filter((_, index) => isIn(bySetPos, index + 1, index - times.length)),
  );
  const instants = chosen
    .filter((wallClock) => wallClock >= start)
    .map((wallClock) => fromWallClock(rule.start.zone, wallClock).instant);
  return [...new Set(instants)].sort((a, b) => a - b);
}
