import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  askForToken,
  bearerOf,
  callSigned,
  type Registered,
  registerCollector,
} from '../../../test/collectors/collectors.ts';
import { auditRows, type MadeUser, makeSigningToken, makeUser } from '../../../test/server/builders.ts';
import { type Answer, startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { passingTime } from '../../../test/server/passing-time.ts';
import { serveVariant } from '../../../test/server/pipeline.ts';
import { Changes } from '../../changes.ts';

const pass = passingTime();

let server: TestServer;
let admin: MadeUser;
let client: Registered;
const url = '/api/v2/oauth/token';
const update = '/api/v2/clients/update';
const grant = { grant_type: 'client_credentials' };
const ask = (fields: Record<string, string> | string, headers?: Record<string, string>) =>
  askForToken(server, fields, headers);
const pair = () => ({ client_id: client.signing.id, client_secret: client.signing.key });
const basic = (id: string, key: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`,
});
const checkIn = (token: string, at: Pick<TestServer, 'call'> = server) =>
  at.call('PUT', update, { token, body: {} });

/** The envelope with RFC 6749's member beside the usual ones. */
function assertRefused(answer: Answer, status: number, error: string | undefined, message?: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(Object.keys(answer.body), [
    'http_status',
    'timestamp',
    'request_id',
    'errors',
    ...(error === undefined ? [] : ['error']),
  ]);
  assert.equal(answer.body.error, error);
  assert.equal(answer.body.http_status, status);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  if (message !== undefined) assert.match(answer.body.errors[0].message, message);
}

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());
beforeEach(async () => {
  client = await registerCollector(server, admin.token);
  await server.deps.db.transaction((db) => db.execute('delete from sign_in_attempts'));
});

// First, because its requests are signed: the clock of the server is still that of the test.
describe('the flag client_bearer_auth', () => {
  it('refuses Bearer tokens of collectors everywhere while it is off, and nothing else', async () => {
    const other = await serveVariant(server.deps, { changes: new Changes(server.deps.db) });
    const flags = await server.call('GET', '/api/v2/features?key=eq:client_bearer_auth', {
      token: admin.token,
    });
    const toggle = async () => {
      const path = `/api/v2/features/${flags.body.data[0].id}/toggle`;
      assert.equal((await server.call('PUT', path, { token: admin.token })).status, 200);
      pass(1000);
    };
    const bearer = await bearerOf(server, client.signing);
    const statuses = async () => [(await checkIn(bearer)).status, (await checkIn(bearer, other)).status];
    try {
      assert.deepEqual(await statuses(), [200, 200]);
      await toggle();
      assert.deepEqual(await statuses(), [401, 401]);
      for (const at of [server, other]) {
        const answer = await askForToken(at, { ...grant, ...pair() });
        assertRefused(answer, 400, 'unauthorized_client', /client_bearer_auth is off/);
        assert.equal((await callSigned(at, client.signing, 'PUT', update, {})).status, 200);
        assert.equal((await at.call('GET', '/api/v2/self', { token: admin.token })).status, 200);
      }
      await toggle();
      assert.deepEqual(await statuses(), [200, 200]);
    } finally {
      await other.stop();
    }
  });
});

describe('POST /api/v2/oauth/token', () => {
  it('answers 200 with a Bearer token of an hour', async () => {
    const answer = await ask({ ...grant, ...pair() });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const { access_token, ...rest } = answer.body;
    assert.deepEqual(rest, { token_type: 'bearer', expires_in: 3600 });
    assert.equal((await checkIn(access_token)).body.data.id, client.id);
    // With room for a slow machine: the clock goes on by itself too.
    server.advance(3_570_000);
    assert.equal((await checkIn(access_token)).status, 200);
    server.advance(31_000);
    assert.equal((await checkIn(access_token)).status, 401);
    // Not more than any collector may.
    const fresh = await bearerOf(server, client.signing);
    assert.equal((await server.call('GET', '/api/v2/clients', { token: fresh })).status, 403);
  });

  it('takes the pair as HTTP Basic, form-encoded or not, and the id in either case', async () => {
    const { id, key } = client.signing;
    const encoded = basic(encodeURIComponent(id), encodeURIComponent(key));
    for (const headers of [basic(id, key), encoded, basic(id.toUpperCase(), key)])
      assert.equal((await ask(grant, headers)).status, 200);
    // RFC 6749 wants parameters that are not known ignored.
    assert.equal(
      (await ask({ ...grant, client_id: id, scope: 'all', color: 'red' }, basic(id, key))).status,
      200,
    );
  });

  it('takes a key whose plus signs were not encoded', async () => {
    for (let tries = 0; tries < 20 && !client.signing.key.includes('+'); tries += 1)
      client = await registerCollector(server, admin.token);
    const { id, key } = client.signing;
    assert.ok(key.includes('+'));
    const body = `grant_type=client_credentials&client_id=${id}&client_secret=${key}`;
    assert.equal((await ask(body)).status, 200);
  });

  it('records a sign-in, and stamps the token', async () => {
    await ask({ ...grant, ...pair() });
    const [record] = await auditRows(server.deps);
    assert.deepEqual(
      [record?.action, record?.outcome, record?.actor_name, record?.fields],
      [
        'SignIn',
        'success',
        client.name,
        { method: 'client_credentials', client_id: client.id, client_name: client.name },
      ],
    );
    const { body } = await server.call('GET', `/api/v2/clients/${client.id}`, { token: admin.token });
    assert.notEqual(body.data.token.last_access, '0001-01-01T00:00:00Z');
  });

  it('answers 400 invalid_request for a form that is none, or that has too little or too much', async () => {
    const forms: [string | Record<string, string>, RegExp][] = [
      ['', /missing "grant_type"/],
      ['client_id=%zz', /not a valid application\/x-www-form-urlencoded form/],
      [grant, /client_id and client_secret are required/],
      [{ ...grant, client_id: client.signing.id }, /client_id and client_secret are required/],
      [`grant_type=client_credentials&${new URLSearchParams({ ...grant, ...pair() })}`, /more than once/],
      [{ ...grant, ...pair(), client_id: 'x'.repeat(101) }, /at most 100 bytes/],
    ];
    for (const [form, message] of forms) assertRefused(await ask(form), 400, 'invalid_request', message);
    const { id, key } = client.signing;
    for (const form of [pair(), { client_secret: key }, { client_id: 'another' }])
      assertRefused(await ask({ ...grant, ...form }, basic(id, key)), 400, 'invalid_request', /once/);
    assertRefused(await ask(grant, { prefer: 'x' }), 400, 'invalid_request');
  });

  it('answers 400 unsupported_grant_type', async () => {
    for (const grant_type of ['password', '', 'CLIENT_CREDENTIALS'])
      assertRefused(
        await ask({ ...pair(), grant_type }),
        400,
        'unsupported_grant_type',
        /must be client_cred/,
      );
  });

  it('answers 401 invalid_client for a wrong pair, and records it under the collector it was tried with', async () => {
    const { id, key } = client.signing;
    const user = await makeSigningToken(server.deps, { userId: admin.id });
    const wrong: [id: string, key: string, name: string | null][] = [
      [id, `${key}x`, client.name],
      [id, '', client.name],
      ['b7d0a3c4-3f0e-4b4e-9d0e-0c7f7f1f8f11', key, null],
      ['no uuid \0', key, null],
      [user.id, user.key, null],
    ];
    for (const [client_id, client_secret, name] of wrong) {
      const answer = await ask({ ...grant, client_id, client_secret });
      assertRefused(answer, 401, 'invalid_client', /^authentication is invalid$/);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic /);
      const [record] = await auditRows(server.deps);
      assert.deepEqual(
        [record?.action, record?.outcome, record?.fields],
        [
          'SignIn',
          'failure',
          { method: 'client_credentials', client_id: name && client.id, client_name: name },
        ],
      );
    }
    for (const authorization of ['Basic', 'Basic !', 'Bearer x', basic(id, 'x').authorization])
      assertRefused(await ask(grant, { authorization }), 401, 'invalid_client');
    assert.ok(!JSON.stringify(await auditRows(server.deps)).includes(key));
  });

  it('answers 401 after the key was replaced, or the collector deleted', async () => {
    const path = `/api/v2/clients/${client.id}`;
    const made = (await server.call('PUT', `${path}/token`, { token: admin.token })).body.data;
    assertRefused(await ask({ ...grant, ...pair() }), 401, 'invalid_client');
    assert.equal((await ask(grant, basic(made.id, made.key))).status, 200);
    await server.call('DELETE', path, { token: admin.token });
    assertRefused(await ask(grant, basic(made.id, made.key)), 401, 'invalid_client');
  });

  it('leaves no session of the old key behind, however a replacement and many requests meet', async () => {
    const path = `/api/v2/clients/${client.id}/token`;
    const asks = Array.from({ length: 6 }, () => ask({ ...grant, ...pair() }));
    const [replaced, ...answers] = await Promise.all([
      server.call('PUT', path, { token: admin.token }),
      ...asks,
    ]);
    assert.equal(replaced.status, 200);
    for (const { status, body } of answers) {
      assert.ok(status === 200 || status === 401, String(status));
      if (status === 200) assert.equal((await checkIn(body.access_token)).status, 401);
    }
  });

  it('answers 413 and 415 with the error member too', async () => {
    assertRefused(await ask(`grant_type=${'x'.repeat(1024 * 1024)}`), 413, 'invalid_request');
    const json = { body: JSON.stringify({ ...grant, ...pair() }) };
    for (const contentType of ['application/json', 'multipart/form-data; boundary=x'])
      assertRefused(
        await server.call('POST', url, { ...json, headers: { 'content-type': contentType } }),
        415,
        'invalid_request',
      );
    const charset = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
    assert.equal((await ask({ ...grant, ...pair() }, charset)).status, 200);
  });

  it('answers 429 after ten failures with one id, even with the right key, and not for another id', async () => {
    const { id } = client.signing;
    for (let failure = 0; failure < 10; failure += 1)
      assertRefused(await ask({ ...grant, client_id: id, client_secret: 'wrong' }), 401, 'invalid_client');
    const refused = await ask({ ...grant, ...pair() });
    assertRefused(refused, 429, undefined, /too many failed sign-ins/);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    client = await registerCollector(server, admin.token);
    for (let success = 0; success < 12; success += 1) await bearerOf(server, client.signing);
    server.advance(60_000);
    assert.equal((await ask(grant, basic(id, 'wrong'))).status, 401);
  });

  it('answers in the form of RFC 9457 where that is preferred', async () => {
    const answer = await ask(
      { ...grant, ...pair(), client_secret: 'x' },
      { accept: 'application/problem+json' },
    );
    assert.deepEqual([answer.status, answer.body.status, answer.body.error], [401, 401, 'invalid_client']);
  });
});
