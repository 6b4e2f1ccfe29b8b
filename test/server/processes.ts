import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Nothing of this process's own environment but what a program needs to run at all. */
function start(args: readonly string[], env: Environment): { child: ChildProcess; ended: Promise<Ended> } {
  const { PATH = '', TMPDIR = '/tmp' } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH, TMPDIR, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return { code, signal, ...output } as Ended;
  });
  return { child, ended };
}

const tsx = ['--import', import.meta.resolve('tsx')];
/** The runner builds the program first, which starts in half the time; a test on its own takes the source. */
const isBuilt = process.env.TEST_PROGRAM === 'built';
const program = isBuilt ? ['bin/kennel.js'] : [...tsx, 'src/main.ts'];

/** Starts a command of the program, which the test may send signals. */
export function startKennel(
  args: readonly string[],
  env: Environment,
): { kill(signal: NodeJS.Signals): void; readonly ended: Promise<Ended> } {
  const { child, ended } = start([...program, ...args], env);
  child.stdin?.end();
  return { kill: (signal) => void child.kill(signal), ended };
}

/** Runs a command of the program to its end. */
export function runKennel(args: readonly string[], env: Environment = {}, input = ''): Promise<Ended> {
  const { child, ended } = start([...program, ...args], env);
  child.stdin?.on('error', () => {}).end(input);
  return ended;
}

/**
 * Runs several commands in one process, one after the other; starting it takes a hundred times as long as what
 * each of them does. For commands that only print something and end.
 */
export async function runKennelMany(
  calls: readonly (readonly string[])[],
  env: Environment,
): Promise<Ended[]> {
  const main = isBuilt ? './dist/main.js' : './src/main.ts';
  const printed = await runModule(
    isBuilt ? [] : tsx,
    `
    const results = [];
    for (const [index, args] of ${JSON.stringify(calls)}.entries()) {
      const result = { signal: null, stdout: '', stderr: '' };
      const restore = ['stdout', 'stderr'].map((name) => {
        const { write } = process[name];
        process[name].write = (text) => {
          result[name] += text;
          return true;
        };
        return () => { process[name].write = write; };
      });
      process.argv = [process.execPath, ...args];
      process.exitCode = 0;
      await import('${main}?call=' + index);
      for (const undo of restore) undo();
      results.push({ ...result, code: process.exitCode });
    }
    process.exitCode = 0;
    console.log(JSON.stringify(results));`,
    env,
  );
  return JSON.parse(printed) as Ended[];
}

/** Runs a module, which may import from `./src/`, in a process of its own, and answers what it printed. */
export function runCode(code: string, env: Environment = {}): Promise<string> {
  return runModule(tsx, code, env);
}

async function runModule(options: readonly string[], code: string, env: Environment): Promise<string> {
  const { child, ended } = start([...options, '--input-type=module', '--eval', code], env);
  child.stdin?.end();
  const { code: exitCode, stdout, stderr } = await ended;
  if (exitCode !== 0) throw new Error(`the process ended with ${exitCode}: ${stderr}`);
  return stdout;
}

export interface KennelProcess {
  readonly pid: number;
  readonly url: string;
  /** The JSON line that it printed once it was ready. */
  readonly ready: Readonly<Record<string, string>>;
  /** Sends a signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Starts a server and waits until it is ready; throws what it said if it ends before that. */
export async function serveKennel(
  env: Environment,
  args: readonly string[] = [],
  command: 'serve' | 'demo' = 'serve',
): Promise<KennelProcess> {
  const { child, ended } = start([...program, command, '--json', ...args], env);
  const firstLine = new Promise<string>((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
  });
  const line = await Promise.race([firstLine, ended]);
  if (typeof line !== 'string') throw new Error(`the server ended with ${line.code}: ${line.stderr}`);
  const ready = JSON.parse(line) as Record<string, string>;
  return {
    pid: Number(child.pid),
    url: String(ready.url),
    ready,
    end: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Tries until `attempt` answers something, and fails with `what` after the time given. */
export async function within<T>(ms: number, what: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    // The last try begins in time, however slow the machine is.
    const isLast = performance.now() >= end;
    const result = await attempt();
    if (result !== undefined) return result;
    if (isLast) throw new Error(what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
