import postgres from 'postgres';
import { Deadline, defaultWaitSeconds } from '../deadline.ts';
import { AppError } from '../errors.ts';
import { type Db, type Reader, type Transaction, UniqueViolation, type Value } from './client.ts';
import { Pool, Session } from './postgres-pool.ts';
import { separateHosts, socketOpener } from './postgres-socket.ts';
import { separateTls } from './postgres-tls.ts';

export interface PostgresOptions {
  readonly pool: number;
  /** Off behind PgBouncer in transaction mode, which can't keep prepared statements. */
  readonly prepare: boolean;
}

/** A deadlock or a serialisation failure is the store asking for another try; nothing was changed. */
const attempts = 5;
/** How long a connection that is still at work when the store is closed may take. */
const closeWithinMs = 5000;
/** The protocol's limit is 65,535 parameters a statement. */
const bulkParameters = 30_000;

export function openPostgres(text: string, { pool: size, prepare }: PostgresOptions): Db {
  const { url: hosted, ssl } = separateTls(text);
  const { url, addresses } = separateHosts(hosted);
  const pool = new Pool(size, () => {
    const tls = typeof ssl === 'object' ? { ...ssl } : ssl;
    const options = {
      max: 1,
      prepare,
      fetch_types: false,
      connect_timeout: 5,
      max_lifetime: null,
      onnotice: () => {},
      connection: {
        application_name: 'kennel',
        // PgBouncer refuses a connection that asks for it.
        ...(prepare ? { statement_timeout: defaultWaitSeconds * 1000 } : {}),
      },
      types: { bigint: { to: 20, from: [20], serialize: String, parse: safeInteger } },
      ...(tls === undefined ? {} : { ssl: tls }),
      socket: socketOpener(addresses, (host) => {
        // What the certificate is checked against when the host is an address and not a name.
        if (typeof tls === 'object') tls.host = host;
      }),
    };
    return new Session(prepare, (onclose) => postgres(url, { ...options, onclose }) as never);
  });
  return handle({ pool, hasTimeout: prepare, commitListeners: new Set() }, undefined);
}

function safeInteger(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

interface Server {
  readonly pool: Pool;
  /** Every connection comes with the default wait as its statement timeout. */
  readonly hasTimeout: boolean;
  readonly commitListeners: Set<() => void>;
}

function handle(server: Server, bound: Deadline | undefined): Db {
  const query = <Row>(text: string, params: readonly Value[] = []): Promise<Row[]> => {
    const deadline = bound ?? new Deadline();
    // Only another limit than the connection's own needs a transaction to set it in.
    return deadline.isCustom || !server.hasTimeout
      ? inTransaction(server, deadline, 'read only', (session) => run<Row>(session, text, params))
      : deadline.bound(server.pool.share(deadline, (session) => run<Row>(session, text, params)));
  };
  const snapshot = <T>(read: (db: Reader) => Promise<T>): Promise<T> =>
    inTransaction(
      server,
      bound ?? new Deadline(),
      'isolation level repeatable read read only',
      (session, deadline) => read(reader(session, deadline)),
    );
  return {
    dialect: 'postgres',
    query,
    one: async <Row>(text: string, params?: readonly Value[]) => (await query<Row>(text, params))[0],
    snapshot,
    // Nothing waits for a statement but its caller, and the statement timeout ends it.
    slowly: snapshot,
    transaction: (write) => writeTransaction(server, bound ?? new Deadline(), write),
    within: (deadline) => handle(server, deadline),
    deadline: bound,
    onCommit: (listener) => {
      server.commitListeners.add(listener);
      return () => server.commitListeners.delete(listener);
    },
    close: () => server.pool.close(closeWithinMs),
  };
}

function reader(session: Session, deadline: Deadline): Reader {
  const query = async <Row>(text: string, params: readonly Value[] = []): Promise<Row[]> => {
    deadline.check();
    return run<Row>(session, text, params);
  };
  return {
    dialect: 'postgres',
    query,
    one: async <Row>(text: string, params?: readonly Value[]) => (await query<Row>(text, params))[0],
  };
}

async function run<Row>(session: Session, text: string, params: readonly Value[]): Promise<Row[]> {
  try {
    return (await session.run(text, params)) as unknown as Row[];
  } catch (error) {
    throw translate(error);
  }
}

async function writeTransaction<T>(
  server: Server,
  deadline: Deadline,
  write: (db: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const afterCommit: (() => void)[] = [];
    try {
      const result = await inTransaction(server, deadline, '', (session) =>
        write(transaction(session, deadline, afterCommit)),
      );
      for (const action of [...afterCommit, ...server.commitListeners]) action();
      return result;
    } catch (error) {
      if (!wantsRetry(error) || attempt === attempts) throw error;
    }
  }
}

function transaction(session: Session, deadline: Deadline, afterCommit: (() => void)[]): Transaction {
  const reads = reader(session, deadline);
  return {
    ...reads,
    execute: async (text, params = []) => {
      const result = (await reads.query(text, params)) as unknown as { count: number };
      return result.count;
    },
    bulk: async (table, columns, rows, suffix = '') => {
      const rowsPerStatement = Math.floor(bulkParameters / columns.length);
      let batch: Value[] = [];
      const flush = async () => {
        if (batch.length > 0)
          await reads.query(insertText(table, columns, batch.length / columns.length, suffix), batch);
        batch = [];
      };
      for (const row of rows) {
        batch.push(...row);
        if (batch.length >= rowsPerStatement * columns.length) await flush();
      }
      await flush();
    },
    lock: async (name) => {
      await reads.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
    },
    afterCommit: (action) => afterCommit.push(action),
  };
}

function insertText(table: string, columns: readonly string[], rows: number, suffix: string): string {
  let parameter = 0;
  const row = () => `(${columns.map(() => `$${++parameter}`).join(', ')})`;
  return `insert into ${table} (${columns.join(', ')}) values ${Array.from({ length: rows }, row).join(', ')} ${suffix}`;
}

/**
 * Waiting for a connection and every statement are bounded by the deadline, but once the work is done and the
 * commit is on its way, its outcome is awaited and reported.
 */
async function inTransaction<T>(
  server: Server,
  deadline: Deadline,
  options: string,
  work: (session: Session, deadline: Deadline) => Promise<T>,
): Promise<T> {
  let committing = false;
  const whole = server.pool.use(deadline, async (session) => {
    deadline.check();
    await session.run(`begin ${options}${timeoutClause(server, deadline)}`);
    let result: T;
    try {
      result = await work(session, deadline);
      deadline.check();
    } catch (error) {
      if (!session.isLost) await session.run('rollback');
      throw error;
    }
    committing = true;
    const { command } = await session.run('commit');
    if (command !== 'COMMIT')
      throw new Error('a statement failed and its error was ignored: nothing is stored');
    return result;
  });
  try {
    return await giveUp(deadline, whole, () => committing);
  } catch (error) {
    throw committing ? unknownOutcome(translate(error)) : translate(error);
  }
}

function timeoutClause(server: Server, deadline: Deadline): string {
  if (server.hasTimeout && !deadline.isCustom) return '';
  const limit = deadline.waitSeconds === undefined ? 0 : Math.max(1, Math.ceil(deadline.remainingMs()));
  return `; set local statement_timeout = ${limit}`;
}

/** Rejects at the deadline unless the commit was sent by then; settles with `whole` otherwise. */
async function giveUp<T>(deadline: Deadline, whole: Promise<T>, committing: () => boolean): Promise<T> {
  try {
    return await deadline.bound(whole);
  } catch (error) {
    if (committing()) return whole;
    whole.catch(() => {}); // it ends by its own check of the deadline; nobody waits for it any more
    throw error;
  }
}

function wantsRetry(error: unknown): boolean {
  const code = errorCode(error);
  return code === '40001' || code === '40P01';
}

function unknownOutcome(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'unavailable') return error;
  return new AppError(
    'unavailable',
    'the store went away while the change was being confirmed: read it again before you repeat it',
    { retryAfterSeconds: 2, cause: error },
  );
}

const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  '57P01', // the server is shutting down
  '57P02',
  '57P03', // the server is starting up
  '53300', // too many connections
  '53100', // disk full
  '25006', // a standby that can't write (yet)
]);

function translate(error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof AppError) return error;
  if (code === '57014') return new AppError('timed_out', 'request timed out', { cause: error });
  if (code === '23505') return new UniqueViolation(error);
  if (connectionCodes.has(code) || (code.startsWith('08') && !isStatementError(error))) {
    return new AppError('unavailable', 'the store cannot be reached', { retryAfterSeconds: 2, cause: error });
  }
  return error;
}

/** Class 08 is about connections, but 08P01 is also what a statement with too few parameters gets. */
function isStatementError(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === 'ERROR';
}

function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}
