import type { Deps } from '../deps.ts';

/** Work that the server does by itself, again and again. */
export interface Task {
  /** Names it in the log. */
  readonly name: string;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
  /** Short: a shutdown waits for it. What is left to do is done by the next run. */
  run(deps: Deps): Promise<void>;
}

export interface Worker {
  /** Starts nothing more and waits for what is running. */
  stop(): Promise<void>;
}

/** A task that keeps failing waits this many times as long, at most. */
const mostPatience = 30;

/** Runs every task at once and then on a timer of its own; never twice at the same time in one process. */
export function startWorker(deps: Deps, tasks: readonly Task[]): Worker {
  const loops = tasks.map((task) => startLoop(deps, task));
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function startLoop(deps: Deps, task: Task): Worker {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let running = Promise.resolve();

  async function turn(): Promise<void> {
    try {
      await task.run(deps);
      failures = 0;
    } catch (error) {
      failures += 1;
      deps.log.error({ err: error, task: task.name }, 'a background task failed');
    }
    if (!stopped) timer = setTimeout(next, task.everyMs * Math.min(Math.max(failures, 1), mostPatience));
  }
  function next(): void {
    running = turn();
  }

  next();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
