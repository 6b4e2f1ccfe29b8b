import { type Origin, serverItself } from '../../caller.ts';
import type { Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { nextOccurrence } from '../../values/occurrences.ts';
import { parseRecurrence } from '../../values/recurrence.ts';
import { readParameter } from '../app-config/index.ts';
import { insertRequest, lockState, readState, setSchedule } from './store.ts';

const scheduler: Origin = { ...serverItself, actor: { ...serverItself.actor, name: 'scheduler' } };

/** The rule in force, '' when there is none. */
async function ruleInForce(db: Reader): Promise<string> {
  const { enabled, rrule } = await readParameter(db, 'analysis.scheduled');
  return enabled ? rrule : '';
}

/** When the schedule asks next; `null` without one. */
export async function readNextScheduled(db: Reader, now: number): Promise<number | null> {
  const rule = await ruleInForce(db);
  if (rule === '') return null;
  const { rrule, next_at: nextAt } = await readState(db);
  // A rule that has just been set is looked at within seconds.
  return rrule === rule ? nextAt : nextAfter(rule, now);
}

function nextAfter(rule: string, now: number): number | null {
  return nextOccurrence(parseRecurrence(rule), now) ?? null;
}

/** Asks for an analysis when the rule is due, once for all occurrences that were missed. Any number may do so at once. */
export async function followSchedule({ db, clock, log }: Deps): Promise<void> {
  const seen = await readState(db);
  const rule = await ruleInForce(db);
  if (seen.rrule === rule && (seen.next_at === null || seen.next_at > clock())) return;
  const isDue = await db.transaction(async (db) => {
    const state = await lockState(db);
    const rule = await ruleInForce(db);
    const now = clock();
    const isDue = state.rrule === rule && state.next_at !== null && state.next_at <= now;
    if (isDue) await insertRequest(db, scheduler, 'schedule', now);
    if (isDue || state.rrule !== rule) await setSchedule(db, rule, rule === '' ? null : nextAfter(rule, now));
    return isDue;
  });
  if (isDue) log.info('the schedule asks for an analysis');
}
