import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBar } from './bar.ts';
import { temporaryFolder } from './folder.ts';
import { generate, onStore } from './ingest.ts';
import { ingest } from './ingest-run.ts';
import type { MeasuredEstate } from './posture-estate.ts';
import { type MeasuredHistory, measureHistory } from './posture-history.ts';
import { printHistories, printPosture } from './posture-report.ts';

interface Options {
  readonly sizes: readonly number[];
  readonly stores: readonly ('sqlite' | 'postgres')[];
  readonly years: number;
  readonly seed: number;
}

const usualSizes = [10_000, 30_000, 100_000, 300_000];

/** Findings and posture of estates of growing size, and how fast a long history is read. */
export async function benchPosture(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  const folder = temporaryFolder('bench-posture');
  const estates: { objects: number; measured: MeasuredEstate }[] = [];
  const histories: MeasuredHistory[] = [];
  try {
    for (const objects of options.sizes) {
      const made = await generate(join(folder, `estate-${objects}`), objects, options.seed);
      const name = `${objects} objects`;
      // What is measured happens in memory: one store is enough to bring the estate there.
      const measured = await onStore('sqlite', folder, async (env) => {
        await watched(`${name}, ingesting`, () => ingest(env, made.files));
        return watched(`${name}, measuring`, () => inProcess(env));
      });
      estates.push({ objects, measured });
      rmSync(join(folder, `estate-${objects}`), { recursive: true, force: true });
    }
    if (options.years > 1)
      for (const store of options.stores)
        histories.push(
          await watched(`${store}, ${options.years} years`, () =>
            measureHistory(store, folder, options.years),
          ),
        );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  printPosture(estates);
  printHistories(histories);
}

async function inProcess(env: Readonly<Record<string, string>>): Promise<MeasuredEstate> {
  const child = fork(fileURLToPath(new URL('posture-estate.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  try {
    const answers: MeasuredEstate[] = [];
    child.on('message', (answer) => answers.push(answer as MeasuredEstate));
    const [code] = (await once(child, 'close')) as [number | null];
    if (answers[0] === undefined) throw new Error(`measuring ended with ${code}`);
    return answers[0];
  } finally {
    process.off('exit', end);
  }
}

/** What it does inside is not told outside, so this bar only shows that time passes. */
async function watched<T>(name: string, work: () => Promise<T>): Promise<T> {
  const bar = startBar(name, 1);
  const beat = setInterval(() => bar.update(0), 1000);
  try {
    const result = await work();
    bar.update(1);
    return result;
  } finally {
    clearInterval(beat);
    bar.stop();
  }
}

function readOptions(args: readonly string[]): Options {
  const value = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const isQuick = args.includes('--quick');
  const largest = Number(value('objects') ?? (isQuick ? 3000 : 500_000));
  const years = Number(value('years') ?? 10);
  const store = value('store') ?? (isQuick ? 'sqlite' : 'both');
  if (!Number.isInteger(largest) || (largest < 1000 && largest !== 0))
    throw new Error('--objects must be a number from 1000, or 0 for the history alone');
  if (!Number.isInteger(years) || years < 1)
    throw new Error('--years must be a number from 1, 1 for the estates alone');
  if (!['sqlite', 'postgres', 'both'].includes(store))
    throw new Error(`--store must be sqlite, postgres or both, but is ${store}`);
  return {
    sizes:
      largest === 0 ? [] : [...(isQuick ? [1000] : usualSizes).filter((size) => size < largest), largest],
    stores: store === 'both' ? ['sqlite', 'postgres'] : [store as 'sqlite' | 'postgres'],
    years,
    seed: Number(value('seed') ?? 1),
  };
}
