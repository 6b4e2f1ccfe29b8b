import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Deps } from '../../deps.ts';
import type { Progress } from '../../graph/ingest/result.ts';
import { limitsOf } from './limits.ts';
import { type FromReader, readerCommand, type ToReader } from './messages.ts';
import type { Outcome, ReadableFile } from './read-file.ts';
import type { FileReader } from './reader.ts';

/** A reader that was told to stop and goes on for longer is killed: the graph stays as it was. */
const stopMs = 5000;

/** The program itself, as it runs here: compiled or not. */
const program = fileURLToPath(
  new URL(`../../main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/** Reads in a process of its own: no request waits for it, and what it dies of does not end the server. */
export class ChildReader implements FileReader {
  readonly #deps: Deps;
  #child: ChildProcess | undefined;
  #isStopping = false;
  #listen: (message: FromReader) => void = () => {};
  #onEnd: (reason: string) => void = () => {};

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  open(): Promise<boolean> {
    if (this.#child !== undefined) return Promise.resolve(false);
    const { settings } = this.#deps;
    const { dataDir, databaseUrl, databasePool, databasePrepare, logLevel, logFormat } = settings;
    const child = fork(program, [readerCommand], {
      serialization: 'advanced',
      // Standard output is for the server's data.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.#isStopping = false;
    return new Promise((resolve, reject) => {
      this.#listen = ({ type }) => {
        if (type === 'ready') resolve(true);
      };
      this.#onEnd = (reason) => reject(new Error(`the reading process ended: ${reason}`));
      child.on('message', (message) => this.#listen(message as FromReader));
      child.once('error', (error) => this.#ended(child, error.message));
      child.once('exit', (code, signal) => this.#ended(child, signal ?? `exit code ${code}`));
      const store = { dataDir, databaseUrl, databasePool, databasePrepare, logLevel, logFormat };
      this.#send({ type: 'open', settings: store, limits: limitsOf(settings) });
    });
  }

  read(file: ReadableFile, onProgress: (progress: Progress) => void): Promise<Outcome> {
    return new Promise((resolve) => {
      let killer: NodeJS.Timeout | undefined;
      const end = (outcome: Outcome) => {
        clearTimeout(killer);
        this.#onStop = () => {};
        resolve(outcome);
      };
      this.#listen = (message) => {
        if (message.type === 'progress') onProgress(message);
        else if (message.type === 'read') end({ kind: 'read', results: message.results });
        else if (message.type === 'stopped') end({ kind: 'stopped', results: message.results });
        else if (message.type !== 'ready') end({ kind: message.type, reason: message.reason });
      };
      this.#onEnd = (reason) =>
        end(this.#isStopping ? { kind: 'stopped', results: [] } : { kind: 'broken', reason });
      this.#onStop = () => {
        killer ??= setTimeout(() => this.#child?.kill('SIGKILL'), stopMs);
      };
      this.#isStopping = false;
      if (this.#child === undefined) end({ kind: 'broken', reason: 'the reading process ended' });
      const { id, name, encoding, bytes, unpacked_bytes, spool_id, reading_id, seen_at } = file;
      const told = { id, name, encoding, bytes, unpacked_bytes, spool_id, reading_id, seen_at };
      this.#send({ type: 'read', file: told });
    });
  }
  #onStop = () => {};

  stop(): void {
    this.#isStopping = true;
    this.#send({ type: 'stop' });
    this.#onStop();
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    this.#isStopping = true;
    child.kill('SIGKILL');
    await ended;
  }

  #send(message: ToReader): void {
    if (this.#child?.connected === true) this.#child.send(message, () => {});
  }

  #ended(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (!this.#isStopping) this.#deps.log.error({ reason }, 'the reading process ended');
    this.#onEnd(reason);
  }
}
