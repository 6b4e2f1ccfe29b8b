import { nextOccurrence, occurrencesBetween } from '../../values/occurrences.ts';
import { parseRecurrence, type Recurrence, RecurrenceProblem } from '../../values/recurrence.ts';
import { formatRfc3339 } from '../../values/time.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** A collection takes minutes: more often than this its collector could not keep up. */
const leastMinutesApart = 5;
const unitOf: Readonly<Record<Recurrence['freq'], readonly [adjective: string, noun: string]>> = {
  YEARLY: ['Yearly', 'years'],
  MONTHLY: ['Monthly', 'months'],
  WEEKLY: ['Weekly', 'weeks'],
  DAILY: ['Daily', 'days'],
  HOURLY: ['Hourly', 'hours'],
  MINUTELY: ['', 'minutes'],
  SECONDLY: ['', 'seconds'],
};

export function parseRule(text: string): Recurrence {
  return parseRecurrence(text, { canEnd: true, shortestFreq: 'MINUTELY' });
}

/** Checks a rule that is new, and finds its first occurrence after an instant; throws `RecurrenceProblem`. */
export function startRule(text: string, after: number): { title: string; next: number } {
  const rule = parseRule(text);
  const next = nextOccurrence(rule, after);
  if (next === undefined) {
    throw new RecurrenceProblem(
      `it has no occurrence after ${formatRfc3339(after)}: let it begin or end later`,
    );
  }
  refuseHaste(rule, next);
  return { title: titleOf(rule), next };
}

/** Looked at for a year: what repeats does so within one. */
function refuseHaste(rule: Recurrence, first: number): void {
  const times = occurrencesBetween(rule, first - 1, first + 366 * day, 500);
  for (const [index, time] of times.entries()) {
    const before = times[index - 1];
    if (before === undefined || time - before >= leastMinutesApart * minute) continue;
    throw new RecurrenceProblem(
      `its occurrences must be at least ${leastMinutesApart} minutes apart, but ${formatRfc3339(before)} and ${formatRfc3339(time)} are not`,
    );
  }
}

function titleOf({ freq, interval }: Recurrence): string {
  const [adjective, noun] = unitOf[freq];
  return interval === 1 ? `${adjective} collection` : `Collection every ${interval} ${noun}`;
}

/** The last occurrence in (after, upTo]: looked for from the end, because an outage may have been long. */
export function latestOccurrence(rule: Recurrence, after: number, upTo: number): number | undefined {
  for (let span = day; ; span *= 4) {
    const from = Math.max(after, upTo - span);
    const found = occurrencesBetween(rule, from, upTo, 10_000).at(-1);
    if (found !== undefined || from === after) return found;
  }
}
