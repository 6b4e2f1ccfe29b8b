import { readSettings } from '../src/config.ts';
import type { Db } from '../src/db/client.ts';
import { openStores } from '../src/db/open.ts';
import { Deadline } from '../src/deadline.ts';
import { dataTypes, readHistory } from '../src/features/posture/index.ts';
import { analyze, environmentId, fillPosture, lastDay } from './estate.ts';
import { onStore } from './ingest.ts';

/** How long 30 days of all series take beside one year of daily runs, and beside many. */
export interface MeasuredHistory {
  readonly store: string;
  readonly years: number;
  readonly oneYearMs: number;
  readonly manyYearsMs: number;
}

const environments = 20;
const dayMs = 86_400_000;
const rounds = 60;
const warmUp = 10;

export async function measureHistory(
  store: 'sqlite' | 'postgres',
  folder: string,
  years: number,
): Promise<MeasuredHistory> {
  return onStore(store, folder, (small) =>
    onStore(store, folder, async (large) => {
      const stores = [small, large].map((env) =>
        openStores(readSettings({ ...env, KENNEL_LOG_LEVEL: 'error' })),
      );
      try {
        const graphs = stores.map(({ graph }) => graph.within(new Deadline(undefined)));
        for (const [index, graph] of graphs.entries()) {
          await fillPosture(graph, { days: 365 * (index === 0 ? 1 : years), environments });
          await analyze(graph);
        }
        const times: number[][] = graphs.map(() => []);
        // In turn: the machine's mood is the same for both.
        for (let round = 0; round < warmUp + rounds; round += 1)
          for (const [index, graph] of graphs.entries()) {
            const took = await askOnce(graph);
            if (round >= warmUp) times[index]?.push(took);
          }
        const [oneYearMs = 0, manyYearsMs = 0] = times.map(median);
        return { store, years, oneYearMs, manyYearsMs };
      } finally {
        for (const { close } of stores) await close();
      }
    }),
  );
}

async function askOnce(graph: Db): Promise<number> {
  const startedAt = performance.now();
  for (const dataType of dataTypes) {
    const points = await readHistory(graph, {
      dataType,
      environments: Array.from({ length: environments }, (_, index) => environmentId(index + 1)),
      start: lastDay - 30 * dayMs,
      end: lastDay,
      tagId: undefined,
    });
    if (points.length !== 30) throw new Error(`${dataType} has ${points.length} points in 30 days`);
  }
  return performance.now() - startedAt;
}

function median(times: readonly number[]): number {
  return [...times].sort((one, two) => one - two)[Math.floor(times.length / 2)] ?? 0;
}
