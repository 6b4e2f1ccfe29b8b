import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startBar } from '../bench/bar.ts';
import { temporaryFolder } from '../bench/folder.ts';
import { createDatabase, startPostgres } from '../test/runner/postgres-server.ts';
import type { Torture, Tortured } from '../test/torture/reading.ts';

/**
 * Kills the built program again and again while it works, on throw-away stores of this machine, and looks at what is
 * left. It stops by itself, and ends no process but its own.
 *
 *     npm run torture -- ingest [--kills=200] [--store=sqlite|postgres|both] [--objects=5000] [--seed=N] [--minutes=30]
 *     npm run torture -- analysis [--kills=50] …
 */

type Store = 'sqlite' | 'postgres';

interface Options {
  readonly kills: number;
  readonly stores: readonly Store[];
  readonly objects: number;
  readonly seed: number;
  readonly minutes: number;
}

const works: Readonly<
  Record<string, { kills: number; load(): Promise<(torture: Torture) => Promise<Tortured>> }>
> = {
  ingest: { kills: 200, load: async () => (await import('../test/torture/reading.ts')).tortureReading },
  analysis: { kills: 50, load: async () => (await import('../test/torture/analysis.ts')).tortureAnalysis },
};

const usage =
  'usage: npm run torture -- ingest|analysis [--kills=N] [--store=sqlite|postgres|both] [--objects=5000] [--seed=N] [--minutes=30]';

async function torture(work: keyof typeof works, options: Options): Promise<boolean> {
  // Before the processes of the tests are loaded: they start in half the time.
  process.env.TEST_PROGRAM = 'built';
  const run = await works[work]?.load();
  if (run === undefined) throw new Error(`there is no torture called ${work}`);
  let isFine = true;
  for (const store of options.stores) {
    const { kills, seed, objects, minutes } = options;
    process.stderr.write(`${store}: seed ${seed}, ${kills} kills, ${objects} objects a round\n`);
    const startedAt = performance.now();
    const found = await withStores(store, (env, alone, folder) => {
      const bar = startBar(`${store}, kills`, kills);
      return run({
        env,
        alone,
        folder,
        kills,
        seed,
        objects,
        mostMs: minutes * 60_000,
        onKill: (count, round) => bar.update(count, `in round ${round}`),
      }).finally(() => bar.stop());
    });
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    isFine = tell(store, found, options, seconds) && isFine;
  }
  return isFine;
}

function tell(store: Store, found: Tortured, { kills, seed }: Options, seconds: number): boolean {
  const { rounds, nodes, edges, differences } = found;
  const done = `${store}: ${found.kills} kills in ${rounds} rounds, ${seconds} s, seed ${seed}`;
  if (differences.length > 0) {
    process.stdout.write(
      `${done}: the graphs DIFFER after round ${rounds}, in ${differences.length} places\n`,
    );
    for (const line of differences.slice(0, 50)) process.stdout.write(`  ${line}\n`);
    return false;
  }
  process.stdout.write(`${done}: after every round the graphs were equal (${nodes} nodes, ${edges} edges)\n`);
  if (found.kills >= kills) return true;
  process.stdout.write(`${store}: the time was over before ${kills} kills\n`);
  return false;
}

type Environment = Record<string, string>;

async function withStores<T>(
  store: Store,
  use: (env: Environment, alone: Environment, folder: string) => Promise<T>,
): Promise<T> {
  const folder = temporaryFolder('torture');
  const postgres = store === 'postgres' ? await startPostgres() : undefined;
  try {
    const environment = async (name: string): Promise<Environment> => {
      const env = { KENNEL_DATA_DIR: join(folder, name), KENNEL_PORT: '0', KENNEL_LOG_LEVEL: 'silent' };
      if (postgres === undefined) return env;
      await createDatabase(postgres.url, name);
      const url = Object.assign(new URL(postgres.url), { pathname: `/${name}` });
      return { ...env, DATABASE_URL: url.href, KENNEL_DATABASE_POOL: '4' };
    };
    return await use(await environment('killed'), await environment('alone'), folder);
  } finally {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function readOptions(args: readonly string[], defaultKills: number): Options | undefined {
  const values = new Map(args.map((arg) => /^--([a-z]+)=(.+)$/.exec(arg)?.slice(1) as [string, string]));
  const number = (name: string, otherwise: number) => Number(values.get(name) ?? otherwise);
  const store = values.get('store') ?? 'sqlite';
  const options = {
    kills: number('kills', defaultKills),
    stores: store === 'both' ? (['sqlite', 'postgres'] as const) : [store as Store],
    objects: number('objects', 5000),
    seed: number('seed', Math.floor(Math.random() * 1e9)),
    minutes: number('minutes', 30),
  };
  const numbers = [options.kills, options.objects, options.seed, options.minutes];
  const isKnown = ['sqlite', 'postgres', 'both'].includes(store);
  return isKnown && numbers.every((value) => Number.isInteger(value) && value >= 0) ? options : undefined;
}

const [what = '', ...args] = process.argv.slice(2);
const work = Object.hasOwn(works, what) ? works[what] : undefined;
const options =
  work !== undefined && args.every((arg) => arg.startsWith('--')) ? readOptions(args, work.kills) : undefined;
if (options === undefined) {
  process.stderr.write(`${usage}\n`);
  process.exitCode = 2;
} else if (!(await torture(what, options))) process.exitCode = 1;
