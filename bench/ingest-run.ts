import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readSettings } from '../src/config.ts';
import { openStores } from '../src/db/open.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const lookEveryMs = 50;

export interface Ingest extends Cost {
  readonly records: number;
}

export interface Cost {
  readonly seconds: number;
  /** The processor time and the most memory that the process has had, where the system tells. */
  readonly cpuSeconds: number;
  readonly peakMb: number;
  /** How many processes wanted a core, near the end: beyond the number of cores, others were in the way. */
  readonly load: number;
}

type Environment = Readonly<Record<string, string>>;

/** What an operator does: the built program takes the files in and reads them, in a process of its own. */
export async function ingest(env: Environment, files: readonly string[]): Promise<Ingest> {
  const { printed, ...cost } = await run(['ingest', '--json', ...files], { ...env, KENNEL_ANALYZE: 'off' });
  const { files: results } = JSON.parse(printed) as { files: { records: number }[] };
  return { ...cost, records: results.reduce((sum, file) => sum + file.records, 0) };
}

/** One command of the built program, and what it cost. */
export async function run(args: readonly string[], env: Environment): Promise<Cost & { printed: string }> {
  const startedAt = performance.now();
  const child = start(args, env);
  let [peakMb, cpuSeconds] = [Number.NaN, Number.NaN];
  const look = setInterval(() => {
    // The kernel keeps the peak, so that looking now and then misses no more than the very end.
    peakMb = peakOf(child) ?? peakMb;
    cpuSeconds = cpuOf(child) ?? cpuSeconds;
  }, lookEveryMs);
  try {
    const printed = await output(child);
    const seconds = (performance.now() - startedAt) / 1000;
    return { printed, seconds, cpuSeconds, peakMb, load: loadavg()[0] ?? 0 };
  } finally {
    clearInterval(look);
  }
}

export async function migrate(env: Environment): Promise<void> {
  await output(start(['migrate'], env));
}

export async function countGraph(env: Environment): Promise<{ nodes: number; edges: number }> {
  const { graph, close } = openStores(readSettings({ ...env, KENNEL_LOG_LEVEL: 'error' }));
  try {
    const count = async (table: string) =>
      Number((await graph.slowly((db) => db.one<{ n: number }>(`select count(*) as n from ${table}`)))?.n);
    return { nodes: await count('nodes'), edges: await count('edges') };
  } finally {
    await close();
  }
}

function start(args: readonly string[], env: Environment): ChildProcess {
  return spawn(process.execPath, ['bin/kennel.js', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function output(child: ChildProcess): Promise<string> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('exit', end);
  if (code !== 0) throw new Error(`kennel ended with ${code}: ${texts.stderr}${texts.stdout.slice(0, 2000)}`);
  return texts.stdout;
}

function peakOf(child: ChildProcess): number | undefined {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(told(child, 'status'))?.[1];
  return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
}

/** Everywhere that Node.js runs, Linux counts hundredths of a second. */
function cpuOf(child: ChildProcess): number | undefined {
  const [, user, system] = /^\d+ \(.*\) (?:\S+ ){11}(\d+) (\d+) /.exec(told(child, 'stat')) ?? [];
  return user === undefined ? undefined : (Number(user) + Number(system)) / 100;
}

function told({ pid }: ChildProcess, file: 'status' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
