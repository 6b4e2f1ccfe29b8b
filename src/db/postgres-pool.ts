import postgres from 'postgres';
import type { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import type { Value } from './client.ts';
import { Gate } from './gate.ts';

type Sql = postgres.Sql<Record<string, never>>;

/** The driver's own limit. */
const maxParameters = 65_533;
/** The server keeps a prepared statement for as long as its connection, so only this many are made. */
const maxPrepared = 500;

/** One connection. When it is lost, everything on its way fails, and no further statement reaches the driver. */
export class Session {
  readonly #sql: Sql;
  readonly #prepare: boolean;
  readonly #prepared = new Set<string>();
  readonly #waiting = new Set<(reason: unknown) => void>();
  #loss: unknown;

  constructor(prepare: boolean, open: (onclose: () => void) => Sql) {
    this.#prepare = prepare;
    this.#sql = open(() =>
      this.#lose(Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' })),
    );
  }

  get isLost(): boolean {
    return this.#loss !== undefined;
  }

  async run(text: string, params: readonly Value[] = []): Promise<postgres.RowList<postgres.Row[]>> {
    if (this.#loss !== undefined) throw this.#loss;
    // Refused by the driver, they would leave answers to the wrong statements behind.
    if (params.includes(undefined as never)) throw new Error(`a parameter is undefined: ${text}`);
    if (params.length > maxParameters) throw new Error(`${params.length} parameters are too many: ${text}`);
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      this.#sql.unsafe(text, params as never[], { prepare: this.#mayPrepare(text) }).then(
        (rows) => {
          this.#waiting.delete(reject);
          resolve(rows);
        },
        (error) => {
          this.#waiting.delete(reject);
          reject(error);
          if (endsConnection(error)) this.#lose(error);
        },
      );
    });
  }

  #mayPrepare(text: string): boolean {
    if (!this.#prepare || this.#prepared.has(text)) return this.#prepare;
    if (this.#prepared.size >= maxPrepared) return false;
    this.#prepared.add(text);
    return true;
  }

  async end(): Promise<void> {
    this.#lose(closedError());
    await this.#sql.end({ timeout: 0 });
  }

  /** The driver forgets statements that it has not sent yet. */
  #lose(reason: unknown): void {
    this.#loss ??= reason;
    for (const reject of this.#waiting) reject(this.#loss);
    this.#waiting.clear();
  }
}

/** A connection that single statements share, and how many of them are on their way. */
interface Shared {
  session: Session;
  underWay: number;
}

/**
 * Connections of two sorts: transactions have one to themselves, single statements share theirs, where the
 * driver sends one after another without waiting for answers. The driver has a pool too, but it goes on with a
 * connection whose socket is gone: the next statement on it, be it the rollback, throws where nobody can catch
 * it, and bytes left in its buffer spoil the connection made in its place (porsager/postgres issues 1154 and
 * 1208). So each of these is a driver of its own, which is thrown away with its connection.
 */
export class Pool {
  readonly #open: () => Session;
  readonly #gate: Gate;
  readonly #maxShared: number;
  readonly #idle: Session[] = [];
  readonly #shared: Shared[] = [];
  readonly #sessions = new Set<Session>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  constructor(size: number, open: () => Session) {
    this.#maxShared = Math.floor(size / 2);
    this.#gate = new Gate(size - this.#maxShared);
    this.#open = open;
  }

  /** For a single statement; a pool of one connection has none to share. */
  async share<T>(deadline: Deadline, work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#maxShared === 0) return this.use(deadline, work);
    if (this.#closed) throw closedError();
    const shared = this.#leastBusy();
    shared.underWay += 1;
    try {
      return await this.#watch(work(shared.session));
    } finally {
      shared.underWay -= 1;
    }
  }

  /** For a transaction. */
  async use<T>(deadline: Deadline, work: (session: Session) => Promise<T>): Promise<T> {
    await this.#gate.enter(deadline);
    try {
      if (this.#closed) throw closedError();
      const session = this.#takeIdle() ?? this.#make();
      try {
        return await this.#watch(work(session));
      } finally {
        if (session.isLost || this.#closed) this.#discard(session);
        else this.#idle.push(session);
      }
    } finally {
      this.#gate.leave();
    }
  }

  /** Waits for what is under way, but not for ever. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    let timer: NodeJS.Timeout | undefined;
    const graceIsOver = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.allSettled(this.#underWay), graceIsOver]);
    clearTimeout(timer);
    await Promise.all([...this.#sessions].map((session) => session.end()));
  }

  #leastBusy(): Shared {
    let best: Shared | undefined;
    for (const candidate of this.#shared) {
      if (best === undefined || candidate.underWay < best.underWay) best = candidate;
    }
    if (best === undefined || (best.underWay > 0 && this.#shared.length < this.#maxShared)) {
      best = { session: this.#make(), underWay: 0 };
      this.#shared.push(best);
    } else if (best.session.isLost) {
      this.#discard(best.session);
      best.session = this.#make();
    }
    return best;
  }

  #takeIdle(): Session | undefined {
    for (let session = this.#idle.pop(); session !== undefined; session = this.#idle.pop()) {
      if (!session.isLost) return session;
      this.#discard(session);
    }
    return undefined;
  }

  #make(): Session {
    const session = this.#open();
    this.#sessions.add(session);
    return session;
  }

  #discard(session: Session): void {
    this.#sessions.delete(session);
    void session.end();
  }

  async #watch<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }
}

function closedError(): AppError {
  return new AppError('unavailable', 'the store is closed', { retryAfterSeconds: 1 });
}

/** What the server itself reports is fatal or not; anything else is the driver's word that the socket failed. */
function endsConnection(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return true;
  // A server that has become a standby stays one: the name may lead to another server by now.
  return error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === '25006';
}
