import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, startPostgres } from '../test/runner/postgres-server.ts';
import { type Bar, startBar } from './bar.ts';
import { temporaryFolder } from './folder.ts';
import { writeEstate, writeUsers } from './generator/estate.ts';
import { type LargeFile, type Point, printCurve, printGoals, printLargeFiles } from './ingest-report.ts';
import { type Cost, countGraph, ingest, migrate } from './ingest-run.ts';

interface Options {
  readonly sizes: readonly number[];
  readonly stores: readonly ('sqlite' | 'postgres')[];
  readonly largeFileMb: number;
  readonly seed: number;
}

const usualSizes = [10_000, 30_000, 100_000, 300_000];
const megabyte = 1_000_000;

/** Estates of growing size, and one very large file, through the command that operators use. */
export async function benchIngest(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  const folder = temporaryFolder('bench-ingest');
  const points: Point[] = [];
  const largeFiles: LargeFile[] = [];
  try {
    for (const objects of options.sizes) {
      const estate = join(folder, `estate-${objects}`);
      const made = await generate(estate, objects, options.seed);
      for (const store of options.stores) {
        points.push(await onStore(store, folder, (env) => measure(store, env, made)));
      }
      rmSync(estate, { recursive: true, force: true });
    }
    if (options.largeFileMb > 0) largeFiles.push(...(await measureLargeFile(folder, options)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  printCurve(points);
  printLargeFiles(largeFiles);
  printGoals(points, largeFiles);
}

export interface Made {
  readonly files: readonly string[];
  readonly objects: number;
  readonly bytes: number;
  /** Where there are others than the objects themselves. */
  readonly records?: number;
}

/** Writes an estate of so many objects, and shows how far it is. */
export async function generate(folder: string, objects: number, seed: number): Promise<Made> {
  const bar = startBar(`making ${objects} objects`, objects);
  const made = await writeEstate({ folder, objects, seed, onProgress: (done) => bar.update(done) });
  bar.stop();
  return made;
}

/** Reads the files into an empty store, and then once more. */
export async function measure(store: string, env: Record<string, string>, made: Made): Promise<Point> {
  const { objects, files, bytes, records = objects } = made;
  const name = `${store}, ${objects} objects`;
  const first = await watched(`${name}, first time`, () => ingest(env, files));
  if (first.records !== records) throw new Error(`${first.records} of ${records} records were read`);
  const { nodes, edges } = await countGraph(env);
  const again = await watched(`${name}, second time`, () => ingest(env, files));
  return { store, objects, bytes, nodes, edges, first, again };
}

async function measureLargeFile(
  folder: string,
  { stores, largeFileMb, seed }: Options,
): Promise<LargeFile[]> {
  const bytes = largeFileMb * megabyte;
  // The file, its copy in the spool, and what comes of it in the store.
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < 5 * bytes) throw new Error(`${folder} has no room for ${largeFileMb} MB five times`);
  const path = join(folder, 'users.json');
  const bar = startBar(`making a file of ${largeFileMb} MB`, bytes);
  const { objects } = await writeUsers(path, bytes, { seed, onProgress: (done) => bar.update(done) });
  bar.stop();
  const measured: LargeFile[] = [];
  for (const store of stores) {
    const name = `${store}, one file of ${largeFileMb} MB`;
    measured.push(
      await onStore(store, folder, async (env) => ({
        store,
        objects,
        megabytes: largeFileMb,
        ingest: await watched(name, () => ingest(env, [path])),
      })),
    );
  }
  return measured;
}

/** An empty store of its own for each measurement. */
export async function onStore<T>(
  store: 'sqlite' | 'postgres',
  folder: string,
  use: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  const postgres = store === 'postgres' ? await startPostgres() : undefined;
  try {
    const env: Record<string, string> = { KENNEL_DATA_DIR: dataDir };
    if (postgres !== undefined) {
      await createDatabase(postgres.url, 'kennel');
      env.DATABASE_URL = Object.assign(new URL(postgres.url), { pathname: '/kennel' }).href;
    }
    await migrate(env);
    return await use(env);
  } finally {
    await postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What it does inside is not told outside, so this bar only shows that time passes. */
export async function watched<T extends Cost>(name: string, work: () => Promise<T>): Promise<T> {
  const bar: Bar = startBar(name, 1);
  const beat = setInterval(() => bar.update(0), 1000);
  try {
    const done = await work();
    bar.update(1, `in ${done.seconds.toFixed(1)} s, CPU ${done.cpuSeconds.toFixed(1)} s, ${done.peakMb} MB`);
    return done;
  } finally {
    clearInterval(beat);
    bar.stop();
  }
}

/** Of `--name=value`. */
export function optionOf(args: readonly string[], name: string): string | undefined {
  return args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}

export function storesOf(args: readonly string[]): readonly ('sqlite' | 'postgres')[] {
  const store = optionOf(args, 'store') ?? 'both';
  if (!['sqlite', 'postgres', 'both'].includes(store))
    throw new Error(`--store must be sqlite, postgres or both, but is ${store}`);
  return store === 'both' ? ['sqlite', 'postgres'] : [store as 'sqlite' | 'postgres'];
}

function readOptions(args: readonly string[]): Options {
  const value = (name: string) => optionOf(args, name);
  const isQuick = args.includes('--quick');
  const largest = Number(value('objects') ?? (isQuick ? 3000 : 300_000));
  if (!Number.isInteger(largest) || (largest < 1000 && largest !== 0))
    throw new Error('--objects must be a number from 1000, or 0 for the large file alone');
  return {
    sizes:
      largest === 0 ? [] : [...(isQuick ? [1000] : usualSizes).filter((size) => size < largest), largest],
    stores: storesOf(args),
    largeFileMb: Number(value('file-mb') ?? (isQuick ? 20 : 2000)),
    seed: Number(value('seed') ?? 1),
  };
}
