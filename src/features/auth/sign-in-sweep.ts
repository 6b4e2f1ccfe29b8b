import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { forgetFuture } from './attempts.ts';
import { forgetOldFailures } from './one-time-limit.ts';
import { forgetOldPlaces } from './places.ts';

/** More than can be checked within the hour that they count for; the oldest go first. */
const keptAttempts = 100_000;

/** What no limit looks at any more. */
export async function sweepSignIns(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  kept = keptAttempts,
): Promise<void> {
  const now = clock();
  await db.transaction(async (db) => {
    await forgetFuture(db, now);
    await db.execute('delete from sign_in_attempts where forget_at <= $1', [now]);
    await db.execute(
      `delete from sign_in_attempts where at <=
         (select at from sign_in_attempts order by at desc limit 1 offset ${kept})`,
    );
    await forgetOldPlaces(db, now);
    await forgetOldFailures(db, now);
  });
}

export const signInTasks: readonly Task[] = [
  { name: 'forget old sign-in attempts', everyMs: 60_000, run: (deps) => sweepSignIns(deps) },
];
