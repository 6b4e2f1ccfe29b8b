import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import postgres from 'postgres';
import { buildApp } from '../../src/app.ts';
import type { Db } from '../../src/db/client.ts';
import type { Deps } from '../../src/deps.ts';
import { refuseOtherMethods } from '../../src/http/methods.ts';
import type { Register } from '../../src/http/operation.ts';
import { registerOperation } from '../../src/http/run-operation.ts';
import { createServer, type HttpContext, type HttpServer } from '../../src/http/server.ts';
import type { Logger } from '../../src/log.ts';
import { type Answer, type CallOptions, call, store } from './harness.ts';

/** What the tests of the HTTP pipeline share. */
export interface Variant {
  readonly url: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  stop(): Promise<void>;
}

/** The whole application once more on the same store, with some of its parts replaced. */
export async function serveVariant(deps: Deps, changes: Partial<Deps>): Promise<Variant> {
  const { server } = await buildApp({ ...deps, ...changes });
  return listen(server);
}

/** The same stores, and how often they were asked for something. */
export function countingReads(deps: Deps): { deps: Deps; asked: () => number } {
  let count = 0;
  const counting = (store: Db) =>
    new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          // A handle for a request is no question yet, and neither is a listener.
          if (name !== 'within' && name !== 'onCommit') count += 1;
          return Reflect.apply(member, target, args);
        };
      },
    });
  const db = counting(deps.db);
  const graph = deps.graph === deps.db ? db : counting(deps.graph);
  return { deps: { ...deps, db, graph }, asked: () => count };
}

/** Operations of a test's own, public, in the real pipeline. */
export async function serveOperations(deps: Deps, declare: (register: Register) => void): Promise<Variant> {
  const context: HttpContext = { ...deps, metrics: undefined, policy: openPolicy };
  const server = createServer(context);
  declare((operation) => registerOperation(server, context, operation));
  refuseOtherMethods(server.app, server.operations);
  return listen(server);
}

export const openPolicy: HttpContext['policy'] = {
  authenticate: () => Promise.reject(new Error('only public operations are expected')),
  timeoutBypassAllowed: async () => false,
  trustedProxies: async () => 0,
  noteRefusedWrite: async () => {},
};

async function listen(server: HttpServer): Promise<Variant> {
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    call: (method, path, options) => call(url, method, path, options),
    stop: async () => {
      const closed = server.app.close();
      server.app.server.closeAllConnections();
      await closed;
    },
  };
}

/** A log whose records are kept. */
export function capturedLog(): { log: Logger; records: Record<string, unknown>[]; text(): string } {
  const records: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      records.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  return { log: pino({ base: null }, stream), records, text: () => JSON.stringify(records) };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** What SQL, stacks and libraries look like. */
const insideWords =
  /node_modules|\.[jt]s:\d|\bat \S+ \(|\b(sqlite|postgres|fastify|typebox)|\bselect\b|\binsert into\b|TypeError|FST_/i;

type AnyAnswer = Pick<Answer, 'status' | 'text' | 'body'> & {
  readonly headers: Headers | Record<string, string>;
};

/** The error envelope of gap 1.2, complete and without a word from inside. Returns its problems. */
export function assertEnvelope(answer: AnyAnswer, status: number): { context: string; message: string }[] {
  const { body, text } = answer;
  const header = (name: string) =>
    answer.headers instanceof Headers ? answer.headers.get(name) : (answer.headers[name] ?? null);
  assert.equal(answer.status, status, text);
  assert.equal(header('content-type'), 'application/json');
  assert.equal(header('cache-control'), 'no-store');
  assert.equal(header('x-content-type-options'), 'nosniff');
  assert.match(String(header('content-security-policy')), /^default-src 'none';.* frame-ancestors 'none'/);
  assert.deepEqual(Object.keys(body), ['http_status', 'timestamp', 'request_id', 'errors']);
  assert.equal(body.http_status, status);
  assert.match(body.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  assert.match(body.request_id, uuid);
  assert.equal(header('x-request-id'), body.request_id);
  assert.equal(header('requestid'), body.request_id);
  assert.ok(body.errors.length >= 1 && body.errors.length <= 20);
  for (const problem of body.errors) {
    assert.deepEqual(Object.keys(problem), ['context', 'message']);
    assert.ok(problem.context !== '' && problem.message !== '', text);
  }
  assert.doesNotMatch(text, insideWords);
  return body.errors;
}

/** A promise that the test settles itself. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Waits for something that another process or connection does. */
export async function until(condition: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`${what} did not happen`);
}

export interface Hold {
  /** How many of the server's statements wait for the hold; only PostgreSQL can tell. */
  waiting(): Promise<number>;
  release(): Promise<void>;
}

/** Keeps every write to the parameter table waiting. */
export async function holdWrites(deps: Deps): Promise<Hold> {
  if (store === 'postgres') return holdTable(deps, 'lock table parameters in share mode');
  return holdSqlite((until) => deps.db.transaction(() => until));
}

/** Keeps the reads of `GET /api/v2/self` waiting: they need a snapshot, and the roles. */
export async function holdReads(deps: Deps): Promise<Hold> {
  if (store === 'postgres') return holdTable(deps, 'lock table roles in access exclusive mode');
  const holds = await Promise.all(
    Array.from({ length: 4 }, () => holdSqlite((until) => deps.db.snapshot(() => until))),
  );
  return {
    waiting: async () => 0,
    release: async () => {
      await Promise.all(holds.map((hold) => hold.release()));
    },
  };
}

async function holdSqlite(occupy: (until: Promise<void>) => Promise<void>): Promise<Hold> {
  const { opened, open } = gate();
  const occupied = occupy(opened);
  return {
    waiting: async () => 0,
    release: async () => {
      open();
      await occupied;
    },
  };
}

async function holdTable(deps: Deps, lock: string): Promise<Hold> {
  const sql = postgres(deps.settings.databaseUrl ?? '', { max: 2, onnotice: () => {} });
  const { opened, open } = gate();
  const locked = gate();
  const transaction = sql.begin(async (session) => {
    await session.unsafe(lock);
    locked.open();
    await opened;
  });
  await Promise.race([locked.opened, transaction]);
  return {
    waiting: async () => {
      const [row] = await sql`select cast(count(*) as int) as waiting from pg_stat_activity
        where datname = current_database() and application_name = 'kennel' and wait_event_type = 'Lock'`;
      return row?.waiting;
    },
    release: async () => {
      open();
      await transaction;
      await sql.end();
    },
  };
}
