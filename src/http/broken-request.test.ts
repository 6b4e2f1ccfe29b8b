import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser } from '../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import { assertEnvelope, gate, serveOperations, until } from '../../test/server/pipeline.ts';
import { RawConnection, rawCall, requestText } from '../../test/server/raw-http.ts';
import { maxHeaderBytes } from './broken-request.ts';
import { Document } from './operation.ts';
import { Empty } from './schemas.ts';

describe('what is not a request', () => {
  let server: TestServer;
  let admin: MadeUser;

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
  });

  after(() => server.stop());

  for (const text of [
    'nonsense\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /with space HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n',
    'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n',
    'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ]) {
    it(`answers 400 to ${JSON.stringify(text)} and closes the connection`, async () => {
      const connection = await RawConnection.open(server.url);
      connection.send(Buffer.from(text, 'latin1'));
      const answer = await connection.read();
      assert.deepEqual(assertEnvelope(answer, 400), [
        { context: 'request', message: 'this is not a valid HTTP request' },
      ]);
      assert.equal(answer.headers.connection, 'close');
      assert.ok(Math.abs(Date.parse(answer.headers.date ?? '') - server.now()) < 60_000);
      await connection.closed;
    });
  }

  it('answers 400 to CONNECT, and closes the connection', async () => {
    const connection = await RawConnection.open(server.url);
    connection.send('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n');
    const [problem] = assertEnvelope(await connection.read(), 400);
    assert.match(problem?.message ?? '', /CONNECT/);
    await connection.closed;
  });

  it('does not put its answer into the middle of another one', async () => {
    const { opened, open } = gate();
    const variant = await serveOperations(server.deps, (register) =>
      register({
        id: 'Slow',
        method: 'GET',
        url: '/api/v2/slow',
        tag: 'Test',
        summary: 'Slow',
        access: 'public',
        answer: Empty,
        documents: { 'text/plain': 'Words' },
        handle: async () =>
          new Document(
            'text/plain',
            (async function* () {
              yield 'first';
              await opened;
              yield 'second';
            })(),
          ),
      }),
    );
    const connection = await RawConnection.open(variant.url);
    let received = '';
    connection.socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    connection.send(requestText('GET', '/api/v2/slow'));
    await until(() => received.includes('first'), 'the first part');
    connection.send('nonsense\r\n\r\n');
    await connection.closed;
    assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1, received);
    open();
    await variant.stop();
  });

  for (const [name, value] of [
    ['Host', 'localhost'],
    ['Host', 'elsewhere'],
    ['Authorization', 'Bearer x'],
    ['Content-Type', 'text/plain'],
  ] as const) {
    it(`answers 400 to a second ${name} header, ${value}`, async () => {
      const twice = [
        [name, value],
        [name, value],
      ] as const;
      const answer = await rawCall(server, 'GET', '/health/live', twice);
      const problems = assertEnvelope(answer, 400);
      assert.deepEqual(problems, [{ context: name, message: `the ${name} header is given more than once` }]);
    });
  }

  it('answers 400 to a Host header that is none', async () => {
    const connection = await RawConnection.open(server.url);
    for (const host of ['a b', 'a/b', 'name@host', 'a?b', 'a#b', 'ä']) {
      connection.send(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const [problem] = assertEnvelope(await connection.read(), 400);
      assert.equal(problem?.context, 'Host');
    }
    for (const host of ['', 'localhost:8080', '127.0.0.1', '[::1]:8080', 'sec_1.example.org.']) {
      connection.send(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      assert.equal((await connection.read()).status, 200, host);
    }
    connection.close();
  });

  it('answers 417 to an expectation that it does not know, and closes the connection', async () => {
    const connection = await RawConnection.open(server.url);
    connection.send(requestText('GET', '/health/live', [['Expect', 'bogus']]));
    const answer = await connection.read();
    assert.equal(assertEnvelope(answer, 417)[0]?.context, 'Expect');
    assert.equal(answer.headers.connection, 'close');
    await connection.closed;
  });

  it('answers 400 to HTTP/1.1 without a Host header, and 200 to HTTP/1.0', async () => {
    const connection = await RawConnection.open(server.url);
    connection.send('GET /health/live HTTP/1.1\r\n\r\n');
    const problems = assertEnvelope(await connection.read(), 400);
    assert.deepEqual(problems, [{ context: 'Host', message: 'the Host header is required' }]);
    connection.send('GET /health/live HTTP/1.0\r\n\r\n');
    assert.equal((await connection.read()).status, 200);
    connection.close();
  });

  it('answers 431 to headers that are too large', async () => {
    const answer = await rawCall(server, 'GET', '/health/live', [['X', 'x'.repeat(maxHeaderBytes)]]);
    const [problem] = assertEnvelope(answer, 431);
    assert.match(problem?.message ?? '', /at most 131072 bytes/);
  });

  it('answers 431 to a request line that is too long, and takes a long one', async () => {
    assertEnvelope(await rawCall(server, 'GET', `/health/live?${'x'.repeat(maxHeaderBytes)}`), 431);
    const long = await rawCall(server, 'GET', `/health/live?${'x'.repeat(maxHeaderBytes - 1000)}`);
    assert.equal(long.status, 200);
  });

  it('answers 400 to a body that is cut off, and changes nothing', async () => {
    const body = JSON.stringify({ key: 'analysis.reconciliation', value: { enabled: false } });
    const connection = await RawConnection.open(server.url);
    connection.send(
      requestText('PUT', '/api/v2/config', [
        ['Authorization', `Bearer ${admin.token}`],
        ['Content-Type', 'application/json'],
        ['Content-Length', String(body.length + 1)],
      ]) + body,
    );
    connection.socket.end();
    assertEnvelope(await connection.read(), 400);
    await connection.closed;
    assert.deepEqual(await auditRows(server.deps), []);
  });

  it('goes on serving others when a caller goes away in the middle', async () => {
    for (const text of [
      'G',
      'GET /health/live HTTP/1.1\r\nHost:',
      requestText('GET', '/api/v2/openapi.json'),
    ]) {
      const connection = await RawConnection.open(server.url);
      connection.send(text);
      connection.socket.resetAndDestroy();
      await connection.closed;
    }
    assert.equal((await server.call('GET', '/health/live')).status, 200);
  });
});
