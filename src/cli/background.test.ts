import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { makeUser } from '../../test/server/builders.ts';
import { startTestServer, store, type TestServer } from '../../test/server/harness.ts';
import { countingReads, until } from '../../test/server/pipeline.ts';
import { serverItself } from '../caller.ts';
import { recordAudit } from '../features/audit/index.ts';
import type { Worker } from '../worker/worker.ts';
import { startBackground } from './background.ts';

/** What a server asks of its store while nobody asks anything of it. On SQLite there are two stores. */
const mostPerSecond = store === 'postgres' ? 2 : 4;
const watchedSeconds = 8;
/** PostgreSQL counts what an idle connection did up to ten seconds later. */
const settlingMs = store === 'postgres' ? 12_000 : 2000;

let server: TestServer;
let background: Worker;
let asked: () => number;

before(async () => {
  server = await startTestServer();
  await makeUser(server.deps);
  const counting = countingReads(server.deps);
  asked = counting.asked;
  background = startBackground(counting.deps);
});

after(async () => {
  await background.stop();
  await server.stop();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function unlinked(): Promise<number> {
  const row = await server.deps.db.one<{ count: number }>(
    'select cast(count(*) as bigint) as count from audit_log where position is null',
  );
  return row?.count ?? 0;
}

/** Transactions of this database that PostgreSQL itself has counted. */
async function committed(): Promise<number> {
  const { databaseUrl } = server.deps.settings;
  if (databaseUrl === undefined) return 0;
  const url = new URL(databaseUrl);
  const database = url.pathname.slice(1);
  url.pathname = '/postgres';
  const sql = postgres(url.href, { max: 1, fetch_types: false });
  try {
    const [row] =
      await sql`select xact_commit::int as count from pg_stat_database where datname = ${database}`;
    return row?.count ?? 0;
  } finally {
    await sql.end();
  }
}

describe('the background work of a server at rest', () => {
  it(`asks the store at most ${mostPerSecond} times a second`, async () => {
    // What every task does when it starts, and what follows from it.
    await until(async () => (await unlinked()) === 0, 'the audit log is linked');
    await pause(settlingMs);
    const [before, committedBefore] = [asked(), await committed()];
    await pause(watchedSeconds * 1000);
    const [count, transactions] = [asked() - before, (await committed()) - committedBefore];
    assert.ok(count > 0, 'nobody looks for work any more');
    assert.ok(count <= mostPerSecond * watchedSeconds, `asked ${count} times`);
    assert.ok(transactions <= mostPerSecond * watchedSeconds, `${transactions} transactions`);
  });

  it('finds work that this process made, and work that another one made', async () => {
    const { deps } = server;
    const leave = () =>
      deps.db.transaction((db) =>
        recordAudit(db, serverItself, deps.clock(), { action: 'Test', fields: {} }),
      );
    await leave();
    await until(async () => (await unlinked()) === 0, 'the record is linked');
    // As if it came from elsewhere: nobody here is told of this commit.
    await background.stop();
    await leave();
    background = startBackground({ ...deps, db: deaf(deps.db), graph: deaf(deps.graph) });
    await leave();
    await until(async () => (await unlinked()) === 0, 'the record is linked without a word');
  });
});

function deaf<Store extends { onCommit: (listener: () => void) => () => void }>(db: Store): Store {
  return new Proxy(db, {
    get: (target, name) => {
      if (name === 'onCommit') return () => () => {};
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
