import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

/** A real server process of the built program, with its access log on (and thrown away). */
export async function serveKennel(env: Record<string, string>): Promise<Served> {
  const child = spawn(process.execPath, ['bin/kennel.js', 'serve', '--json'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env, KENNEL_PORT: '0', KENNEL_LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = await firstLine(child);
  return { url: (JSON.parse(line) as { url: string }).url, stop: () => stop(child) };
}

export async function serveBare(order: object): Promise<Served> {
  const child = fork(fileURLToPath(new URL('bare.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.send(order);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(child) };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server has no output');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the server ended before it was ready');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
