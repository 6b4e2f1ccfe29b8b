import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import { type Db, type Reader, type Transaction, UniqueViolation, type Value } from './client.ts';

/** How long a blocked `begin` may hold the event loop before it is tried again from a timer. */
const busyTimeoutMs = 50;
const busyRetryMs = 10;
const maxSnapshots = 4;

/**
 * One SQLite file. SQLite is synchronous and a connection has one transaction, so there is one writer
 * connection behind a queue, one reader for single statements, and a few readers for snapshots (WAL gives each
 * its own view). Without the queue, one request's `await` would let another's statement into its transaction.
 */
export function openSqlite(file: string): Db {
  const writer = new Connection(file, false);
  writer.exec('pragma journal_mode = wal');
  const engine = new Engine(file, writer, new Connection(file, true));
  return handle(engine, undefined);
}

class Connection {
  readonly #db: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, { statement: StatementSyncInstance; parameters: number }>();

  constructor(file: string, readOnly: boolean) {
    this.#db = new DatabaseSync(file, {
      readOnly,
      timeout: busyTimeoutMs,
      enableForeignKeyConstraints: true,
    });
    if (!readOnly) this.#db.exec('pragma synchronous = full');
    this.#db.exec('pragma cache_size = -16384');
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  all<Row>(sql: string, params: readonly Value[]): Row[] {
    return this.#prepared(sql, params).all(...params.map(bindable)) as Row[];
  }

  run(sql: string, params: readonly Value[]): number {
    return Number(this.#prepared(sql, params).run(...params.map(bindable)).changes);
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #prepared(sql: string, params: readonly Value[]): StatementSyncInstance {
    let entry = this.#statements.get(sql);
    if (entry === undefined) {
      let parameters = 0;
      const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
        parameters = Math.max(parameters, Number(number));
        return `?${number}`;
      });
      entry = { statement: this.#db.prepare(text), parameters };
      this.#statements.set(sql, entry);
    }
    // SQLite would quietly bind NULL to what is missing.
    if (entry.parameters !== params.length) {
      throw new Error(
        `the statement takes ${entry.parameters} parameters, ${params.length} were given: ${sql}`,
      );
    }
    return entry.statement;
  }
}

function bindable(value: Value): Value {
  if (typeof value === 'number') {
    // An integer beyond 32 bits would be bound as REAL and lose its exactness.
    return Number.isInteger(value) && (value > 0x7fffffff || value < -0x80000000) ? BigInt(value) : value;
  }
  if (value === null || typeof value === 'string' || typeof value === 'bigint' || value instanceof Uint8Array)
    return value;
  throw new Error(`a ${typeof value} can't be stored`);
}

class Engine {
  readonly reader: Connection;
  readonly writer: Connection;
  readonly #file: string;
  readonly #idle: Connection[] = [];
  #snapshots = 0;
  readonly #snapshotQueue: (() => void)[] = [];
  #writeTail: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(file: string, writer: Connection, reader: Connection) {
    this.#file = file;
    this.writer = writer;
    this.reader = reader;
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

  async withSnapshot<T>(deadline: Deadline, read: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#snapshots >= maxSnapshots) {
      let enter = () => {};
      const turn = new Promise<void>((resolve) => {
        enter = resolve;
        this.#snapshotQueue.push(resolve);
      });
      try {
        await deadline.bound(turn);
      } catch (error) {
        const position = this.#snapshotQueue.indexOf(enter);
        if (position >= 0) this.#snapshotQueue.splice(position, 1);
        else this.#leaveSnapshot();
        throw error;
      }
    } else {
      this.#snapshots += 1;
    }
    try {
      this.#checkOpen();
      const connection = this.#idle.pop() ?? new Connection(this.#file, true);
      try {
        connection.exec('begin');
        return await read(connection);
      } finally {
        if (connection.inTransaction) connection.exec('rollback');
        if (this.#closed) connection.close();
        else this.#idle.push(connection);
      }
    } finally {
      this.#leaveSnapshot();
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#writeTail;
    for (const connection of [...this.#idle, this.reader, this.writer]) connection.close();
  }

  #leaveSnapshot(): void {
    const next = this.#snapshotQueue.shift();
    if (next === undefined) this.#snapshots -= 1;
    else next();
  }

  #checkOpen(): void {
    if (this.#closed) throw new AppError('unavailable', 'the store is closed', { retryAfterSeconds: 1 });
  }
}

function handle(engine: Engine, bound: Deadline | undefined): Db {
  return {
    ...reader(engine.reader, bound),
    snapshot: (read) => {
      const deadline = bound ?? new Deadline();
      return engine.withSnapshot(deadline, (connection) => read(reader(connection, deadline)));
    },
    transaction: (write) => {
      const deadline = bound ?? new Deadline();
      return engine.exclusively(deadline, () => runTransaction(engine.writer, deadline, write));
    },
    within: (deadline) => handle(engine, deadline),
    close: () => engine.close(),
  };
}

function reader(connection: Connection, deadline: Deadline | undefined): Reader {
  const query = async <Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> => {
    deadline?.check();
    return translated(() => connection.all<Row>(sql, params));
  };
  return {
    dialect: 'sqlite',
    query,
    one: async <Row>(sql: string, params?: readonly Value[]) => (await query<Row>(sql, params))[0],
  };
}

async function runTransaction<T>(
  connection: Connection,
  deadline: Deadline,
  write: (db: Transaction) => Promise<T>,
): Promise<T> {
  const afterCommit: (() => void)[] = [];
  const execute = async (sql: string, params: readonly Value[] = []) => {
    deadline.check();
    return translated(() => connection.run(sql, params));
  };
  const transaction: Transaction = {
    ...reader(connection, deadline),
    execute,
    bulk: async (table, columns, rows, suffix = '') => {
      const places = columns.map((_, index) => `$${index + 1}`).join(', ');
      const sql = `insert into ${table} (${columns.join(', ')}) values (${places}) ${suffix}`;
      for (const row of rows) await execute(sql, row);
    },
    // `begin immediate` already keeps every other writer out, in this process and in others.
    lock: async () => {},
    afterCommit: (action) => afterCommit.push(action),
  };

  await beginImmediate(connection, deadline);
  try {
    const result = await write(transaction);
    deadline.check();
    translated(() => connection.exec('commit'));
    for (const action of afterCommit) action();
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
}

/** Another process (a command beside the server) may be writing: wait for it without stopping this one. */
async function beginImmediate(connection: Connection, deadline: Deadline): Promise<void> {
  for (;;) {
    deadline.check();
    try {
      connection.exec('begin immediate');
      return;
    } catch (error) {
      if (primaryCode(error) !== sqliteBusy) throw translate(error);
      await new Promise((resolve) => setTimeout(resolve, busyRetryMs));
    }
  }
}

const sqliteBusy = 5;
const sqliteIoError = 10;
const sqliteFull = 13;
const sqliteUnique = 2067;
const sqlitePrimaryKey = 1555;

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  const extended = errorCode(error);
  if (extended === sqliteUnique || extended === sqlitePrimaryKey) return new UniqueViolation(error);
  const primary = primaryCode(error);
  if (primary === sqliteFull || primary === sqliteIoError) {
    return new AppError('unavailable', 'the store cannot write: its disk is full or failing', {
      retryAfterSeconds: 30,
      cause: error,
    });
  }
  if (primary === sqliteBusy) {
    return new AppError('unavailable', 'the store is busy', { retryAfterSeconds: 1, cause: error });
  }
  return error;
}

function errorCode(error: unknown): number {
  if (!(error instanceof Error)) return 0;
  const { sqliteExtendedCode, errcode } = error as { sqliteExtendedCode?: number; errcode?: number };
  return sqliteExtendedCode ?? errcode ?? 0;
}

function primaryCode(error: unknown): number {
  return errorCode(error) & 0xff;
}
