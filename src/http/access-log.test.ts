import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type MadeUser, makeUser } from '../../test/server/builders.ts';
import { call, startTestServer, type TestServer, temporaryStore } from '../../test/server/harness.ts';
import { capturedLog, holdReads, serveVariant, until, type Variant } from '../../test/server/pipeline.ts';
import { RawConnection, rawCall, requestText } from '../../test/server/raw-http.ts';

describe('the access log', () => {
  let server: TestServer;
  let variant: Variant;
  let admin: MadeUser;
  const { log, records } = capturedLog();
  const recordOf = async (requestId: string | undefined) => {
    const find = () => records.filter(({ request_id, msg }) => request_id === requestId && msg === 'request');
    await until(() => find().length > 0, `a record of ${requestId}`);
    assert.equal(find().length, 1);
    return find()[0];
  };

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
    variant = await serveVariant(server.deps, { log });
  });

  after(async () => {
    await variant.stop();
    await server.stop();
  });

  it('has one record per request: who, what, how it ended', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { headers } = await variant.call('GET', '/api/v2/custom-nodes/User?secret=1', {
      token: admin.token,
      headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
    });
    const { ms, time, ...record } = (await recordOf(headers.get('x-request-id') ?? '')) ?? {};
    assert.ok(Number(ms) > 0, `it took ${ms} ms`);
    assert.ok(Math.abs(Number(time) - Date.now()) < 60_000, `it was written at ${time}`);
    assert.deepEqual(record, {
      level: 30,
      request_id: headers.get('x-request-id'),
      trace_id: trace,
      method: 'GET',
      path: '/api/v2/custom-nodes/User',
      status: 200,
      address: '127.0.0.1',
      caller: admin.id,
      msg: 'request',
    });
  });

  it('tells how long a request took, from its head to the last byte of its answer', async () => {
    await variant.call('GET', '/api/v2/self', { token: admin.token });
    const hold = await holdReads(server.deps);
    const connection = await RawConnection.open(variant.url);
    const sentAt = performance.now();
    connection.send(
      requestText('GET', '/api/v2/self', [
        ['Authorization', `Bearer ${admin.token}`],
        ['Expect', '100-continue'],
      ]),
    );
    assert.equal((await connection.read()).status, 100);
    const begunAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const heldMs = performance.now() - begunAt;
    await hold.release();
    const { status, headers } = await connection.read();
    assert.equal(status, 200);
    const ms = Number((await recordOf(headers['x-request-id']))?.ms);
    // 100 Continue is written just before the hooks run; the record is rounded.
    assert.ok(ms > heldMs - 10 && ms < performance.now() - sentAt + 1, `${ms} ms, held for ${heldMs}`);
    connection.close();
  });

  it('has a record of requests that are refused by the router', async () => {
    for (const [path, status] of [
      ['/%', 400],
      [`/api/v2/custom-nodes/${'x'.repeat(3000)}`, 404],
      ['/nothing', 404],
    ] as const) {
      const { headers } = await rawCall(variant, 'GET', path);
      const record = await recordOf(headers['x-request-id']);
      assert.equal(record?.status, status);
      assert.ok(String(record?.path).length <= 201);
    }
  });

  it('has the path alone of a request with a whole URL or a fragment', async () => {
    for (const target of ['http://name:password@host/health/live?a=b', '/health/live#fragment']) {
      const { headers } = await rawCall(variant, 'GET', target);
      assert.equal((await recordOf(headers['x-request-id']))?.path, '/health/live');
    }
  });

  it('has a record of a caller that went away before the answer', async () => {
    await variant.call('GET', '/api/v2/self', { token: admin.token });
    const hold = await holdReads(server.deps);
    const connection = await RawConnection.open(variant.url);
    const before = records.length;
    connection.send(
      requestText('GET', '/api/v2/self', [
        ['Authorization', `Bearer ${admin.token}`],
        ['Expect', '100-continue'],
      ]),
    );
    assert.equal((await connection.read()).status, 100);
    connection.close();
    await until(() => records.length > before, 'a record');
    assert.equal(records.at(-1)?.status, 499);
    await hold.release();
  });
});

const mark = 'MARKED-SECRET';
const password = `${mark}-Password-1`;

/** Requests with a mark wherever a caller may put a secret. */
function markedRequests(token: string): Parameters<typeof rawCall>[] {
  const server = { url: '' };
  const json = (text: string): [readonly [string, string][], string] => [
    [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(text.length)],
    ],
    text,
  ];
  const bearer: [string, string] = ['Authorization', `Bearer ${token}`];
  const login = (username: string, secret: string) =>
    json(JSON.stringify({ login_method: 'secret', username, secret }));
  return [
    [server, 'POST', '/api/v2/login', ...login('admin', password)],
    [server, 'POST', '/api/v2/login', ...login('admin', `${mark}-wrong`)],
    [server, 'POST', '/api/v2/login', ...login(`${mark}-as-name`, 'x')],
    [server, 'POST', `/api/v2/login?secret=${mark}`, ...json(`{"secret":"${mark}"`)],
    [server, 'POST', '/api/v2/login', ...json(`{"${mark}":1,"login_method":"${mark}"}`)],
    [server, 'GET', '/api/v2/self', [bearer]],
    [server, 'GET', '/api/v2/self', [['Authorization', `Bearer ${mark}`]]],
    [server, 'GET', '/api/v2/self', [['Authorization', `Basic ${mark}`]]],
    [server, 'GET', '/api/v2/self', [['Cookie', `token=${mark}`]]],
    [server, 'GET', `/api/v2/self?token=${mark}`, [bearer]],
    [server, 'GET', `/api/v2/nothing?token=${mark}`, [bearer]],
    [server, 'GET', `/health/live#${mark}`],
    [server, 'GET', `http://${mark}:${mark}@host/health/live`],
    [server, 'GET', `/%?token=${mark}`, [bearer]],
    [server, 'GET', '/health/ready', [['X-Api-Key', mark]]],
    [server, 'GET', '/health/ready', [['X-Request-Id', mark]]],
    [server, 'GET', '/health/ready', [['Traceparent', mark]]],
    [server, 'GET', '/health/ready', [['User-Agent', mark]]],
    [server, 'GET', '/health/ready', [['Referer', `https://x/?${mark}`]]],
    [server, 'GET', '/health/ready', [['Prefer', mark]]],
    [server, 'DELETE', `/api/v2/saml/providers/7?${mark}=${mark}`, [bearer]],
    [server, 'GET', `/api/v2/posture-history/findings?environments=${mark}`, [bearer]],
    [server, 'PATCH', `/api/v2/saml?${mark}`, [bearer]],
    [server, 'POST', '/api/v2/login', [['Content-Type', mark]], ''],
  ];
}

describe('the log of `kennel serve`', () => {
  it('has one JSON line per request, and no secret in any line', async () => {
    const { env, remove } = await temporaryStore();
    const main = fileURLToPath(new URL('../main.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), main, 'serve', '--json'], {
      env: {
        PATH: process.env.PATH,
        ...env,
        KENNEL_LOG_LEVEL: 'trace',
        KENNEL_LOG_FORMAT: 'json',
        KENNEL_ADMIN_PASSWORD: password,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const exited = once(child, 'close'); // by then all of the log has been read
    const ids: string[] = [];
    try {
      const [ready] = await Promise.race([
        once(child.stdout.setEncoding('utf8'), 'data'),
        exited.then(() => assert.fail(log)),
      ]);
      const { url } = JSON.parse(ready);
      const body = { login_method: 'secret', username: 'admin', secret: password };
      const signedIn = await call(url, 'POST', '/api/v2/login', { body });
      assert.equal(signedIn.status, 200);
      ids.push(signedIn.headers.get('x-request-id') ?? '');
      const token: string = signedIn.body.data.session_token;
      for (let round = 0; round < 9; round += 1) {
        for (const [, ...request] of markedRequests(token)) {
          const { headers } = await rawCall({ url }, ...request);
          ids.push(headers['x-request-id'] ?? '');
        }
      }
      child.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
      assert.ok(ids.length > 200);
      assert.ok(!log.includes(token), 'the token is in the log');
      if (env.DATABASE_URL !== undefined) assert.ok(!log.includes(new URL(env.DATABASE_URL).password));
    } finally {
      child.kill('SIGKILL');
      await exited;
      await remove();
    }
    const lines = log.trim().split('\n');
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    assert.deepEqual(requests.map(({ request_id }) => request_id).sort(), ids.sort());
    for (const line of lines) assert.ok(!line.includes(mark), line);
  });
});
