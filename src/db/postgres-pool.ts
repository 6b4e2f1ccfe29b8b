import postgres from 'postgres';
import type { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import type { Value } from './client.ts';
import { Gate } from './gate.ts';

type Sql = postgres.Sql<Record<string, never>>;

/** One connection. Once it is lost, every statement is refused here and none reaches the driver. */
export class Session {
  readonly #sql: Sql;
  readonly #prepare: boolean;
  #loss: unknown;

  constructor(prepare: boolean, open: (onclose: () => void) => Sql) {
    this.#prepare = prepare;
    this.#sql = open(() => {
      this.#loss ??= Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' });
    });
  }

  get isLost(): boolean {
    return this.#loss !== undefined;
  }

  async run(text: string, params: readonly Value[] = []): Promise<postgres.RowList<postgres.Row[]>> {
    if (this.#loss !== undefined) throw this.#loss;
    try {
      return await this.#sql.unsafe(text, params as never[], { prepare: this.#prepare });
    } catch (error) {
      if (endsConnection(error)) this.#loss = error;
      throw error;
    }
  }

  async end(): Promise<void> {
    this.#loss ??= new AppError('unavailable', 'the store is closed', { retryAfterSeconds: 1 });
    await this.#sql.end({ timeout: 0 });
  }
}

/** A connection that single statements share, and how many of them are on their way. */
interface Shared {
  session: Session;
  underWay: number;
}

/**
 * Connections of two sorts: transactions have one to themselves, single statements share theirs, where the
 * driver sends one after another without waiting for answers. The driver has a pool too, but it goes on with a connection whose
 * socket is gone: the next statement on it, be it the rollback, throws where nobody can catch it, and bytes left
 * in its buffer spoil the connection made in its place (porsager/postgres issues 1154 and 1208). So each of
 * these is a driver of its own, which is thrown away with its connection.
 */
export class Pool {
  readonly #open: () => Session;
  readonly #gate: Gate;
  readonly #idle: Session[] = [];
  readonly #inUse = new Map<Session, Promise<unknown>>();
  readonly #shared: Shared[] = [];
  readonly #maxShared: number;
  #closed = false;

  constructor(size: number, open: () => Session) {
    this.#maxShared = Math.floor(size / 2);
    this.#gate = new Gate(size - this.#maxShared);
    this.#open = open;
  }

  /** For a single statement; a pool of one connection has none to share. */
  async share<T>(deadline: Deadline, work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#maxShared === 0) return this.use(deadline, work);
    this.#checkOpen();
    const shared = this.#leastBusy();
    shared.underWay += 1;
    try {
      return await work(shared.session);
    } finally {
      shared.underWay -= 1;
    }
  }

  #leastBusy(): Shared {
    const first = this.#shared[0];
    let best = first;
    for (const candidate of this.#shared)
      if (best !== undefined && candidate.underWay < best.underWay) best = candidate;
    if (best === undefined || (best.underWay > 0 && this.#shared.length < this.#maxShared)) {
      best = { session: this.#open(), underWay: 0 };
      this.#shared.push(best);
    } else if (best.session.isLost) {
      void best.session.end();
      best.session = this.#open();
    }
    return best;
  }

  #checkOpen(): void {
    if (this.#closed) throw new AppError('unavailable', 'the store is closed', { retryAfterSeconds: 1 });
  }

  async use<T>(deadline: Deadline, work: (session: Session) => Promise<T>): Promise<T> {
    await this.#gate.enter(deadline);
    try {
      this.#checkOpen();
      const session = this.#takeIdle() ?? this.#open();
      const whole = work(session);
      this.#inUse.set(session, whole);
      try {
        return await whole;
      } finally {
        this.#inUse.delete(session);
        if (session.isLost || this.#closed) void session.end();
        else this.#idle.push(session);
      }
    } finally {
      this.#gate.leave();
    }
  }

  #takeIdle(): Session | undefined {
    for (let session = this.#idle.pop(); session !== undefined; session = this.#idle.pop()) {
      if (!session.isLost) return session;
      void session.end();
    }
    return undefined;
  }

  /** Waits for what is under way, but not for ever. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      Promise.allSettled(this.#inUse.values()),
      new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs);
      }),
    ]);
    clearTimeout(timer);
    const sessions = [
      ...this.#idle.splice(0),
      ...this.#inUse.keys(),
      ...this.#shared.map(({ session }) => session),
    ];
    await Promise.all(sessions.map((session) => session.end()));
  }
}

/** What the server itself reports is fatal or not; anything else is the driver's word that the socket failed. */
function endsConnection(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return true;
  // A server that has become a standby stays one: the name may lead to another server by now.
  return error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === '25006';
}
