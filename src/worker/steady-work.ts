import type { Look } from '../db/client.ts';
import type { Pulse } from './pulse.ts';
import type { Worker } from './worker.ts';

export interface SteadyWork {
  /** What wakes it. */
  readonly looks: readonly Look[];
  /** One turn: all that is to be done now. It looks at `isStopped` between two pieces. */
  turn(isStopped: () => boolean): Promise<void>;
  /** After a turn that failed; it waits longer then, a store may be out of reach. */
  failed(error: unknown): Promise<void> | void;
  /** The process that does it: told to give up what is under way, and ended. */
  stopProcess(): void;
  closeProcess(): Promise<void>;
}

/** Without a wake it looks by itself this often. */
const restMs = 30_000;
const patienceMs = 3000;
/** A process may still be starting, or waiting for its turn. */
const hurryMs = 6000;

/** Turn after turn until it is stopped, each when there is work, done in a process of its own. */
export function startSteadyWork(work: SteadyWork, pulse: Pick<Pulse, 'watch'>): Worker {
  let isStopped = false;
  let isWanted = false;
  let isPatient = false;
  let wake = () => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, isStopped ? 0 : ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  pulse.watch(work.looks, () => {
    isWanted = true;
    if (!isPatient) wake();
  });

  async function run(): Promise<void> {
    while (!isStopped) {
      try {
        isWanted = false;
        await work.turn(() => isStopped);
        await pause(isWanted ? 0 : restMs);
      } catch (error) {
        // What breaks off because it is stopped is no failure.
        if (!isStopped) await work.failed(error);
        isPatient = true;
        await pause(patienceMs);
        isPatient = false;
      }
    }
  }

  const running = run();
  return {
    stop: async () => {
      isStopped = true;
      wake();
      work.stopProcess();
      const hurry = setTimeout(() => void work.closeProcess(), hurryMs);
      await running;
      clearTimeout(hurry);
      await work.closeProcess();
    },
  };
}
