import { closeSync, openSync } from 'node:fs';
import { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import type { Db, Reader, Transaction, Value } from './client.ts';
import { Gate } from './gate.ts';
import { SlowReads } from './slow-reads.ts';
import { isBusy, SqliteConnection, translate, translated } from './sqlite-connection.ts';

const busyRetryMs = 10;
const maxSnapshots = 4;
const walAttempts = 500;

/**
 * One SQLite file. SQLite is synchronous and a connection has one transaction, so there is one writer
 * connection behind a queue, one reader for single statements, and a few readers for snapshots (WAL gives each
 * its own view); what may take long is read in a thread. Without the queue, one request's `await` would let another's statement into its transaction.
 */
export function openSqlite(file: string, waitsForDisk = true): Db {
  // Made here and not by SQLite, so that nobody else on the machine can read it; its side files follow suit.
  closeSync(openSync(file, 'a', 0o600));
  try {
    const writer = new SqliteConnection(file, false, waitsForDisk);
    useWal(writer);
    return new SqliteDb(new Engine(file, writer, new SqliteConnection(file, true)), undefined);
  } catch (error) {
    // SQLite does not say which file it is about.
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  }
}

/** Two processes may be making the same file; SQLite tells the second one at once that it is locked. */
function useWal(writer: SqliteConnection): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      writer.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === walAttempts) throw translate(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyRetryMs);
    }
  }
}

class Engine {
  readonly reader: SqliteConnection;
  readonly writer: SqliteConnection;
  readonly slowReads: SlowReads;
  readonly commitListeners = new Set<() => void>();
  readonly #file: string;
  readonly #idle: SqliteConnection[] = [];
  readonly #snapshots = new Gate(maxSnapshots);
  #writeTail: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(file: string, writer: SqliteConnection, reader: SqliteConnection) {
    this.#file = file;
    this.writer = writer;
    this.reader = reader;
    this.slowReads = new SlowReads(file);
  }

  /** Hands the writer to one transaction at a time, in the order of asking. */
  async exclusively<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
    const before = this.#writeTail;
    let release = () => {};
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#writeTail = before.then(() => mine);
    try {
      await deadline.bound(before);
      this.#checkOpen();
      return await work();
    } finally {
      // A caller that gave up waiting must not let the next one in before its turn.
      before.then(release);
    }
  }

  async withSnapshot<T>(deadline: Deadline, read: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    await this.#snapshots.enter(deadline);
    try {
      this.#checkOpen();
      const connection = this.#idle.pop() ?? new SqliteConnection(this.#file, true);
      try {
        connection.exec('begin');
        return await read(connection);
      } finally {
        if (connection.inTransaction) connection.exec('rollback');
        if (this.#closed) connection.close();
        else this.#idle.push(connection);
      }
    } finally {
      this.#snapshots.leave();
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#writeTail;
    await this.slowReads.close();
    for (const connection of [...this.#idle, this.reader]) connection.close();
    // So that the one file is the whole store again, for whoever copies it.
    this.writer.exec('pragma wal_checkpoint(truncate)');
    this.writer.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new AppError('unavailable', 'the store is closed', { retryAfterSeconds: 1 });
  }
}

class SqliteReader implements Reader {
  readonly dialect = 'sqlite';
  readonly #connection: SqliteConnection;
  readonly #deadline: Deadline | undefined;

  constructor(connection: SqliteConnection, deadline: Deadline | undefined) {
    this.#connection = connection;
    this.#deadline = deadline;
  }

  async query<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    this.#deadline?.check();
    return translated(() => this.#connection.all<Row>(sql, params));
  }

  async one<Row>(sql: string, params?: readonly Value[]): Promise<Row | undefined> {
    return (await this.query<Row>(sql, params))[0];
  }
}

class SqliteDb extends SqliteReader implements Db {
  readonly #engine: Engine;
  readonly #bound: Deadline | undefined;

  constructor(engine: Engine, bound: Deadline | undefined) {
    super(engine.reader, bound);
    this.#engine = engine;
    this.#bound = bound;
  }

  snapshot<T>(read: (db: Reader) => Promise<T>): Promise<T> {
    const deadline = this.#bound ?? new Deadline();
    return this.#engine.withSnapshot(deadline, (connection) => read(new SqliteReader(connection, deadline)));
  }

  slowly<T>(read: (db: Reader) => Promise<T>): Promise<T> {
    return this.#engine.slowReads.read(this.#bound ?? new Deadline(), read);
  }

  transaction<T>(write: (db: Transaction) => Promise<T>): Promise<T> {
    const deadline = this.#bound ?? new Deadline();
    return this.#engine.exclusively(deadline, async () => {
      const result = await runTransaction(this.#engine.writer, deadline, write);
      for (const listener of this.#engine.commitListeners) listener();
      return result;
    });
  }

  onCommit(listener: () => void): () => void {
    this.#engine.commitListeners.add(listener);
    return () => this.#engine.commitListeners.delete(listener);
  }

  get deadline(): Deadline | undefined {
    return this.#bound;
  }

  within(deadline: Deadline): Db {
    return new SqliteDb(this.#engine, deadline);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

class SqliteTransaction extends SqliteReader implements Transaction {
  readonly #connection: SqliteConnection;
  readonly #deadline: Deadline;
  readonly #afterCommit: (() => void)[] = [];

  constructor(connection: SqliteConnection, deadline: Deadline) {
    super(connection, deadline);
    this.#connection = connection;
    this.#deadline = deadline;
  }

  async execute(sql: string, params: readonly Value[] = []): Promise<number> {
    this.#deadline.check();
    return translated(() => this.#connection.run(sql, params));
  }

  async bulk(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly Value[]>,
    suffix = '',
  ): Promise<void> {
    const places = columns.map((_, index) => `$${index + 1}`).join(', ');
    const sql = `insert into ${table} (${columns.join(', ')}) values (${places}) ${suffix}`;
    for (const row of rows) await this.execute(sql, row);
  }

  /** `begin immediate` already keeps every other writer out, in this process and in others. */
  async lock(): Promise<void> {}

  afterCommit(action: () => void): void {
    this.#afterCommit.push(action);
  }

  commit(): void {
    this.#deadline.check();
    translated(() => this.#connection.exec('commit'));
    for (const action of this.#afterCommit) action();
  }
}

async function runTransaction<T>(
  connection: SqliteConnection,
  deadline: Deadline,
  write: (db: Transaction) => Promise<T>,
): Promise<T> {
  await beginImmediate(connection, deadline);
  try {
    const transaction = new SqliteTransaction(connection, deadline);
    const result = await write(transaction);
    transaction.commit();
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
}

/** Another process (a command beside the server) may be writing: wait for it without stopping this one. */
async function beginImmediate(connection: SqliteConnection, deadline: Deadline): Promise<void> {
  for (;;) {
    deadline.check();
    try {
      connection.exec('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error)) throw translate(error);
      await new Promise((resolve) => setTimeout(resolve, busyRetryMs));
    }
  }
}
