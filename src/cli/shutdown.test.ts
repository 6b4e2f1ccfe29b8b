import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../test/server/builders.ts';
import { temporaryStore } from '../../test/server/harness.ts';
import { assertEnvelope, type Hold, holdWrites, until } from '../../test/server/pipeline.ts';
import { RawConnection, requestText } from '../../test/server/raw-http.ts';
import { readSettings } from '../config.ts';
import { readParameter } from '../features/app-config/index.ts';
import { type RunningServer, startServer } from './run-server.ts';

const key = 'analysis.reconciliation';
const body = JSON.stringify({ key, value: { enabled: false } });
const live = requestText('GET', '/health/live');
/** Longer than the tests may take: what ends before does not end by it. */
const endlessMs = 3_600_000;

describe('stop', { timeout: 60_000 }, () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let server: RunningServer;
  let user: MadeUser;
  let hold: Hold | undefined;
  const connections: RawConnection[] = [];

  const start = async (graceMs: number, env: Record<string, string> = {}) => {
    server = await startServer(readSettings({ ...temporary.env, ...env }), { graceMs });
    user = await makeUser(server.deps);
  };
  const open = async () => {
    const connection = await RawConnection.open(server.url);
    connections.push(connection);
    return connection;
  };
  /** Waits until the listener is closed. */
  const refusal = () =>
    until(
      () =>
        RawConnection.open(server.url).then(
          (connection) => {
            connection.close();
            return false;
          },
          (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
        ),
      'the end of the listener',
    );
  /** A write whose body is still to be sent. The server has begun with it once it says 100. */
  const beginWrite = async () => {
    const connection = await open();
    const headers = [
      ['Authorization', `Bearer ${user.token}`],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
      ['Expect', '100-continue'],
    ] as const;
    connection.send(requestText('PUT', '/api/v2/config', headers));
    assert.equal((await connection.read()).status, 100);
    return connection;
  };

  before(async () => {
    temporary = await temporaryStore();
  });

  afterEach(async () => {
    await hold?.release();
    hold = undefined;
    for (const connection of connections.splice(0)) connection.close();
  });

  after(() => temporary.remove());

  it('finishes what is under way and refuses the rest', async () => {
    await start(endlessMs);
    const writer = await beginWrite();
    const [first, second, third, idle] = [await open(), await open(), await open(), await open()];
    idle.send(live);
    assert.equal((await idle.read()).headers.connection, 'keep-alive');
    const stopped = server.stop();
    first.send(requestText('GET', '/health/ready'));
    second.send(requestText('GET', '/api/v2/openapi.json'));
    third.send(live);
    const notReady = await first.read();
    assert.deepEqual(assertEnvelope(notReady, 503), [
      { context: 'shutdown', message: 'the server is shutting down' },
    ]);
    const refused = await second.read();
    assert.equal(assertEnvelope(refused, 503)[0]?.message, 'the server is shutting down');
    for (const { headers } of [notReady, refused]) {
      assert.match(headers['retry-after'] ?? '', /^\d+$/);
      assert.equal(headers.connection, 'close');
    }
    const alive = await third.read();
    assert.equal(alive.status, 200);
    assert.equal(alive.headers.connection, 'close');
    await Promise.all([first.closed, second.closed, third.closed, idle.closed]);
    await refusal();

    writer.send(body);
    const written = await writer.read();
    assert.equal(written.status, 200);
    assert.equal(written.headers.connection, 'close');
    await writer.closed;
    await stopped;
  });

  it('serves for KENNEL_DRAIN_SECONDS while it is not ready, and tells everybody to close', async () => {
    await start(endlessMs, { KENNEL_DRAIN_SECONDS: '2' });
    const [early, ready, served] = [await open(), await open(), await open()];
    for (const connection of [early, ready, served]) {
      connection.send(live);
      assert.equal((await connection.read()).headers.connection, 'keep-alive');
    }
    const stopped = server.stop();
    ready.send(requestText('GET', '/health/ready'));
    const notReady = await ready.read();
    assert.equal(assertEnvelope(notReady, 503)[0]?.context, 'shutdown');
    served.send(requestText('GET', '/api/version', [['Authorization', `Bearer ${user.token}`]]));
    const late = await open();
    late.send(requestText('GET', '/api/v2/openapi.json'));
    const answers = [await served.read(), await late.read()];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    for (const { headers } of [notReady, ...answers]) assert.equal(headers.connection, 'close');
    await refusal();
    await stopped;
    await Promise.all([early.closed, ready.closed, served.closed, late.closed]);
  });

  it('reads the rest of a body that it refuses, so that the answer is not lost in a reset', async () => {
    await start(endlessMs, { KENNEL_DRAIN_SECONDS: '1' });
    const connection = await open();
    const length = 8 * 1024 * 1024;
    const stopped = server.stop();
    connection.send(requestText('POST', '/nothing', [['Content-Length', String(length)]]));
    for (let sent = 0; sent < length; sent += length / 8) {
      connection.send(Buffer.alloc(length / 8));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const answer = await connection.read();
    assertEnvelope(answer, 404);
    assert.equal(answer.headers.connection, 'close');
    await connection.closed;
    assert.equal(connection.failure, undefined);
    await stopped;
  });

  it('does not wait for connections that have not sent a whole request', async () => {
    await start(endlessMs);
    const [silent, half] = [await open(), await open()];
    half.send('GET /health/live HTTP/1.1\r\nHo');
    await server.stop();
    await Promise.all([silent.closed, half.closed]);
  });

  it('closes them as soon as the last request is answered', async () => {
    await start(endlessMs);
    const writer = await beginWrite();
    const silent = await open();
    const stopped = server.stop();
    writer.send(body);
    assert.equal((await writer.read()).status, 200);
    await stopped;
    await silent.closed;
  });

  it('answers 503 to what still runs after the grace, and changes nothing', async () => {
    await start(1000);
    await server.deps.db.transaction((db) =>
      db.execute('update parameters set value = $2 where key = $1', [key, '{"enabled":true}']),
    );
    const writer = await beginWrite();
    hold = await holdWrites(server.deps);
    writer.send(body);
    const stopped = server.stop();
    const answer = await writer.read();
    assert.equal(assertEnvelope(answer, 503)[0]?.message, 'the server is shutting down');
    assert.match(answer.headers['retry-after'] ?? '', /^\d+$/);
    assert.equal(answer.headers.connection, 'close');
    await hold.release();
    hold = undefined;
    await stopped;

    await start(endlessMs);
    assert.deepEqual(await readParameter(server.deps.db, key), { enabled: true });
    await server.stop();
  });

  it('hangs up on a body that never ends', async () => {
    await start(10);
    const writer = await beginWrite();
    await server.stop();
    await writer.closed;
  });
});
