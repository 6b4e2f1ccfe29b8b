import { randomUUID } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { AnalysisProgress, AnalysisSummary } from '../../graph/analysis/run.ts';
import type { Pulse } from '../../worker/pulse.ts';
import { type SteadyWork, startSteadyWork } from '../../worker/steady-work.ts';
import type { Worker } from '../../worker/worker.ts';
import { type Analyst, ChildAnalyst } from './analyst.ts';
import type { RunOutcome } from './messages.ts';
import { findOpenRequest, readAnswers } from './requests.ts';
import {
  extendRun,
  forgetRun,
  listRequests,
  lockState,
  readState,
  releaseRun,
  requestLooks,
  takeRun,
} from './store.ts';

const beatEveryMs = 1000;
/** Requests whose run breaks off this often are given up. */
const maxFailures = 3;

export interface RunWatch {
  /** What the requests that it answers follow from. */
  onStart?(requestId: number, reasons: readonly string[]): void;
  onProgress?(progress: AnalysisProgress): void;
  onEnd?(summary: AnalysisSummary): void;
  isStopped?(): boolean;
}

/** Runs an analysis if one is asked for; false when none is, or somebody else is at it. */
export async function analyseNext(
  deps: Deps,
  analyst: Analyst,
  name: string,
  watch: RunWatch = {},
): Promise<boolean> {
  const { db, graph, clock, log } = deps;
  const isAlone = deps.settings.databaseUrl === undefined;
  if ((await findOpenRequest(db, await readAnswers(db, graph))) === undefined) return false;
  if (!isAlone && isUnderWay(await readState(db), clock())) return false;
  if ((await analyst.open()) && isAlone) await forgetRun(db);
  if (watch.isStopped?.() === true) return false;
  const requestId = await claim(deps, name, watch);
  if (requestId === undefined) return false;

  let progress: AnalysisProgress = { stage: 'loading', percent: 0 };
  const beat = setInterval(() => {
    extendRun(db, name, progress, clock()).then(
      (isOwn) => {
        if (!isOwn) analyst.stop();
      },
      (error: unknown) => log.warn({ err: error }, 'the lease of an analysis could not be extended'),
    );
  }, beatEveryMs);
  let outcome: RunOutcome;
  try {
    outcome = await analyst.analyse(requestId, (now) => {
      progress = now;
      watch.onProgress?.(now);
    });
  } finally {
    clearInterval(beat);
  }
  await conclude(deps, name, requestId, outcome);
  if (outcome.type === 'done') watch.onEnd?.(outcome.summary);
  if (outcome.type === 'unavailable')
    throw new AppError('unavailable', `the graph can not be analysed now: ${outcome.reason}`);
  if (outcome.type === 'broken') throw new Error(`an analysis broke off: ${outcome.reason}`);
  return outcome.type === 'done';
}

export function isUnderWay(
  state: { readonly runner: string | null; readonly lease_until: number | null },
  now: number,
): boolean {
  return state.runner !== null && (state.lease_until ?? 0) >= now;
}

/** The last request that the run takes; nothing when there is none left, or another process has the run. */
async function claim({ db, graph, clock }: Deps, name: string, watch: RunWatch): Promise<number | undefined> {
  const before = await readAnswers(db, graph);
  const requestId = await db.transaction(async (db) => {
    const now = clock();
    if (isUnderWay(await lockState(db), now)) return undefined;
    const newest = await findOpenRequest(db, before);
    if (newest !== undefined) await takeRun(db, name, newest, now);
    return newest;
  });
  if (requestId === undefined) return undefined;
  // Somebody may have published between the look at the graph and the claim; from now on nobody can.
  const answers = await readAnswers(db, graph);
  if (requestId <= answers.answered) {
    await db.transaction(async (db) => {
      const { failures, given_up: givenUp } = await lockState(db);
      await releaseRun(db, name, { failures, givenUp });
    });
    return undefined;
  }
  const asked = await listRequests(db, Math.max(answers.answered, answers.givenUp), requestId);
  watch.onStart?.(
    requestId,
    asked.map(({ reason }) => reason),
  );
  return requestId;
}

async function conclude(
  { db, log }: Deps,
  name: string,
  requestId: number,
  outcome: RunOutcome,
): Promise<void> {
  const isGivenUp = await db.transaction(async (db) => {
    const state = await lockState(db);
    const failures =
      outcome.type === 'broken' ? state.failures + 1 : outcome.type === 'done' ? 0 : state.failures;
    const isGivenUp = failures >= maxFailures;
    const isOwn = await releaseRun(db, name, {
      failures: isGivenUp ? 0 : failures,
      givenUp: isGivenUp ? requestId : state.given_up,
    });
    return isOwn && isGivenUp;
  });
  if (isGivenUp)
    log.error(
      { request_id: requestId },
      `analysis failed ${maxFailures} times: it waits for the next request`,
    );
}

/** Analyses whenever somebody asks, in a process of its own, until it is stopped. */
export function startAnalysing(deps: Deps, pulse: Pick<Pulse, 'watch'>): Worker {
  if (!deps.settings.analyze) return { stop: async () => {} };
  const analyst = new ChildAnalyst(deps);
  const name = randomUUID();
  const watch: RunWatch = {
    onStart: (requestId, reasons) =>
      deps.log.info({ request_id: requestId, asked: reasons }, 'an analysis begins'),
    onEnd: (summary) => deps.log.info({ ...summary }, 'an analysis is published'),
  };
  const work: SteadyWork = {
    looks: requestLooks,
    turn: async (isStopped) => {
      while (!isStopped() && (await analyseNext(deps, analyst, name, { ...watch, isStopped })));
      await analyst.close();
    },
    failed: (error) => {
      deps.log.error({ err: error }, 'analysis failed');
      return analyst.close();
    },
    stopProcess: () => analyst.stop(),
    closeProcess: () => analyst.close(),
  };
  return startSteadyWork(work, pulse);
}
