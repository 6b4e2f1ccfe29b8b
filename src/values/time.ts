/** The instant that stands for "never" or "not set" in answers. */
export const zeroTime = '0001-01-01T00:00:00Z';

const earliest = Date.parse(zeroTime);
const latest = Date.parse('9999-12-31T23:59:59.999Z');
const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

const dateTimePattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads an RFC 3339 date-time as milliseconds since 1970, or `undefined` when the text is not one or its
 * instant lies outside the years 1 to 9999 in UTC.
 *
 * A fraction finer than a millisecond is rounded up. Ranges are [start, end) over instants that are whole
 * milliseconds, and for a whole t both `t >= x` and `t < x` hold exactly when they hold for ceil(x); rounding
 * down would let instants before the start in and drop instants before the end.
 */
export function parseRfc3339(text: string): number | undefined {
  const match = dateTimePattern.exec(text);
  if (match === null) return undefined;
  const field = (group: number) => Number(match[group] ?? 0);
  const [year, month, dayOfMonth] = [field(1), field(2), field(3)];
  const [hours, minutes, seconds] = [field(4), field(5), field(6)];
  const [offsetHours, offsetMinutes] = [field(9), field(10)];
  if (!isCalendarDay(year, month, dayOfMonth) || hours > 23 || minutes > 59 || seconds > 60) return undefined;
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;

  const offset = (match[8] === '-' ? -1 : 1) * (offsetHours * hour + offsetMinutes * minute);
  const midnight = startOfDay(year, month, dayOfMonth);
  const wholeSecond = midnight + hours * hour + minutes * minute + seconds * 1000 - offset;
  // A leap second is always 23:59:60 in UTC, which counts as the 00:00:00 that follows it.
  if (seconds === 60 && wholeSecond % day !== 0) return undefined;
  const nanoseconds = Number((match[7] ?? '').padEnd(9, '0'));
  const instant = wholeSecond + Math.ceil(nanoseconds / 1_000_000);
  return isWritable(instant) ? instant : undefined;
}

/** Whether the day exists in the Gregorian calendar, in the years 1 to 9999. */
export function isCalendarDay(year: number, month: number, dayOfMonth: number): boolean {
  const date = new Date(startOfDay(year, month, dayOfMonth));
  const isRealDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth;
  return isRealDay && year >= 1 && year <= 9999;
}

function startOfDay(year: number, month: number, dayOfMonth: number): number {
  // Date.UTC would read the years 0 to 99 as 1900 to 1999; the setter does not.
  return new Date(0).setUTCFullYear(year, month - 1, dayOfMonth);
}

/** Writes milliseconds since 1970 in UTC, with the milliseconds only when they are not zero. */
export function formatRfc3339(instant: number): string {
  if (!isWritable(instant))
    throw new RangeError(`${instant} is not a whole millisecond in the years 1 to 9999`);
  const dayNumber = Math.floor(instant / day);
  const inDay = instant - dayNumber * day;
  const ms = inDay % 1000;
  const fraction = ms === 0 ? '' : `.${String(ms).padStart(3, '0')}`;
  return `${dateOf(dayNumber)}T${twoDigits(inDay / 3_600_000)}:${twoDigits((inDay / 60_000) % 60)}:${twoDigits((inDay / 1000) % 60)}${fraction}Z`;
}

/** Minutes east of UTC as dates write them: `+05:30`. */
export function formatOffset(minutes: number): string {
  const distance = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${twoDigits(distance / 60)}:${twoDigits(distance % 60)}`;
}

const rememberedDays = 4096;
const dates = new Map<number, string>();

/** The calendar date of a day since 1970; answers are full of the same few hundred days. */
function dateOf(dayNumber: number): string {
  const known = dates.get(dayNumber);
  if (known !== undefined) return known;
  if (dates.size >= rememberedDays) dates.clear();
  const text = new Date(dayNumber * day).toISOString().slice(0, 10);
  dates.set(dayNumber, text);
  return text;
}

function twoDigits(value: number): string {
  const whole = Math.floor(value);
  return whole < 10 ? `0${whole}` : String(whole);
}

function isWritable(instant: number): boolean {
  return Number.isInteger(instant) && instant >= earliest && instant <= latest;
}

/** The IANA time zone of that name, or `undefined`; every name of UTC gives 'UTC'. */
export function knownTimeZone(name: string): string | undefined {
  // Some versions of Intl also take offsets such as "+01:00", which are not IANA names.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Otherwise the name as given: which of two aliases Intl prefers differs between its versions.
    return timeZone === 'UTC' ? timeZone : name;
  } catch {
    return undefined;
  }
}
