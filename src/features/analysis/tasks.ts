import type { Deps } from '../../deps.ts';
import { sweepAnalyses } from '../../graph/analysis/store.ts';
import type { Task } from '../../worker/worker.ts';
import { readAnswers } from './requests.ts';
import { followSchedule } from './schedule.ts';
import { deleteOldRequests } from './store.ts';

/** A shutdown waits for one turn. */
const turnMs = 1000;

async function sweep({ db, graph, clock }: Deps): Promise<void> {
  const until = performance.now() + turnMs;
  while (performance.now() < until && (await sweepAnalyses(graph)));
  const { answered, givenUp } = await readAnswers(db, graph);
  await deleteOldRequests(db, Math.max(answered, givenUp), clock());
}

export const analysisTasks: readonly Task[] = [
  { name: 'the schedule of analysis', everyMs: 2000, run: followSchedule },
  { name: 'results of older analyses', everyMs: 5000, run: sweep },
];
