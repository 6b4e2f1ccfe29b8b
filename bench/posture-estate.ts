import { readSettings } from '../src/config.ts';
import { openStores } from '../src/db/open.ts';
import { Deadline } from '../src/deadline.ts';
import { amend } from '../src/graph/analysis/amend.ts';
import { defaultSelectors } from '../src/graph/analysis/default-selectors.ts';
import { derive } from '../src/graph/analysis/derive.ts';
import type { Estate } from '../src/graph/analysis/estate.ts';
import { keptProperties } from '../src/graph/analysis/kept-properties.ts';
import { loadGraph } from '../src/graph/analysis/load.ts';
import { measure } from '../src/graph/analysis/measure/measure.ts';
import { traversableKinds } from '../src/graph/analysis/measure/traversable.ts';
import { assignZones } from '../src/graph/analysis/zones.ts';

/** What one estate cost, stage by stage. */
export interface MeasuredEstate {
  readonly nodes: number;
  /** Those that somebody can move along, derived ones included. */
  readonly steps: number;
  readonly findings: number;
  readonly load: Cost;
  readonly derive: Cost;
  readonly measure: Cost;
  /** After everything, and the most that it was. */
  readonly residentMb: number;
  readonly peakMb: number;
}

export interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** In a process of its own, so that its memory is nobody else's. */
async function measureEstate(): Promise<MeasuredEstate> {
  const stores = openStores(readSettings({ ...process.env, KENNEL_LOG_LEVEL: 'error' }));
  try {
    const graph = stores.graph.within(new Deadline(undefined));
    const [estate, load] = await timed(async () => {
      const loaded = await loadGraph(graph, keptProperties, { onPage: async () => {} });
      return amend(graph, loaded, Date.now(), async () => {});
    });
    const [, derived] = await timed(() => derive(estate, { citrixRdp: false }));
    const zone = { id: 1, position: 1, kind: 'Tag_Tier_Zero' };
    const selectors = defaultSelectors.map(({ key }) => ({ rule: key }));
    const { tag } = assignZones(estate, [{ ...zone, selectors }]);
    const [{ findings }, cost] = await timed(() => measure(estate, [zone], tag));
    return {
      nodes: estate.size,
      steps: stepsOf(estate),
      findings: findings.length,
      load,
      derive: derived,
      measure: cost,
      residentMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
      peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
    };
  } finally {
    await stores.close();
  }
}

async function timed<T>(work: () => T | Promise<T>): Promise<[result: T, cost: Cost]> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return [
    result,
    { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (user + system) / 1_000_000 },
  ];
}

function stepsOf(estate: Estate): number {
  return traversableKinds.reduce((sum, kind) => sum + estate.edges(kind).size, 0);
}

process.send?.(await measureEstate());
