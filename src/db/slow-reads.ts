import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import { entryPoint, isSource } from '../program.ts';
import type { Reader, Value } from './client.ts';
import { Gate } from './gate.ts';
import { type Table, toRows, translate } from './sqlite-connection.ts';

/** `end` gives the snapshot up; the first statement after it begins another. */
export type ThreadRequest = { readonly sql: string; readonly params: readonly Value[] } | 'end' | 'close';
export type ThreadAnswer = { readonly table: Table } | { readonly error: Record<string, unknown> };

/** Beyond this the store says that it is busy, instead of letting callers wait for nothing. */
const maxWaiting = 100;

/**
 * Reads of one SQLite file in a thread of their own, one snapshot at a time: a statement there holds up nobody
 * but those who wait for their turn. A statement can't be stopped, so a caller whose time is up is told so
 * while the thread finishes; the turn passes on only then.
 */
export class SlowReads {
  readonly #file: string;
  readonly #turn = new Gate(1);
  #thread: Thread | undefined;
  #closed = false;

  constructor(file: string) {
    this.#file = file;
  }

  async read<T>(deadline: Deadline, read: (db: Reader) => Promise<T>): Promise<T> {
    this.#checkOpen();
    if (this.#turn.waiting >= maxWaiting) {
      throw new AppError('unavailable', 'too many long reads are waiting', { retryAfterSeconds: 5 });
    }
    await this.#turn.enter(deadline);
    let reader: ThreadReader | undefined;
    try {
      this.#checkOpen();
      deadline.check();
      reader = new ThreadReader(this.#started(), deadline);
      return await deadline.bound(read(reader));
    } finally {
      const ended = reader?.end() ?? Promise.resolve();
      ended.then(() => this.#turn.leave());
    }
  }

  /** Waits for the statement that is running: a thread must not be ended inside SQLite. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#turn.enter(new Deadline(undefined));
    await this.#thread?.close();
  }

  #started(): Thread {
    if (this.#thread === undefined || this.#thread.isGone) this.#thread = new Thread(this.#file);
    return this.#thread;
  }

  #checkOpen(): void {
    if (this.#closed) throw new AppError('unavailable', 'the store is closed', { retryAfterSeconds: 1 });
  }
}

class ThreadReader implements Reader {
  readonly dialect = 'sqlite';
  readonly #thread: Thread;
  readonly #deadline: Deadline;
  #ended = false;

  constructor(thread: Thread, deadline: Deadline) {
    this.#thread = thread;
    this.#deadline = deadline;
  }

  async query<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    this.#deadline.check();
    if (this.#ended) throw new Error('the snapshot has ended');
    return toRows<Row>(await this.#thread.ask({ sql, params }));
  }

  async one<Row>(sql: string, params?: readonly Value[]): Promise<Row | undefined> {
    return (await this.query<Row>(sql, params))[0];
  }

  async end(): Promise<void> {
    this.#ended = true;
    // A thread that is gone has no snapshot either.
    await this.#thread.ask('end').catch(() => {});
  }
}

interface Asked {
  readonly resolve: (table: Table) => void;
  readonly reject: (error: unknown) => void;
}

class Thread {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  /** In the order of asking, which is the order of the answers. */
  #asked: Asked[] = [];
  isGone = false;

  constructor(file: string) {
    this.#worker = startWorker(file);
    this.#worker.on('message', (answer: ThreadAnswer) => {
      const asked = this.#asked.shift();
      if ('table' in answer) asked?.resolve(answer.table);
      else asked?.reject(translate(Object.assign(new Error(), answer.error)));
      // Only work that somebody waits for keeps the process alive.
      if (this.#asked.length === 0) this.#worker.unref();
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail(new Error('the thread that reads the store has ended'));
        resolve();
      });
    });
  }

  ask(request: ThreadRequest): Promise<Table> {
    return new Promise((resolve, reject) => {
      if (this.isGone) throw new Error('the thread that reads the store has ended');
      this.#worker.ref();
      this.#worker.postMessage(request);
      this.#asked.push({ resolve, reject });
    });
  }

  async close(): Promise<void> {
    if (this.isGone) return;
    await this.ask('close');
    this.#worker.ref();
    await this.#exited;
  }

  #fail(error: unknown): void {
    this.isGone = true;
    for (const { reject } of this.#asked) reject(error);
    this.#asked = [];
  }
}

function startWorker(file: string): Worker {
  const options = { workerData: { file } };
  const thread = entryPoint('db/sqlite-thread');
  if (!isSource) return new Worker(thread, options);
  // Node 20 does not hand the TypeScript loader on to a thread.
  const [loader, entry] = [import.meta.resolve('tsx/esm/api'), pathToFileURL(thread).href].map((address) =>
    JSON.stringify(address),
  );
  const program = `import(${loader}).then(({ register }) => { register(); return import(${entry}); })`;
  return new Worker(program, { ...options, eval: true });
}
