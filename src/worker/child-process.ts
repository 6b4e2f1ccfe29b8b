import { type ChildProcess, fork } from 'node:child_process';
import type { Settings } from '../config.ts';
import type { Logger } from '../log.ts';

/** A process that was told to stop and goes on for longer is killed: nothing half is left behind. */
const stopMs = 5000;

/** What a process needs to know to use the store; environment and flags are the server's alone. */
export type StoreSettings = Pick<
  Settings,
  'dataDir' | 'databaseUrl' | 'databasePool' | 'databasePrepare' | 'logLevel' | 'logFormat'
>;

export function storeSettings(settings: Settings): StoreSettings {
  const { dataDir, databaseUrl, databasePool, databasePrepare, logLevel, logFormat } = settings;
  return { dataDir, databaseUrl, databasePool, databasePrepare, logLevel, logFormat };
}

interface Message {
  readonly type: string;
}

/** What was made of one piece of work: an answer, or how the process ended instead. */
export type Reply<From> =
  | { readonly kind: 'answer'; readonly message: From }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'ended'; readonly reason: string };

export interface ChildOptions {
  /** The file that the process runs. */
  readonly program: string;
  /** Names it in the log. */
  readonly name: string;
  readonly log: Logger;
  /** So many seconds without a word end it; the other is what is told then. */
  readonly stall: { readonly seconds: number; readonly reason: string };
}

/**
 * Work in a process of its own, one piece at a time: no request waits for it, and what it dies of does not end the
 * server. The other end is `serveParent`.
 */
export class WorkProcess<To extends Message, From extends Message> {
  readonly #options: ChildOptions;
  #child: ChildProcess | undefined;
  #isStopping = false;
  #listen: (message: From) => void = () => {};
  #onEnd: (reason: string) => void = () => {};
  #onStop = () => {};

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** Starts it, unless it runs. True when it did not; then it has said `ready` to the message. */
  open(message: To): Promise<boolean> {
    if (this.#child !== undefined) return Promise.resolve(false);
    const { program, name } = this.#options;
    const child = fork(program, {
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
      this.#onEnd = (reason) => reject(new Error(`${name} ended: ${reason}`));
      child.on('message', (message) => this.#listen(message as From));
      child.once('error', (error) => this.#ended(child, error.message));
      child.once('exit', (code, signal) => this.#ended(child, signal ?? `exit code ${code}`));
      this.#send(message);
    });
  }

  /** Hands it a piece of work. Its last word is the one for which `isLast` holds. */
  ask(message: To, onMessage: (message: From) => void, isLast: (message: From) => boolean) {
    return new Promise<Reply<From>>((resolve) => {
      let killer: NodeJS.Timeout | undefined;
      const stall = new Stall(this.#options.stall, () => this.#child?.kill('SIGKILL'));
      const end = (reply: Reply<From>) => {
        clearTimeout(killer);
        stall.end();
        this.#onStop = () => {};
        resolve(reply);
      };
      this.#listen = (message) => {
        stall.putOff();
        if (isLast(message)) end({ kind: 'answer', message });
        else onMessage(message);
      };
      this.#onEnd = (reason) =>
        end(this.#isStopping ? { kind: 'stopped' } : { kind: 'ended', reason: stall.reason ?? reason });
      this.#onStop = () => {
        killer ??= setTimeout(() => this.#child?.kill('SIGKILL'), stopMs);
      };
      this.#isStopping = false;
      if (this.#child === undefined) end({ kind: 'ended', reason: `${this.#options.name} ended` });
      this.#send(message);
    });
  }

  /** What is under way is given up between two steps. */
  stop(): void {
    this.#isStopping = true;
    this.#send({ type: 'stop' } as To);
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

  #send(message: To): void {
    if (this.#child?.connected === true) this.#child.send(message, () => {});
  }

  #ended(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (!this.#isStopping) this.#options.log.error({ reason }, `${this.#options.name} ended`);
    this.#onEnd(reason);
  }
}

/** Ends a process that says nothing for too long: it would hold up all that waits behind its work for ever. */
class Stall {
  reason: string | undefined;
  readonly #limit: ChildOptions['stall'];
  readonly #kill: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: ChildOptions['stall'], kill: () => void) {
    this.#limit = limit;
    this.#kill = kill;
    this.putOff();
  }

  putOff(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.reason = this.#limit.reason;
      this.#kill();
    }, this.#limit.seconds * 1000);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
