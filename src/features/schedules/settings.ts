import { AppError, type Problem } from '../../errors.ts';
import { RecurrenceProblem } from '../../values/recurrence.ts';
import { type Collection, readCollection } from '../jobs/index.ts';
import { startRule } from './rule.ts';
import type { EventWish } from './schema.ts';
import type { EventRow, EventSettings } from './store.ts';

/** The rule as it is stored, and when it comes next. */
type Timing = Pick<EventSettings, 'title' | 'rrule' | 'next_scheduled_at'>;

/**
 * What is stored for a wish, or all of its problems; `at` is where in the body it is. A rule that stays as it
 * was keeps its next time, a new one begins after `now`.
 */
export function readEventSettings(
  wish: EventWish,
  clientType: string,
  now: number,
  { before, at = '' }: { before?: EventRow; at?: string } = {},
): EventSettings {
  const problems: Problem[] = [];
  const timing = readTiming(wish.rrule, now, before, at, problems);
  const collection = readCollectionOf(wish, clientType, at, problems);
  if (timing === undefined || collection === undefined) throw badRequest(problems);
  return { ...timing, ...collection };
}

/** The problems of the rule alone, for where the collector is not known. */
export function checkRule(rrule: string, now: number): void {
  const problems: Problem[] = [];
  if (readTiming(rrule, now, undefined, '', problems) === undefined) throw badRequest(problems);
}

function readTiming(
  rrule: string,
  now: number,
  before: EventRow | undefined,
  at: string,
  problems: Problem[],
): Timing | undefined {
  if (before?.rrule === rrule) return before;
  try {
    // Not from `now` alone: the clock may have gone back, or be behind another process's.
    const { title, next } = startRule(rrule, Math.max(now, before?.handled_until ?? now));
    return { title, rrule, next_scheduled_at: next };
  } catch (error) {
    if (!(error instanceof RecurrenceProblem)) throw error;
    const context = `${at}rrule`;
    problems.push({ context, message: `${context} is not a usable recurrence rule: ${error.message}` });
    return undefined;
  }
}

function readCollectionOf(
  wish: EventWish,
  clientType: string,
  at: string,
  problems: Problem[],
): Collection | undefined {
  try {
    return readCollection(wish, clientType);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'bad_request') throw error;
    problems.push(...error.problems.map(({ context, message }) => ({ context: `${at}${context}`, message })));
    return undefined;
  }
}

function badRequest(problems: readonly Problem[]): AppError {
  return new AppError('bad_request', problems[0]?.message ?? 'the schedule is not valid', { problems });
}
