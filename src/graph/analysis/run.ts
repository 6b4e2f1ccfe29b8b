import { setImmediate as turn } from 'node:timers/promises';
import type { Db, Transaction } from '../../db/client.ts';
import { Deadline } from '../../deadline.ts';
import { amend } from './amend.ts';
import { deriveByRule } from './derive.ts';
import type { EdgeSet } from './edge-set.ts';
import type { Estate } from './estate.ts';
import type { RuleSettings } from './facts.ts';
import { keptProperties } from './kept-properties.ts';
import { loadGraph } from './load.ts';
import { archivedPoints } from './measure/archived.ts';
import { criticalPoints } from './measure/critical.ts';
import { measure, type Point } from './measure/measure.ts';
import { recordFindings } from './measure/record.ts';
import {
  type DerivedRow,
  deleteUploaded,
  edgeKindIds,
  publishAnalysis,
  startAnalysis,
  writeDerived,
  writeZoneKinds,
  writeZones,
} from './store.ts';
import { zoneRows } from './zone-rows.ts';
import { assignZones, type Zone } from './zones.ts';

/** How far each stage is when it ends, in percent of the whole. */
const stageEnds = {
  loading: 40,
  deriving: 60,
  tagging: 65,
  measuring: 75,
  writing: 99,
  publishing: 100,
} as const;

export type AnalysisStage = keyof typeof stageEnds;
export const analysisStages = Object.keys(stageEnds) as AnalysisStage[];

export interface AnalysisProgress {
  readonly stage: AnalysisStage;
  readonly percent: number;
}

export interface AnalysisOptions {
  /** The last request that the run answers. */
  readonly requestId: number;
  readonly settings: RuleSettings;
  /** As they are defined when the run begins. */
  readonly zones: readonly Zone[];
  readonly clock: () => number;
  /** What becomes true together with the results, in the same transaction. */
  publish(
    graph: Transaction,
    run: { startedAt: number; finishedAt: number },
    points: readonly Point[],
  ): Promise<void>;
}

export interface AnalysisHooks {
  /** The run waits for what it promises. */
  onProgress(progress: AnalysisProgress): void | Promise<void>;
  isStopped(): boolean;
}

export interface AnalysisSummary {
  readonly id: number;
  readonly nodes: number;
  /** How many edges of each kind were derived. */
  readonly derived: Readonly<Record<string, number>>;
}

/** Given up on demand: what was written so far is nobody's, and is swept up. */
export class AnalysisStopped extends Error {
  constructor() {
    super('the analysis was stopped');
    this.name = 'AnalysisStopped';
  }
}

const rowsAtOnce = 5000;

/**
 * One run: reads the graph as it is now, works out what follows, and writes it under a number of its own. Readers see
 * all of it from one moment on, or nothing. Run again, it starts over.
 */
export async function analyse(
  store: Db,
  options: AnalysisOptions,
  hooks: AnalysisHooks,
): Promise<AnalysisSummary> {
  // It may have to wait for a file that is being applied, and reads for as long as it takes.
  const graph = store.within(new Deadline(undefined));
  const steps = new Steps(hooks);
  const startedAt = options.clock();
  const id = await startAnalysis(graph, options.requestId, startedAt);

  const loaded = await loadGraph(graph, keptProperties, { onPage: (done) => steps.at('loading', done) });
  const estate = await amend(graph, loaded, startedAt, () => steps.at('loading', 1));
  do await steps.at('loading', 1);
  while (await deleteUploaded(graph));

  const derived = await deriveStepwise(estate, options.settings, (done) => steps.at('deriving', done));
  await steps.at('tagging', 0);
  const assigned = assignZones(estate, options.zones);
  await steps.at('measuring', 0);
  const measured = measure(estate, options.zones, assigned.tag);
  await steps.at('measuring', 1);

  await writeEdges(graph, id, estate, derived, (done) => steps.at('writing', 0.7 * done));
  await writeZoneKinds(graph, id, options.zones);
  for (const batch of zoneRows(estate, assigned, rowsAtOnce)) {
    await steps.at('writing', 0.75);
    await writeZones(graph, id, batch);
  }
  await recordFindings(graph, id, estate, measured, assigned.tag, () => steps.at('writing', 0.9));
  const points = [...measured.points, ...criticalPoints(measured), ...(await archivedPoints(graph, id))];
  await steps.at('publishing', 0);
  await publishAnalysis(graph, id, options.clock(), (graph, finishedAt) =>
    options.publish(graph, { startedAt, finishedAt }, points),
  );
  await steps.tell('publishing', 1);
  const counts = [...derived].flatMap(([kind, { size }]) => (size === 0 ? [] : [[kind, size] as const]));
  return { id, nodes: estate.size, derived: Object.fromEntries(counts) };
}

/** A large graph takes minutes altogether, and a rule seconds. */
async function deriveStepwise(
  estate: Estate,
  settings: RuleSettings,
  onRule: (done: number) => Promise<void>,
): Promise<Map<string, EdgeSet>> {
  const steps = deriveByRule(estate, settings);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await onRule(value);
  }
}

async function writeEdges(
  graph: Db,
  id: number,
  estate: Estate,
  derived: ReadonlyMap<string, EdgeSet>,
  onBatch: (fraction: number) => Promise<void>,
): Promise<void> {
  const total = [...derived.values()].reduce((sum, { size }) => sum + size, 0);
  const kinds = await edgeKindIds(
    graph,
    [...derived].flatMap(([kind, { size }]) => (size === 0 ? [] : [kind])),
  );
  let written = 0;
  for (const batch of batches(estate, derived, kinds)) {
    await onBatch(written / total);
    await writeDerived(graph, id, batch);
    written += batch.length;
  }
}

function* batches(
  estate: Estate,
  derived: ReadonlyMap<string, EdgeSet>,
  kinds: ReadonlyMap<string, number>,
): Generator<DerivedRow[]> {
  let batch: DerivedRow[] = [];
  for (const [name, edges] of derived) {
    const kind = kinds.get(name) ?? 0;
    for (const [start, end] of edges) {
      batch.push({ start: estate.storeId(start), kind, end: estate.storeId(end) });
      if (batch.length < rowsAtOnce) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Tells how far it is, and gives way to whoever wants it to end. */
class Steps {
  readonly #hooks: AnalysisHooks;

  constructor(hooks: AnalysisHooks) {
    this.#hooks = hooks;
  }

  async at(stage: AnalysisStage, fraction: number): Promise<void> {
    await this.tell(stage, fraction);
    // The embedded store answers at once: nothing else in this process would ever be heard.
    await turn();
    if (this.#hooks.isStopped()) throw new AnalysisStopped();
  }

  async tell(stage: AnalysisStage, fraction: number): Promise<void> {
    const before = analysisStages[analysisStages.indexOf(stage) - 1];
    const from = before === undefined ? 0 : stageEnds[before];
    const percent = Math.floor(from + (stageEnds[stage] - from) * Math.min(Math.max(fraction, 0), 1));
    await this.#hooks.onProgress({ stage, percent });
  }
}
