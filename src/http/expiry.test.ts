import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Type from 'typebox';
import { auditRows, type MadeUser, makeUser } from '../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import {
  assertEnvelope,
  type Hold,
  holdReads,
  holdWrites,
  serveOperations,
  until,
} from '../../test/server/pipeline.ts';
import { RawConnection, requestText } from '../../test/server/raw-http.ts';
import { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import { readParameter } from '../features/app-config/index.ts';
import { Struct } from './schemas.ts';

const key = 'analysis.reconciliation';
const headers = { prefer: 'wait=1' };

describe('a request whose time is up (gap 1.5)', () => {
  let server: TestServer;
  let admin: MadeUser;
  let hold: Hold | undefined;
  const put = (enabled: boolean, more: Record<string, string> = headers) =>
    server.call('PUT', '/api/v2/config', {
      token: admin.token,
      body: { key, value: { enabled } },
      headers: more,
    });
  const readState = async () => ({
    ...(await readParameter(server.deps.db, key)),
    counter: await server.deps.db.one('select value from change_counter'),
    records: (await auditRows(server.deps)).length,
  });
  const release = async () => {
    await hold?.release();
    hold = undefined;
  };

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
    // Signed in once, so that the checks before an operation need nothing that a test holds.
    await server.call('GET', '/api/v2/self', { token: admin.token });
  });

  afterEach(release);
  after(() => server.stop());

  it('answers 504 to a read, and stops working on it', async () => {
    hold = await holdReads(server.deps);
    const answer = await server.call('GET', '/api/v2/self', { token: admin.token, headers });
    assert.deepEqual(assertEnvelope(answer, 504), [{ context: 'GetSelf', message: 'request timed out' }]);
    await until(async () => (await hold?.waiting()) === 0, 'the end of the statement behind it');
    await release();
    assert.equal((await server.call('GET', '/api/v2/self', { token: admin.token })).status, 200);
  });

  it('answers 504 to a write, changes nothing and stops working on it', async () => {
    const before = await readState();
    hold = await holdWrites(server.deps);
    assertEnvelope(await put(!before.enabled), 504);
    await until(async () => (await hold?.waiting()) === 0, 'the end of the statement behind it');
    await release();
    // Writes come one after the other: had the first one still been waiting, it would have gone before this.
    await server.deps.db.transaction((db) => db.execute('update parameters set key = key'));
    assert.deepEqual(await readState(), before);
    assert.equal((await put(!before.enabled, {})).status, 200);
    assert.equal((await readState()).records, before.records + 1);
  });

  it('lets a write take longer with a longer wait', async () => {
    hold = await holdWrites(server.deps);
    const { enabled } = await readParameter(server.deps.db, key);
    const short = put(!enabled);
    const long = put(!enabled, { prefer: 'wait=20' });
    assert.equal((await short).status, 504);
    await release();
    assert.equal((await long).status, 200);
    assert.equal((await readParameter(server.deps.db, key)).enabled, !enabled);
  });

  it('counts from the end of the request body', async () => {
    const connection = await RawConnection.open(server.url);
    const body = JSON.stringify({ key, value: { enabled: true } });
    connection.send(
      requestText('PUT', '/api/v2/config', [
        ['Authorization', `Bearer ${admin.token}`],
        ['Content-Type', 'application/json'],
        ['Content-Length', String(body.length)],
        ['Prefer', 'wait=2'],
      ]),
    );
    await sleep(2200);
    connection.send(body);
    assert.equal((await connection.read()).status, 200);
    connection.close();
  });

  it('stops between two statements and takes back what the first one changed', async () => {
    let statements = 0;
    const probe = await serveOperations(server.deps, (register) =>
      register({
        id: 'WorkForEver',
        method: 'POST',
        url: '/endless',
        tag: 'Test',
        summary: 'Writes, then never finds an end',
        access: 'public',
        answer: Struct({ done: Type.Boolean() }),
        answerExample: { done: true },
        handle: ({ db }) =>
          db.transaction(async (db) => {
            await db.execute("insert into instance_facts (name, value) values ('expiry', 'changed')");
            for (const start = performance.now(); performance.now() < start + 20_000; statements += 1)
              await db.query('select 1 as one');
            return { done: true };
          }),
      }),
    );
    try {
      assertEnvelope(await probe.call('POST', '/endless', { headers }), 504);
      const worked = statements;
      assert.ok(worked > 1);
      const fact = await server.deps.db.transaction((db) =>
        db.one("select value from instance_facts where name = 'expiry'"),
      );
      assert.equal(fact, undefined);
      // On PostgreSQL the answer may overtake the last statement.
      assert.ok(statements <= worked + 1);
    } finally {
      await probe.stop();
    }
  });

  it('is checked once more before the commit', async () => {
    const before = await readState();
    const deadline = new Deadline(5);
    let committed = false;
    const write = server.deps.db.within(deadline).transaction(async (db) => {
      await db.execute('update parameters set value = $2 where key = $1', [key, '{"enabled":"never"}']);
      db.afterCommit(() => {
        committed = true;
      });
      deadline.cancel(new AppError('timed_out', 'request timed out'));
    });
    await assert.rejects(write, { code: 'timed_out' });
    await server.deps.db.transaction((db) => db.execute('update parameters set key = key'));
    assert.deepEqual(await readState(), before);
    assert.equal(committed, false);
  });
});
