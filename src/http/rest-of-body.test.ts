import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it, mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { makeUser } from '../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import { RawConnection, requestText } from '../../test/server/raw-http.ts';
import { endWith } from './rest-of-body.ts';

/** As the callers of `boundRest` may see it. */
const maxSeconds = 30;
const mebibyte = 1024 * 1024;

const tick = async (ms: number) => {
  mock.timers.tick(ms);
  for (let n = 0; n < 50; n += 1) await turn();
};

describe('a body that goes on after its answer', () => {
  let server: TestServer;
  let token: string;
  before(async () => {
    server = await startTestServer();
    token = (await makeUser(server.deps)).token;
  });
  after(() => server.stop());

  /** Each is answered before its body has arrived. */
  const early = [
    ['POST', '/nothing', 404],
    ['PATCH', '/api/v2/saml', 405],
    ['PUT', '/api/v2/config', 401],
    ['POST', '/api/v2/ingest', 404],
    ['GET', '/health/live', 200],
  ] as const;
  for (const [method, path, status] of early) {
    it(`of ${method} ${path} ends within ${maxSeconds} seconds, or its connection does`, async () => {
      mock.timers.enable({ apis: ['setInterval'] });
      try {
        const connection = await RawConnection.open(server.url);
        const headers = [['Content-Length', '1000000']] as [string, string][];
        if (status === 404) headers.push(['Authorization', `Bearer ${token}`]);
        connection.send(`${requestText(method, path, headers)}{`);
        // A body that is read first is refused only afterwards; this one is not read.
        assert.equal((await connection.read()).status, status);
        for (let second = 1; second < maxSeconds; second += 1) {
          connection.send('x');
          await tick(1000);
        }
        assert.equal(connection.socket.destroyed, false, 'it may take that long');
        await tick(1000);
        await connection.closed;
      } finally {
        mock.timers.reset();
      }
    });
  }

  it('ends after 64 MiB, or its connection does', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const connection = await RawConnection.open(server.url);
      connection.send(requestText('POST', '/nothing', [['Content-Length', String(1000 * mebibyte)]]));
      assert.equal((await connection.read()).status, 404);
      const block = Buffer.alloc(mebibyte);
      let sent = 0;
      while (!connection.socket.destroyed && sent < 200) {
        if (!connection.socket.write(block))
          await Promise.race([once(connection.socket, 'drain'), connection.closed]);
        sent += 1;
        if (sent > 64) await tick(10);
        if (sent === 80) await tick(1000);
      }
      await connection.closed;
      assert.ok(sent >= 64 && sent < 200, `${sent} MiB were taken`);
    } finally {
      mock.timers.reset();
    }
  });

  it('leaves the connection open for the next request once it has ended', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const connection = await RawConnection.open(server.url);
      connection.send(`${requestText('POST', '/nothing', [['Content-Length', '3']])}x`);
      assert.equal((await connection.read()).status, 404);
      connection.send(`yz${requestText('GET', '/health/live')}`);
      assert.equal((await connection.read()).status, 200);
      await tick(maxSeconds * 1000);
      connection.send(requestText('GET', '/health/live'));
      assert.equal((await connection.read()).status, 200);
      connection.close();
    } finally {
      mock.timers.reset();
    }
  });
});

describe('endWith', () => {
  it('ends a connection also when the other side keeps its half open', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const listener = createServer({ allowHalfOpen: true });
    try {
      listener.listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const address = listener.address() as { port: number };
      const client = connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: true });
      client.on('error', () => {}).resume();
      const [socket] = (await once(listener, 'connection')) as [Socket];
      const closed = once(socket, 'close');
      endWith(socket, 'farewell');
      await once(client, 'end');
      assert.equal(socket.destroyed, false);
      await tick(2000);
      await closed;
      client.destroy();
    } finally {
      listener.close();
      mock.timers.reset();
    }
  });
});
