import type { Look } from '../db/client.ts';
import type { Deps } from '../deps.ts';
import type { Pulse } from './pulse.ts';

/** Work that the server does by itself, again and again. */
export interface Task {
  /** Names it in the log. */
  readonly name: string;
  /** From the end of one run to the start of the next, at most. */
  readonly everyMs: number;
  /** What makes it run before that. */
  readonly looks?: readonly Look[];
  /** Short: a shutdown waits for it. What is left to do is done by the next run. */
  run(deps: Deps): Promise<void> | Promise<'unfinished' | undefined>;
}

export interface Worker {
  /** Starts nothing more and waits for what is running. */
  stop(): Promise<void>;
}

/** A task that waits for work is tried again after this when it failed. */
const retryMs = 1000;
/** A task that keeps failing waits this many times as long, at most. */
const mostPatience = 30;

/** What a task could not finish in its turn goes on after this. */
const breathMs = 500;

/**
 * Runs every task at once, then whenever there is work for it, and on a timer of its own; never twice at the same
 * time in one process.
 */
export function startWorker(deps: Deps, tasks: readonly Task[], pulse?: Pick<Pulse, 'watch'>): Worker {
  const loops = tasks.map((task) => startLoop(deps, task, pulse));
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function startLoop(deps: Deps, task: Task, pulse: Pick<Pulse, 'watch'> | undefined): Worker {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isRunning = false;
  let isWanted = false;
  let running = Promise.resolve();

  async function turn(): Promise<void> {
    let waitMs = task.everyMs;
    isRunning = true;
    isWanted = false;
    try {
      if ((await task.run(deps)) === 'unfinished') waitMs = Math.min(breathMs, waitMs);
      failures = 0;
    } catch (error) {
      failures += 1;
      waitMs = (task.looks === undefined ? waitMs : retryMs) * Math.min(failures, mostPatience);
      deps.log.error({ err: error, task: task.name }, 'a background task failed');
    }
    isRunning = false;
    if (!stopped) timer = setTimeout(next, isWanted && failures === 0 ? 0 : waitMs);
  }
  function next(): void {
    running = turn();
  }

  next();
  pulse?.watch(task.looks ?? [], () => {
    isWanted = true;
    // One that fails keeps to its patience.
    if (isRunning || stopped || failures > 0) return;
    clearTimeout(timer);
    next();
  });
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
