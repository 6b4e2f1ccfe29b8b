import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type MadeUser, makeUser, sharedPassword } from '../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import { serveVariant } from '../../test/server/pipeline.ts';
import { RawConnection, rawCall, requestText } from '../../test/server/raw-http.ts';

const small = '/api/v2/custom-nodes/User';
const large = '/api/v2/openapi.json';

let server: TestServer;
let admin: MadeUser;
const get = (path: string, headers: Record<string, string> = {}) =>
  server.call('GET', path, { token: admin.token, headers });
const raw = (method: string, path: string, headers: Record<string, string> = {}) =>
  rawCall(server, method, path, [['Authorization', `Bearer ${admin.token}`], ...Object.entries(headers)]);

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});

after(() => server.stop());

describe('the validator of an answer (gap 1.11)', () => {
  it('is a weak ETag that stays the same while the answer does', async () => {
    const first = await get(small);
    assert.match(first.headers.get('etag') ?? '', /^W\/"[\w-]+"$/);
    assert.equal((await get(small)).headers.get('etag'), first.headers.get('etag'));
    assert.notEqual((await get('/api/v2/custom-nodes/Group')).headers.get('etag'), first.headers.get('etag'));
  });

  it('answers 304 without a body when it is the one that the caller has', async () => {
    const etag = (await get(small)).headers.get('etag') ?? '';
    const opaque = etag.replace('W/', '');
    for (const known of [etag, opaque, `"other", ${etag}`, `${opaque},W/"other"`, '*', ' * ']) {
      const { status, text, headers } = await raw('GET', small, { 'If-None-Match': known });
      assert.equal(status, 304, known);
      assert.equal(text, '');
      assert.equal(headers.etag, etag);
      assert.equal(headers['cache-control'], 'private, no-cache');
    }
  });

  it('answers 200 when it is another one', async () => {
    const etag = (await get(small)).headers.get('etag') ?? '';
    for (const other of [
      'W/"other"',
      etag.replace('W/"', 'W/"x'),
      etag.slice(0, -2),
      `w/${etag.slice(2)}`,
      '',
    ]) {
      assert.equal((await get(small, { 'if-none-match': other })).status, 200, other);
    }
  });

  it('has the headers of the answer that a 304 stands for', async () => {
    const whole = await get(large, { prefer: 'wait=5' });
    const etag = whole.headers.get('etag') ?? '';
    const { status, headers } = await get(large, { prefer: 'wait=5', 'if-none-match': etag });
    assert.equal(status, 304);
    for (const name of ['etag', 'vary', 'cache-control', 'preference-applied'])
      assert.equal(headers.get(name), whole.headers.get(name), name);
  });

  it('is absent where the answer depends on the present time', async () => {
    for (const path of [
      '/health/live',
      '/health/ready',
      '/api/v2/posture-history/findings?environments=x',
      '/api/v2/posture-history/findings?environments=x&start=2026-01-01T00:00:00Z',
    ]) {
      const { status, headers } = await get(path, { 'if-none-match': '*' });
      assert.equal(status, 200);
      assert.equal(headers.get('etag'), null, path);
    }
    const range = 'start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:00Z';
    const fixed = await get(`/api/v2/posture-history/findings?environments=x&${range}`);
    assert.notEqual(fixed.headers.get('etag'), null);
  });

  it('is absent from writes and errors', async () => {
    const body = { key: 'analysis.reconciliation', value: { enabled: true } };
    const headers = { 'if-none-match': '*' };
    const written = await server.call('PUT', '/api/v2/config', { token: admin.token, body, headers });
    assert.equal(written.status, 200);
    assert.equal(written.headers.get('etag'), null);
    const missing = await get('/api/v2/custom-nodes/Nothing', headers);
    assert.equal(missing.status, 404);
    assert.equal(missing.headers.get('etag'), null);
  });
});

describe('HEAD', () => {
  const changing = ['date', 'x-request-id', 'requestid'];
  const steady = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)));

  it('has the headers of GET and no body', async () => {
    for (const [path, headers] of [
      [small, {}],
      [large, {}],
      [large, { 'Accept-Encoding': 'gzip' }],
      ['/health/live', {}],
      ['/health/ready', { Prefer: 'wait=9' }],
      [small, { 'If-None-Match': '*' }],
      ['/api/v2/posture-history/findings', {}],
      ['/api/v2/nothing', {}],
    ] as [string, Record<string, string>][]) {
      const whole = await raw('GET', path, headers);
      const connection = await RawConnection.open(server.url);
      const sent = [['Authorization', `Bearer ${admin.token}`] as const, ...Object.entries(headers)];
      connection.send(requestText('HEAD', path, sent) + requestText('GET', '/health/live'));
      const head = await connection.read({ head: true });
      assert.equal(head.status, whole.status, path);
      // A body behind the head would be taken for the second answer.
      assert.deepEqual((await connection.read()).body, { status: 'live' });
      connection.close();
      assert.deepEqual(
        { ...steady(head.headers), 'content-length': 0 },
        { ...steady(whole.headers), 'content-length': 0 },
      );
    }
  });

  it('has the length of the GET', async () => {
    for (const path of [small, large]) {
      const whole = await raw('GET', path);
      assert.equal(Number(whole.headers['content-length']), whole.bytes.length);
      assert.equal((await raw('HEAD', path)).headers['content-length'], whole.headers['content-length']);
    }
  });

  it('needs what GET needs', async () => {
    assert.equal((await server.call('HEAD', small)).status, 401);
  });
});

describe('the compression of an answer', () => {
  const encodingOf = async (path: string, accepted?: string) => {
    const answer = await raw('GET', path, accepted === undefined ? {} : { 'Accept-Encoding': accepted });
    assert.equal(answer.status, 200);
    if (answer.headers['content-encoding'] === 'gzip') JSON.parse(gunzipSync(answer.bytes).toString());
    else assert.notEqual(answer.body, undefined);
    return answer.headers['content-encoding'];
  };

  it('is gzip where that is accepted', async () => {
    for (const accepted of ['gzip', 'GZIP', 'br, gzip;q=0.1', 'gzip;q=1.0', 'x-gzip', '*', 'br;q=1, *;q=0.1'])
      assert.equal(await encodingOf(large, accepted), 'gzip', accepted);
  });

  it('is left out where it is not', async () => {
    for (const accepted of [
      undefined,
      '',
      'br',
      'identity',
      'gzip;q=0',
      'gzip; q=0.000',
      '*;q=0',
      '*, gzip;q=0',
    ])
      assert.equal(await encodingOf(large, accepted), undefined, accepted);
  });

  it('is left out of small answers', async () => {
    assert.equal(await encodingOf(small, 'gzip'), undefined);
    assert.equal((await raw('GET', small)).headers.vary, undefined);
  });

  it('is told to caches, whether or not it was used', async () => {
    for (const accepted of ['gzip', 'identity'])
      assert.equal(
        (await raw('GET', large, { 'Accept-Encoding': accepted })).headers.vary,
        'accept-encoding',
      );
    const both = await raw('GET', large, { Prefer: 'wait=5' });
    assert.equal(both.headers.vary, 'prefer, accept-encoding');
  });
});

describe('the headers of every answer', () => {
  it('are 200 with UTF-8 JSON (gap 1.1)', async () => {
    const { status, headers } = await get(small);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('cache-control'), 'private, no-cache');
  });

  it('keep a token out of every cache', async () => {
    const body = { login_method: 'secret', username: admin.name, secret: sharedPassword };
    const { status, headers } = await server.call('POST', '/api/v2/login', { body });
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('etag'), null);
  });

  it('tell browsers to be careful, with errors too', async () => {
    for (const path of [
      small,
      '/health/live',
      '/api/v2/nothing',
      '/%',
      `/api/v2/custom-nodes/${'x'.repeat(3000)}`,
    ]) {
      const { headers } = await raw('GET', path);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.equal(headers['x-frame-options'], 'DENY');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
      assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'");
      assert.equal(headers['strict-transport-security'], undefined);
      assert.equal(headers['set-cookie'], undefined);
      assert.equal(headers.server, undefined);
    }
  });

  it('demand HTTPS where callers reach the server by it', async () => {
    const settings = { ...server.deps.settings, publicUrl: 'https://kennel.example' };
    const variant = await serveVariant(server.deps, { settings });
    const { headers } = await variant.call('GET', '/health/live');
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains');
    await variant.stop();
  });

  it('let no other origin in', async () => {
    const asked = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' };
    for (const [method, path] of [
      ['GET', small],
      ['OPTIONS', small],
      ['GET', '/nothing'],
      ['GET', '/api/docs/'],
    ] as const) {
      const { headers } = await raw(method, path, asked);
      const names = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(names, [], path);
    }
  });

  it('let the docs page run scripts of this server alone', async () => {
    const { status, headers } = await raw('GET', '/api/docs/');
    assert.equal(status, 200);
    assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*script-src 'self'; /);
  });
});
