import { changeLook } from '../../changes.ts';
import type { Deps } from '../../deps.ts';
import { publishedLook, sweepAnalyses } from '../../graph/analysis/store.ts';
import type { Task } from '../../worker/worker.ts';
import { readAnswers } from './requests.ts';
import { followSchedule } from './schedule.ts';
import { deleteOldRequests, scheduleLook } from './store.ts';

/** A shutdown waits for one turn. */
const turnMs = 1000;

async function sweep({ db, graph, clock }: Deps): Promise<'unfinished' | undefined> {
  const until = performance.now() + turnMs;
  while (await sweepAnalyses(graph)) if (performance.now() > until) return 'unfinished';
  const { answered, givenUp } = await readAnswers(db, graph);
  await deleteOldRequests(db, Math.max(answered, givenUp), clock());
  return undefined;
}

export const analysisTasks: readonly Task[] = [
  {
    name: 'the schedule of analysis',
    everyMs: 60_000,
    looks: [scheduleLook, changeLook],
    run: followSchedule,
  },
  { name: 'results of older analyses', everyMs: 60_000, looks: [publishedLook], run: sweep },
];
