import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { analyseNext, isUnderWay, OwnAnalyst, readAnalysisState } from '../features/analysis/index.ts';
import { settle } from '../features/reading/index.ts';
import { sweepAnalyses } from '../graph/analysis/store.ts';
import { CommandError, tell } from './output.ts';
import type { PercentLine } from './progress.ts';

const lookEveryMs = 300;
/** A server begins within a second or two; one that leaves analysis to others never does. */
const patienceMs = 10_000;
const maxAttempts = 3;

interface Wish {
  /** A server is there, which should do it. */
  readonly isServed: boolean;
  isDone(): Promise<boolean>;
  isCanceled(): boolean;
}

/** Until what was asked for is analysed: by a server, or here where there is none that does it. */
export async function analyseUntil(deps: Deps, progress: PercentLine, wish: Wish): Promise<void> {
  const { db, clock } = deps;
  const analyst = new OwnAnalyst(deps, wish.isCanceled);
  const name = randomUUID();
  let isOurs = !wish.isServed;
  let idleSince = performance.now();
  let attempts = 0;
  const watch = {
    onProgress: (now: Parameters<PercentLine['update']>[0]) => progress.update(now),
    isStopped: wish.isCanceled,
  };
  try {
    while (!wish.isCanceled() && !(await wish.isDone())) {
      const state = await readAnalysisState(db);
      const { stage, percent } = state;
      if (isUnderWay(state, clock())) {
        idleSince = performance.now();
        if (stage !== null) progress.update({ stage, percent: percent ?? 0 });
      } else if (isOurs) {
        try {
          await analyseNext(deps, analyst, name, watch);
        } catch (error) {
          attempts += 1;
          if (attempts === maxAttempts) throw failure(error);
        }
      } else if (performance.now() - idleSince > patienceMs) {
        tell('the server analyses nothing (KENNEL_ANALYZE): it is done here');
        isOurs = true;
        continue;
      }
      await settle(deps);
      if (!(await wish.isDone())) await sleep(lookEveryMs);
    }
    // Where no server runs, nobody else ever would.
    while (isOurs && !wish.isCanceled() && (await sweepAnalyses(deps.graph)));
  } finally {
    progress.stop();
    await analyst.close();
  }
}

function failure(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  return new CommandError(`analysis failed ${maxAttempts} times: ${error.message}`);
}
