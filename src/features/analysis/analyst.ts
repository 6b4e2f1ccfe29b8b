import { waitForLock } from '../../db/server-lock.ts';
import type { Deps } from '../../deps.ts';
import type { AnalysisProgress } from '../../graph/analysis/run.ts';
import { entryPoint } from '../../program.ts';
import { storeSettings, WorkProcess } from '../../worker/child-process.ts';
import type { FromAnalyst, RunOutcome, ToAnalyst } from './messages.ts';
import { perform } from './perform.ts';

/** Runs analyses, one at a time. */
export interface Analyst {
  /** Does nothing when it is open. True when it was not. */
  open(): Promise<boolean>;
  analyse(requestId: number, onProgress: (progress: AnalysisProgress) => void): Promise<RunOutcome>;
  /** The run under way, if there is one, is given up between two steps. */
  stop(): void;
  close(): Promise<void>;
}

/** The longest that a run may be silent: a single rule on a large graph. */
const stallSeconds = 1800;

/**
 * The embedded store has one analyst: whoever holds this knows that no other is alive. PostgreSQL needs none, there
 * the lease tells.
 */
export async function lockAnalysis(
  { databaseUrl, dataDir }: Pick<Deps['settings'], 'databaseUrl' | 'dataDir'>,
  isGivenUp: () => boolean = () => false,
): Promise<{ release(): void } | undefined> {
  if (databaseUrl !== undefined) return undefined;
  return waitForLock(dataDir, 'another process analyses the graph', 'analysis.lock', isGivenUp);
}

/** In a process of its own, which takes its memory with it when it is closed. */
export class ChildAnalyst implements Analyst {
  readonly #deps: Deps;
  readonly #process: WorkProcess<ToAnalyst, FromAnalyst>;

  constructor(deps: Deps, program = entryPoint('features/analysis/child')) {
    this.#deps = deps;
    this.#process = new WorkProcess({
      program,
      name: 'the analysing process',
      log: deps.log,
      stall: { seconds: stallSeconds, reason: `no progress for ${stallSeconds} seconds` },
    });
  }

  open(): Promise<boolean> {
    return this.#process.open({ type: 'open', settings: storeSettings(this.#deps.settings) });
  }

  async analyse(requestId: number, onProgress: (progress: AnalysisProgress) => void): Promise<RunOutcome> {
    const reply = await this.#process.ask(
      { type: 'analyse', requestId },
      (message) => {
        if (message.type === 'progress') onProgress({ stage: message.stage, percent: message.percent });
      },
      ({ type }) => type !== 'ready' && type !== 'progress',
    );
    if (reply.kind === 'stopped') return { type: 'stopped' };
    if (reply.kind === 'ended') return { type: 'broken', reason: reply.reason };
    return reply.message as RunOutcome;
  }

  stop(): void {
    this.#process.stop();
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

/** In this very process, for commands. */
export class OwnAnalyst implements Analyst {
  readonly #deps: Deps;
  #lock: { release(): void } | undefined;
  readonly #isStopped: () => boolean;
  #isOpen = false;
  #isToldToStop = false;

  /** `isCanceled` ends what is under way as `stop` does, the wait for its turn included. */
  constructor(deps: Deps, isCanceled: () => boolean = () => false) {
    this.#deps = deps;
    this.#isStopped = () => this.#isToldToStop || isCanceled();
  }

  async open(): Promise<boolean> {
    if (this.#isOpen) return false;
    this.#lock = await lockAnalysis(this.#deps.settings, this.#isStopped);
    this.#isOpen = true;
    return true;
  }

  analyse(requestId: number, onProgress: (progress: AnalysisProgress) => void): Promise<RunOutcome> {
    return perform(this.#deps, requestId, { onProgress, isStopped: this.#isStopped });
  }

  stop(): void {
    this.#isToldToStop = true;
  }

  async close(): Promise<void> {
    this.#lock?.release();
    this.#lock = undefined;
    this.#isOpen = false;
  }
}
