import type { Deadline } from '../deadline.ts';

/**
 * The one interface to both stores. SQL is hand-written and portable: `$1` parameters, times as epoch
 * milliseconds, booleans as 0/1, JSON as text. What differs between the stores stays in this folder.
 */
export type Value = string | number | bigint | null | Uint8Array;

export interface Reader {
  readonly dialect: 'sqlite' | 'postgres';
  query<Row>(sql: string, params?: readonly Value[]): Promise<Row[]>;
  /** The first row. */
  one<Row>(sql: string, params?: readonly Value[]): Promise<Row | undefined>;
}

/**
 * Only a transaction can write: a function that takes a `Transaction` can't be called without one. Nothing
 * but the store may be awaited inside.
 */
export interface Transaction extends Reader {
  /** Runs a statement and tells how many rows it changed. */
  execute(sql: string, params?: readonly Value[]): Promise<number>;
  /** Inserts many rows; `suffix` may hold an `on conflict` clause. */
  bulk(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly Value[]>,
    suffix?: string,
  ): Promise<void>;
  /** One holder at a time per name, across all processes, until the transaction ends. */
  lock(name: string): Promise<void>;
  /** Runs once the transaction is durable, and never if it is rolled back. */
  afterCommit(action: () => void): void;
}

export interface Db extends Reader {
  /** Several reads that see the same state of the store. */
  snapshot<T>(read: (db: Reader) => Promise<T>): Promise<T>;
  /**
   * A snapshot for reads whose time grows with the store, such as lists without end. Nobody else waits for
   * them: on SQLite, where every other statement holds up the whole process, they run in a thread of their own.
   */
  slowly<T>(read: (db: Reader) => Promise<T>): Promise<T>;
  transaction<T>(write: (db: Transaction) => Promise<T>): Promise<T>;
  /** The same store, with every wait bounded by a request's deadline. */
  within(deadline: Deadline): Db;
  /** What bounds it, so that waits for other things than the store end with it too. */
  readonly deadline: Deadline | undefined;
  /** Is told of every transaction that this process commits; the function that comes back ends it. */
  onCommit(listener: () => void): () => void;
  close(): Promise<void>;
}

/** What is looked at in the store to tell whether there is work. */
export interface Look {
  readonly store: 'db' | 'graph';
  /** An expression whose value is a number; `$1` is the present time. An index must answer it at once. */
  readonly sql: string;
  /** Work is due as long as the value is not 0, or whenever it is another than before. */
  readonly due: 'while' | 'on change';
}

/** Raised when a row would break a unique index; everything else that a store refuses is a defect. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super('a row with this key already exists', { cause });
    this.name = 'UniqueViolation';
  }
}

/**
 * Placeholders for an `in (…)` list, padded with the last value to a power of two: a list of any length needs
 * only a dozen different statement texts, so prepared statements stay few.
 */
export function inList(values: readonly Value[], firstParameter: number): { sql: string; params: Value[] } {
  const last = values.at(-1);
  if (last === undefined) throw new Error('an in-list needs at least one value');
  let size = 1;
  while (size < values.length) size *= 2;
  const params = [...values, ...Array<Value>(size - values.length).fill(last)];
  const sql = params.map((_, index) => `$${firstParameter + index}`).join(', ');
  return { sql, params };
}
