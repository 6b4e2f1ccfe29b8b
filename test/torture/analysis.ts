import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { writeEstate } from '../../bench/generator/estate.ts';
import { Random } from '../../bench/generator/random.ts';
import { compareGraphs, type OpenGraphFile } from '../../scripts/compare-graphs.ts';
import { commandLine } from '../../src/caller.ts';
import { readSettings } from '../../src/config.ts';
import { openStores, type Stores } from '../../src/db/open.ts';
import { isUnderWay, readAnalysisState, requestAnalysis } from '../../src/features/analysis/index.ts';
import { findPublished } from '../../src/graph/analysis/store.ts';
import { exported, ingestJson } from '../graph/exported.ts';
import { sharedPassword } from '../server/builders.ts';
import { type KennelProcess, runKennel, serveKennel, within } from '../server/processes.ts';
import { killAll } from './kill.ts';
import type { Torture, Tortured } from './reading.ts';

export interface TorturedAnalysis extends Tortured {
  /** How many kills came before the run had published. */
  readonly hits: number;
}

type Environment = Readonly<Record<string, string>>;

/** A kill comes up to so long after a run has begun; the span follows the machine's speed. */
const waitMs = { first: 400, least: 20, most: 20_000, growth: 1.5 };
/** A run that a dead server had claimed on PostgreSQL is free again after ten seconds. */
const claimMs = 60_000;
const finishMs = 120_000;

/**
 * Kills a server again and again while it analyses. After every kill readers must see the results of before, all of
 * them, or those of the new run; a run that is left alone has to give what it gives where nothing was ever killed.
 */
export async function tortureAnalysis(torture: Torture): Promise<TorturedAnalysis> {
  const endAt = performance.now() + torture.mostMs;
  const files = await writeFiles(torture);
  for (const env of [torture.env, torture.alone]) {
    await command(env, ['migrate']);
    await command(env, ['ingest', '--json', ...files]);
  }
  const [victim, alone] = [new Subject(torture.env), new Subject(torture.alone)];
  const random = new Random(torture.seed, 1147);
  let [kills, hits, rounds] = [0, 0, 0];
  let mostWaitMs: number = waitMs.first;
  const end = (differences: readonly string[], { graph: { nodes, edges } }: OpenGraphFile) => ({
    kills,
    hits,
    rounds,
    nodes: nodes.length,
    edges: edges.length,
    differences,
  });
  try {
    for (;;) {
      rounds += 1;
      const before = await victim.derived();
      await alone.change(rounds);
      await command(torture.alone, ['analyze', '--json']);
      const [expected, after] = [await alone.graph(), await alone.derived()];
      if (isDeepStrictEqual(before, after)) throw new Error('the change made no difference');
      await victim.change(rounds);
      await victim.ask();
      const published = await victim.published();
      while (kills < torture.kills && performance.now() < endAt) {
        await victim.startRun();
        await sleep(random.below(Math.ceil(mostWaitMs)));
        await victim.kill();
        kills += 1;
        torture.onKill?.(kills, rounds);
        const isPublished = (await victim.published()) !== published;
        if (!isPublished) hits += 1;
        const factor = isPublished ? 1 / waitMs.growth : waitMs.growth;
        mostWaitMs = Math.min(Math.max(mostWaitMs * factor, waitMs.least), waitMs.most);
        const differences = compareLists(isPublished ? after : before, await victim.derived());
        if (differences.length > 0) return end(differences, expected);
        if (isPublished) break;
      }
      if ((await victim.published()) === published) await victim.finish(published);
      const differences = compareGraphs(expected, await victim.graph());
      if (differences.length > 0 || kills >= torture.kills || performance.now() >= endAt)
        return end(differences, expected);
    }
  } finally {
    await victim.remove();
    await alone.remove();
  }
}

function compareLists(expected: readonly string[], found: readonly string[]): string[] {
  const [wanted, had] = [new Set(expected), new Set(found)];
  return [
    ...expected.filter((edge) => !had.has(edge)).map((edge) => `${edge} is gone`),
    ...found.filter((edge) => !wanted.has(edge)).map((edge) => `${edge} should not be seen`),
  ];
}

async function writeFiles({ folder, seed, objects }: Torture): Promise<readonly string[]> {
  const made = join(folder, 'made');
  rmSync(made, { recursive: true, force: true });
  return (await writeEstate({ folder: made, objects, seed, generation: 1, objectsPerFile: 2000 })).files;
}

async function command(env: Environment, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runKennel(args, env);
  if (code !== 0) throw new Error(`kennel ${args[0]}: ${stderr}`);
}

/** A domain with one more user in every round, who gets a right there that another edge follows from. */
const domain = 'S-1-5-21-4711-4711-4711';
const newcomer = (round: number) => `${domain}-${5000 + round}`;

function changeOf(round: number): object {
  const users = Array.from({ length: round }, (_, index) => newcomer(index + 1));
  const domainsid = domain;
  return {
    graph: {
      nodes: [
        {
          id: domain,
          kinds: ['Domain', 'Base'],
          properties: { name: 'TORTURE.LOCAL', domainsid, collected: true },
        },
        ...users.map((id) => ({ id, kinds: ['User', 'Base'], properties: { name: id, domainsid } })),
      ],
      edges: users.flatMap((id) =>
        ['GetChanges', 'GetChangesAll'].map((kind) => ({
          kind,
          start: { match_by: 'id', value: id },
          end: { match_by: 'id', value: domain },
        })),
      ),
    },
  };
}

/** A store, and the server on it while there is one. */
class Subject {
  readonly #env: Environment;
  readonly #stores: Stores;
  readonly #gone = new Set<string>();
  #server: KennelProcess | undefined;

  constructor(env: Environment) {
    this.#env = { ...env, KENNEL_ADMIN_PASSWORD: sharedPassword };
    this.#stores = openStores(readSettings(env));
  }

  async change(round: number): Promise<void> {
    const [result] = await ingestJson(this.#stores.graph, changeOf(round), Date.now());
    if (result?.outcome !== 'complete') throw new Error(`the change failed: ${result?.errors.join(', ')}`);
  }

  ask(): Promise<number> {
    return requestAnalysis({ clock: Date.now }, this.#stores.db, commandLine);
  }

  async published(): Promise<number | undefined> {
    return (await findPublished(this.#stores.graph))?.id;
  }

  /** Starts a server, and waits until it has begun. */
  async startRun(): Promise<void> {
    this.#server = await serveKennel(this.#env);
    await within(claimMs, 'no analysis begins', async () => {
      const state = await readAnalysisState(this.#stores.db);
      const isNew = state.runner !== null && !this.#gone.has(state.runner);
      return isNew && isUnderWay(state, Date.now()) ? true : undefined;
    });
  }

  /** All processes at once, so that none can tidy up after another. */
  async kill(): Promise<void> {
    const { runner } = await readAnalysisState(this.#stores.db);
    if (runner !== null) this.#gone.add(runner);
    if (this.#server !== undefined) await killAll(this.#server);
    this.#server = undefined;
  }

  async finish(published: number | undefined): Promise<void> {
    this.#server = await serveKennel(this.#env);
    await within(finishMs, 'the analysis does not end', async () =>
      (await this.published()) === published ? undefined : true,
    );
    await this.#server.end();
    this.#server = undefined;
  }

  graph(): Promise<OpenGraphFile> {
    return exported(this.#stores.graph);
  }

  /** What readers see of the results, in order. */
  async derived(): Promise<string[]> {
    const rows = await this.#stores.graph.query<{ edge: string }>(
      `select s.object_id || ' ' || k.name || ' ' || t.object_id as edge
       from published_analysis p join derived_edges d on d.analysis_id = p.analysis_id
       join edge_kinds k on k.id = d.kind_id join nodes s on s.id = d.start_id join nodes t on t.id = d.end_id`,
    );
    return rows.map(({ edge }) => edge).sort();
  }

  async remove(): Promise<void> {
    await this.kill();
    await this.#stores.close();
  }
}
