import { type Recurrence, type Weekday, type WeekdayRule, weekdays } from './recurrence.ts';

const dayLength = 86_400_000;
/** Day 0, 1 January 1970, was a Thursday. */
const weekdayOfDayZero = weekdays.indexOf('TH');

interface Month {
  /** January is 0. */
  month: number;
  firstDay: number;
  length: number;
  firstDayOfYear: number;
  yearLength: number;
}

/** Days are numbered from 1 January 1970. A month may lie outside of 0 to 11. */
function dayNumber(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1) / dayLength;
}

function monthOf(day: number): Month {
  const date = new Date(day * dayLength);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const [firstDay, firstDayOfYear] = [dayNumber(year, month), dayNumber(year, 0)];
  const length = dayNumber(year, month + 1) - firstDay;
  return { month, firstDay, length, firstDayOfYear, yearLength: dayNumber(year + 1, 0) - firstDayOfYear };
}

function weekdayOf(day: number): number {
  return (((day + weekdayOfDayZero) % 7) + 7) % 7;
}

/**
 * The number of the year, month or week that a day lies in, and the first day of that number's period. For a rule
 * with BYWEEKNO too a year is a calendar year, so a day of week 1 before New Year counts to the old one.
 */
export interface Periods {
  indexOf(day: number): number;
  firstDay(index: number): number;
}

export function periodsOf({ freq, wkst }: Recurrence): Periods {
  if (freq === 'WEEKLY') {
    const shift = weekdays.indexOf(wkst) - weekdayOfDayZero;
    return { indexOf: (day) => Math.floor((day - shift) / 7), firstDay: (index) => index * 7 + shift };
  }
  const months = freq === 'MONTHLY' ? 1 : 12;
  const monthIndex = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
  return {
    indexOf: (day) => Math.floor(monthIndex(new Date(day * dayLength)) / months),
    firstDay: (index) => dayNumber(0, index * months),
  };
}

/**
 * Tells the days that the date parts of a rule allow. Each part narrows the days of a period down, which is the
 * same as RFC 5545's expanding and limiting; only the intervals and BYSETPOS have to know the periods.
 */
export function dayFilter(rule: Recurrence): (day: number) => boolean {
  const { byMonth, byMonthDay, byDay } = partsWithDefaults(rule);
  const isNumberedInMonth = rule.freq === 'MONTHLY' || rule.byMonth.length > 0;
  const weekStart = weekdays.indexOf(rule.wkst);
  let month = monthOf(0);

  function isInWeek(day: number): boolean {
    // The year of a week is that of its fourth day, and its number is which such weekday of the year that is.
    const fourthDay = day - ((weekdayOf(day) - weekStart + 7) % 7) + 3;
    const { firstDayOfYear, yearLength } = monthOf(fourthDay);
    return isNth(rule.byWeekNo, fourthDay - firstDayOfYear, yearLength, 7);
  }

  function isWeekday({ weekday, ordinal }: WeekdayRule, day: number): boolean {
    if (weekdays[weekdayOf(day)] !== weekday) return false;
    if (ordinal === undefined) return true;
    return isNumberedInMonth
      ? isNth([ordinal], day - month.firstDay, month.length, 7)
      : isNth([ordinal], day - month.firstDayOfYear, month.yearLength, 7);
  }

  return (day) => {
    // Days are asked for in ascending order, so nearly all lie in the same month as the one before.
    if (day < month.firstDay || day >= month.firstDay + month.length) month = monthOf(day);
    return (
      (byMonth.length === 0 || byMonth.includes(month.month + 1)) &&
      (byMonthDay.length === 0 || isNth(byMonthDay, day - month.firstDay, month.length, 1)) &&
      (byDay.length === 0 || byDay.some((entry) => isWeekday(entry, day))) &&
      (rule.byYearDay.length === 0 ||
        isNth(rule.byYearDay, day - month.firstDayOfYear, month.yearLength, 1)) &&
      (rule.byWeekNo.length === 0 || isInWeek(day))
    );
  };
}

/** Whether a day `offset` days into a range is one of the numbered ones, counted in steps from either end. */
function isNth(numbers: readonly number[], offset: number, length: number, step: 1 | 7): boolean {
  const fromStart = Math.floor(offset / step) + 1;
  const fromEnd = -Math.floor((length - 1 - offset) / step) - 1;
  return numbers.includes(fromStart) || numbers.includes(fromEnd);
}

/** What a rule leaves open about the day is as in DTSTART. */
function partsWithDefaults(rule: Recurrence): Pick<Recurrence, 'byMonth' | 'byMonthDay' | 'byDay'> {
  const { freq, start, byMonth, byMonthDay, byDay } = rule;
  if (byMonthDay.length > 0 || byDay.length > 0 || rule.byYearDay.length > 0) return rule;
  if (freq === 'WEEKLY' || rule.byWeekNo.length > 0) {
    const startDay = dayNumber(start.year, start.month - 1) + start.day - 1;
    return { byMonth, byMonthDay, byDay: [{ weekday: weekdayName(startDay), ordinal: undefined }] };
  }
  if (freq === 'MONTHLY') return { byMonth, byMonthDay: [start.day], byDay };
  if (freq !== 'YEARLY') return rule;
  return { byMonth: byMonth.length > 0 ? byMonth : [start.month], byMonthDay: [start.day], byDay };
}

function weekdayName(day: number): Weekday {
  return weekdays[weekdayOf(day)] ?? 'MO';
}
