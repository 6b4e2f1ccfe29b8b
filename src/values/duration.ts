const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;
const year = 365 * day;

const durationPattern =
  /^P(?:(\d+)W|(?=[\dT])(?:(\d+)Y)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?)$/;
const units = [week, year, day, hour, minute, second];

/**
 * Reads an ISO 8601 duration, `P<n>W` or `P[nY][nD][T[nH][nM][nS]]`, as milliseconds. A year is 365 days;
 * months are refused because they have no one length.
 */
export function parseIsoDuration(text: string): number | undefined {
  const match = durationPattern.exec(text);
  if (match === null) return undefined;
  const total = units.reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * unit, 0);
  return Number.isSafeInteger(total) ? total : undefined;
}
