import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { AppError } from '../errors.ts';
import { UniqueViolation, type Value } from './client.ts';

/** How long a blocked statement may hold the event loop before it is tried again from a timer. */
const busyTimeoutMs = 50;
/** Lists are filtered in many ways, each a statement of its own: the oldest is prepared again when it comes back. */
const maxPrepared = 500;

interface Prepared {
  readonly statement: StatementSyncInstance;
  readonly parameters: number;
  readonly columns: readonly string[];
}

/** What a statement answered: each row has its values in the order of the columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** One connection to one SQLite file, with its prepared statements. */
export class SqliteConnection {
  readonly #db: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, Prepared>();

  constructor(file: string, readOnly: boolean, waitsForDisk = true) {
    this.#db = new DatabaseSync(file, {
      readOnly,
      timeout: busyTimeoutMs,
      enableForeignKeyConstraints: true,
    });
    if (!readOnly) this.#db.exec(`pragma synchronous = ${waitsForDisk ? 'full' : 'off'}`);
    this.#db.exec('pragma cache_size = -16384');
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  all<Row>(sql: string, params: readonly Value[]): Row[] {
    return toRows<Row>(this.table(sql, params));
  }

  table(sql: string, params: readonly Value[]): Table {
    const { statement, columns } = this.#prepared(sql, params);
    // Rows as arrays: making the objects here takes half the time of having the binding make them.
    return { columns, rows: readRows(statement, sql, params.map(bindable)) };
  }

  run(sql: string, params: readonly Value[]): number {
    return Number(this.#prepared(sql, params).statement.run(...params.map(bindable)).changes);
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #prepared(sql: string, params: readonly Value[]): Prepared {
    let entry = this.#statements.get(sql);
    if (entry === undefined) {
      let parameters = 0;
      const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
        parameters = Math.max(parameters, Number(number));
        return `?${number}`;
      });
      const statement = this.#db.prepare(text);
      statement.setReturnArrays(true);
      entry = { statement, parameters, columns: statement.columns().map((column) => column.name) };
      if (this.#statements.size >= maxPrepared) {
        const [oldest] = this.#statements.keys();
        if (oldest !== undefined) this.#statements.delete(oldest);
      }
      this.#statements.set(sql, entry);
    }
    // SQLite would quietly bind NULL to what is missing.
    if (entry.parameters !== params.length) {
      throw new Error(
        `the statement takes ${entry.parameters} parameters, ${params.length} were given: ${sql}`,
      );
    }
    return entry;
  }
}

export function toRows<Row>({ columns, rows }: Table): Row[] {
  return rows.map((values) => toRow(columns, values)) as Row[];
}

function toRow(columns: readonly string[], values: readonly Value[]): Record<string, Value> {
  const row: Record<string, Value> = {};
  for (let index = 0; index < columns.length; index += 1)
    row[columns[index] as string] = values[index] as Value;
  return row;
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

/** An integer is a number, or a bigint where a number would not be exact; as on PostgreSQL. */
function readRows(statement: StatementSyncInstance, sql: string, params: Value[]): Value[][] {
  try {
    return statement.all(...params) as Value[][];
  } catch (error) {
    if (!isTooLargeForNumber(error) || !/^\s*select\b/i.test(sql)) throw error;
  }
  // Once more with bigints; having them always would slow every query down.
  statement.setReadBigInts(true);
  try {
    return (statement.all(...params) as Value[][]).map((row) =>
      row.map((value) =>
        typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
      ),
    );
  } finally {
    statement.setReadBigInts(false);
  }
}

function isTooLargeForNumber(error: unknown): boolean {
  return (
    error instanceof Error && error.message.includes('too large to be represented as a JavaScript number')
  );
}

const sqliteBusy = 5;
const sqliteIoError = 10;
const sqliteFull = 13;
const sqliteUnique = 2067;
const sqlitePrimaryKey = 1555;

export function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

export function translate(error: unknown): unknown {
  const extended = errorCode(error);
  if (extended === sqliteUnique || extended === sqlitePrimaryKey) return new UniqueViolation(error);
  if ((error as { code?: unknown } | undefined)?.code === 'ERR_INVALID_STATE') {
    return new AppError('unavailable', 'the store is closed', { retryAfterSeconds: 1, cause: error });
  }
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

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === sqliteBusy;
}
