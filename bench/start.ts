import { execFile } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from './folder.ts';
import { serveKennel } from './processes.ts';
import { progress } from './report.ts';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const goals: Readonly<Record<string, number>> = { 'kennel --help': 2, 'kennel token': 5 };
const readyGoalMs = 1000;
const bareNode = 'node -e 0';

/**
 * How long the built program takes to start, as ratios to a Node that does nothing. The calls take turns, so that
 * whatever else the machine does hits all of them, and the fastest round of each counts.
 */
export async function benchStart(args: readonly string[]): Promise<void> {
  const rounds = Number(args.find((arg) => arg.startsWith('--rounds='))?.slice(9) ?? 9);
  const dataDir = join(temporaryFolder('bench-start'), 'data');
  const env = { PATH: process.env.PATH, KENNEL_DATA_DIR: dataDir, KENNEL_LOG_LEVEL: 'error' };
  // Makes the store and its administrator, and fills the compile cache where Node has one.
  await timeUntilReady(dataDir);
  const calls: readonly (readonly [name: string, args: readonly string[]])[] = [
    [bareNode, ['-e', '0']],
    ['kennel --help', ['bin/kennel.js', '--help']],
    ['kennel token', ['bin/kennel.js', 'token']],
    // Without a server that started them they only load, and end.
    ['the reading process', ['dist/features-reading-child.js']],
    ['the analysing process', ['dist/features-analysis-child.js']],
  ];
  const times = new Map<string, Taken[]>(calls.map(([name]) => [name, []]));
  const ready: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const [name, call] of calls) times.get(name)?.push(await timeOf(call, env));
    ready.push(await timeUntilReady(dataDir));
  }
  report(times, ready);
}

interface Taken {
  readonly ms: number;
  /** From the first page of memory to the last; hardly differs when the machine has other things to do. */
  readonly processorMs: number;
}

const startsInOne = 3;

/** The shell knows what its children took, all of it; Node knows only of itself. */
async function timeOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Taken> {
  const start = performance.now();
  const script = `${'"$@" >/dev/null || exit\n'.repeat(startsInOne)}times`;
  const { stdout } = await execute('sh', ['-c', script, 'sh', process.execPath, ...args], { cwd: root, env });
  const children = stdout.trim().split('\n').at(-1) ?? '';
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
  if (seconds.length !== 2) throw new Error(`the shell told no times of node ${args.join(' ')}: ${stdout}`);
  const processorMs = seconds.reduce((sum, one) => sum + one, 0) * 1000;
  return { ms: (performance.now() - start) / startsInOne, processorMs: processorMs / startsInOne };
}

async function timeUntilReady(dataDir: string): Promise<number> {
  const start = performance.now();
  const server = await serveKennel({ KENNEL_DATA_DIR: dataDir });
  const ms = performance.now() - start;
  await server.stop();
  return ms;
}

/** Markdown, ready for docs/performance.md. */
function report(times: ReadonlyMap<string, readonly Taken[]>, ready: readonly number[]): void {
  const out = (line: string) => process.stdout.write(`${line}\n`);
  const least = (name: string, of: keyof Taken) => Math.min(...(times.get(name) ?? []).map((one) => one[of]));
  const ratio = (name: string, of: keyof Taken) => (least(name, of) / least(bareNode, of)).toFixed(2);
  out(`Node ${process.version}, load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores\n`);
  out('| Start | ms | Ratio to `node -e 0` | Processor ms | Ratio | Goal |');
  out('|---|---:|---:|---:|---:|---:|');
  for (const name of times.keys())
    out(
      `| ${name} | ${least(name, 'ms').toFixed(0)} | ${ratio(name, 'ms')} | ${least(name, 'processorMs').toFixed(0)} | ${ratio(name, 'processorMs')} | ${goals[name] ?? ''} |`,
    );
  out(`| kennel serve, until it is ready | ${Math.min(...ready).toFixed(0)} | | | | ${readyGoalMs} ms |`);
}
