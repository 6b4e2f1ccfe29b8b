import type { Deps } from '../deps.ts';
import { recordCheckin } from '../features/clients/registry/index.ts';
import { findRunningJobOf, insertJob, jobStatus } from '../features/jobs/index.ts';
import { collectors } from './company.ts';
import { demoJob } from './jobs.ts';

const checkEveryMs = 1000;

/**
 * Plays the first collector: it checks in, and starts another job whenever nobody sees it running one, so that
 * there is always a job to end. Stop it before the store is closed.
 */
export function playCollectors(
  deps: Deps,
  collectorIds: Readonly<Record<string, string>>,
): { stop(): Promise<void> } {
  const [{ name }] = collectors;
  const client = { id: collectorIds[name] ?? '', name };
  let turn: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    turn = turn
      .then(() => play(deps, client))
      .catch((error: unknown) => deps.log.error({ err: error }, 'the demo collector failed'));
  }, checkEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      return turn;
    },
  };
}

async function play(deps: Deps, client: { id: string; name: string }): Promise<void> {
  await deps.db.transaction(async (db) => {
    const now = deps.clock();
    await recordCheckin(db, client.id, now);
    if ((await findRunningJobOf(db, client.id)) !== undefined) return;
    await insertJob(db, demoJob(client, jobStatus.running, now - 5_000));
  });
}
