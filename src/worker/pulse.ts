import type { Db, Look } from '../db/client.ts';
import type { Deps } from '../deps.ts';

export interface Pulse {
  /** Calls `wake` whenever one of these looks finds work. */
  watch(looks: readonly Look[], wake: () => void): void;
  stop(): Promise<void>;
}

/** Work that another process left is found within this time. */
const everyMs = 1000;
/** After a commit of this process it is looked at once, but no more often than this. */
const soonMs = 150;
const mostPatience = 30;

interface Watched {
  readonly look: Look;
  readonly wake: () => void;
  last: number | undefined;
}

/**
 * One look a second at all that waits for somebody, in one statement for each store, instead of one for each thing.
 * At rest that is all that a server asks of its store.
 */
export function startPulse({ db, graph, clock, log }: Pick<Deps, 'db' | 'graph' | 'clock' | 'log'>): Pulse {
  const watched: Watched[] = [];
  let isStopped = false;
  let failures = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let due = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  async function lookAt(store: Db, some: readonly Watched[]): Promise<void> {
    if (some.length === 0) return;
    const values = some.map(({ look }, index) => `(${look.sql}) as v${index}`).join(', ');
    const row = await store.one<Record<string, number>>(`select cast($1 as bigint) as now, ${values}`, [
      clock(),
    ]);
    for (const [index, one] of some.entries()) {
      const value = row?.[`v${index}`] ?? 0;
      const isDue = one.look.due === 'while' ? value !== 0 : value !== one.last;
      one.last = value;
      if (isDue) one.wake();
    }
  }

  async function look(): Promise<void> {
    lookedAt = performance.now();
    try {
      const isOne = graph === db;
      await lookAt(
        db,
        watched.filter(({ look }) => isOne || look.store === 'db'),
      );
      await lookAt(
        graph,
        watched.filter(({ look }) => !isOne && look.store === 'graph'),
      );
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!isStopped) log.warn({ err: error }, 'the store can not be asked for work');
    }
  }

  function at(time: number): void {
    if (isStopped || time >= due) return;
    clearTimeout(timer);
    due = time;
    timer = setTimeout(
      () => {
        due = Number.POSITIVE_INFINITY;
        if (looking !== undefined) return;
        looking = look().finally(() => {
          looking = undefined;
          at(lookedAt + everyMs * Math.min(Math.max(failures, 1), mostPatience));
        });
      },
      Math.max(0, time - performance.now()),
    );
  }

  const soon = () => {
    if (failures === 0) at(Math.max(performance.now(), lookedAt + soonMs));
  };
  const ends = [...new Set([db, graph])].map((store) => store.onCommit(soon));
  at(performance.now() + everyMs);
  return {
    watch: (looks, wake) => watched.push(...looks.map((look) => ({ look, wake, last: undefined }))),
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      for (const end of ends) end();
      await looking;
    },
  };
}
