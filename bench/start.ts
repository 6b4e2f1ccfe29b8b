import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './folder.ts';
import { serveKennel } from './processes.ts';
import { progress } from './report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const goals: Readonly<Record<string, number>> = { 'kennel --help': 2, 'kennel token': 5 };
const readyGoalMs = 1000;

/**
 * How long the built program takes to start, as ratios to a Node that does nothing. The calls take turns, so that
 * whatever else the machine does hits all of them, and the fastest round of each counts.
 */
export async function benchStart(args: readonly string[]): Promise<void> {
  const rounds = Number(args.find((arg) => arg.startsWith('--rounds='))?.slice(9) ?? 15);
  const dataDir = join(temporaryFolder('bench-start'), 'data');
  const env = { PATH: process.env.PATH, KENNEL_DATA_DIR: dataDir, KENNEL_LOG_LEVEL: 'error' };
  // Makes the store and its administrator, and fills the compile cache where Node has one.
  await timeUntilReady(dataDir);
  const calls: readonly (readonly [name: string, args: readonly string[]])[] = [
    ['node -e 0', ['-e', '0']],
    ['kennel --help', ['bin/kennel.js', '--help']],
    ['kennel token', ['bin/kennel.js', 'token']],
    // Without a server that started them they only load, and end.
    ['the reading process', ['dist/features-reading-child.js']],
    ['the analysing process', ['dist/features-analysis-child.js']],
  ];
  const times = new Map<string, number[]>(calls.map(([name]) => [name, []]));
  const ready: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const [name, call] of calls) times.get(name)?.push(await timeOf(call, env));
    ready.push(await timeUntilReady(dataDir));
  }
  report(times, ready);
}

async function timeOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return performance.now() - start;
}

async function timeUntilReady(dataDir: string): Promise<number> {
  const start = performance.now();
  const server = await serveKennel({ KENNEL_DATA_DIR: dataDir });
  const ms = performance.now() - start;
  await server.stop();
  return ms;
}

/** Markdown, ready for docs/performance.md. */
function report(times: ReadonlyMap<string, readonly number[]>, ready: readonly number[]): void {
  const out = (line: string) => process.stdout.write(`${line}\n`);
  const bare = Math.min(...(times.get('node -e 0') ?? []));
  out(`Node ${process.version}\n`);
  out('| Start | Fastest ms | Ratio to `node -e 0` | Goal |');
  out('|---|---:|---:|---:|');
  for (const [name, all] of times) {
    const best = Math.min(...all);
    out(`| ${name} | ${best.toFixed(0)} | ${(best / bare).toFixed(2)} | ${goals[name] ?? ''} |`);
  }
  const best = Math.min(...ready);
  out(
    `| kennel serve, until it is ready | ${best.toFixed(0)} | ${(best / bare).toFixed(2)} | ${readyGoalMs} ms |`,
  );
}
