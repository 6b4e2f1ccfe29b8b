import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type MadeUser, makeClient, makeToken, makeUser } from '../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import { assertEnvelope, countingReads, serveVariant, type Variant } from '../../test/server/pipeline.ts';

const url = '/api/v2/custom-nodes/User';

describe('KENNEL_RATE_LIMIT=5 (gap 1.3)', () => {
  let server: TestServer;
  let limited: Variant;
  let admin: MadeUser;
  /** The server's clock stands still unless a test moves it. */
  let now: number;
  const ask = (user: MadeUser, path = url) => limited.call('GET', path, { token: user.token });
  const exhaust = async (user: MadeUser) => {
    for (let count = 1; count <= 5; count += 1) assert.equal((await ask(user)).status, 200);
  };

  before(async () => {
    server = await startTestServer({ KENNEL_RATE_LIMIT: '5' });
    admin = await makeUser(server.deps);
    now = server.now();
    limited = await serveVariant(server.deps, { clock: () => now });
  });

  beforeEach(() => {
    now += 1000;
  });

  after(async () => {
    await limited.stop();
    await server.stop();
  });

  it('tells a caller where it stands', async () => {
    for (const left of [4, 3, 2, 1, 0]) {
      const { status, headers } = await ask(admin);
      assert.equal(status, 200);
      assert.equal(headers.get('ratelimit-policy'), '"default";q=5;w=1');
      assert.equal(headers.get('ratelimit'), `"default";r=${left};t=1`);
    }
  });

  it('answers 429 with Retry-After to the sixth request of a second', async () => {
    await exhaust(admin);
    const answer = await ask(admin);
    assert.deepEqual(assertEnvelope(answer, 429), [
      { context: 'GetCustomNode', message: 'more than 5 requests in one second' },
    ]);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal(answer.headers.get('ratelimit'), '"default";r=0;t=1');
  });

  it('answers 200 again in the next second', async () => {
    await exhaust(admin);
    assert.equal((await ask(admin)).status, 429);
    now += 1000;
    assert.equal((await ask(admin)).status, 200);
  });

  it('counts every caller alone, whatever the operation', async () => {
    const other = await makeUser(server.deps);
    await exhaust(admin);
    assert.equal((await ask(admin, '/api/v2/saml')).status, 429);
    assert.equal((await ask(other)).status, 200);
  });

  it('counts all sessions of a caller together', async () => {
    await exhaust(admin);
    const token = await makeToken(server.deps, 'user', admin.id);
    assert.equal((await ask({ ...admin, token })).status, 429);
  });

  it('counts public operations by address', async () => {
    await exhaust(admin);
    const statuses: number[] = [];
    for (let count = 1; count <= 6; count += 1)
      statuses.push((await limited.call('GET', '/api/v2/openapi.json')).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  });

  it('believes no X-Forwarded-For unless a proxy is trusted', async () => {
    for (let count = 1; count <= 5; count += 1) {
      const headers = { 'x-forwarded-for': `10.0.0.${count}` };
      assert.equal((await limited.call('GET', '/api/v2/openapi.json', { headers })).status, 200);
    }
    const headers = { 'x-forwarded-for': '10.0.0.6' };
    assert.equal((await limited.call('GET', '/api/v2/openapi.json', { headers })).status, 429);
  });

  it('comes after 403, which does not count', async () => {
    const powerless = await makeUser(server.deps, 'Upload-Only');
    for (let count = 1; count <= 7; count += 1) assertEnvelope(await ask(powerless), 403);
    assert.equal((await ask(powerless, '/api/v2/self')).status, 200);
  });

  const unknownToken = '5f3c9b1e-4c4f-4f0c-9a57-0d7c1b0e6f11';
  const signed = {
    authorization: `bhesignature ${unknownToken}`,
    signature: 'AAAA',
    requestdate: '2026-01-05T08:00:00Z',
  };
  const strangers: Record<string, [status: number, path: string, headers?: Record<string, string>]> = {
    'a missing token': [401, url],
    'a token that is none': [401, url, { authorization: 'Bearer nonsense' }],
    'an unknown token id': [401, url, signed],
    'a path that is none': [404, '/api/v2/nothing'],
    'a method that is none': [405, '/api/v2/saml/sso'],
    'the docs page': [200, '/api/docs/'],
  };
  for (const [what, [status, path, headers = {}]] of Object.entries(strangers)) {
    it(`counts ${what} against the address`, async () => {
      const method = status === 405 ? 'DELETE' : 'GET';
      for (let count = 1; count <= 5; count += 1)
        assert.equal((await limited.call(method, path, { headers })).status, status);
      const answer = await limited.call(method, path, { headers });
      assert.equal(answer.status, 429);
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.equal((await limited.call('GET', '/api/v2/openapi.json')).status, 429);
    });
  }

  it('asks the store nothing for an unknown token id once the address has used up its second', async () => {
    const { deps, asked } = countingReads(server.deps);
    const counted = await serveVariant(deps, { clock: () => now });
    after(() => counted.stop());
    for (let count = 1; count <= 5; count += 1)
      assert.equal((await counted.call('GET', url, { headers: signed })).status, 401);
    const before = asked();
    assert.ok(before > 0);
    for (let count = 1; count <= 5; count += 1)
      assert.equal((await counted.call('GET', url, { headers: signed })).status, 429);
    assert.equal(asked(), before);
  });

  it('lets those through who were known at this address before', async () => {
    const newcomer = await makeUser(server.deps);
    const collector = await makeClient(server.deps);
    const end = () => limited.call('POST', '/api/v2/jobs/end', { token: collector.token });
    assert.equal((await ask(admin)).status, 200);
    assert.equal((await end()).status, 404);
    now += 1000;
    for (let count = 1; count <= 6; count += 1) await limited.call('GET', '/api/v2/nothing');
    assert.equal((await ask(newcomer)).status, 429);
    assert.equal((await ask(admin)).status, 200);
    assert.equal((await end()).status, 404);
  });

  it('answers 503 and not 429 to a collector that was not known there before', async () => {
    const collector = await makeClient(server.deps);
    for (let count = 1; count <= 6; count += 1) await limited.call('GET', '/api/v2/nothing');
    const answer = await limited.call('POST', '/api/v2/jobs/end', { token: collector.token });
    assertEnvelope(answer, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
  });

  it('comes before 400', async () => {
    await exhaust(admin);
    assertEnvelope(await ask(admin, '/api/v2/posture-history/nonsense'), 429);
  });

  it("leaves the collectors' own operations and the probes alone", async () => {
    const collector = await makeClient(server.deps);
    for (let count = 1; count <= 7; count += 1) {
      const ended = await limited.call('POST', '/api/v2/jobs/end', { token: collector.token });
      assert.equal(ended.status, 404);
      assert.equal(ended.headers.get('ratelimit'), null);
      assert.equal((await limited.call('GET', '/health/live')).status, 200);
    }
  });
});

describe('without KENNEL_RATE_LIMIT', () => {
  it('there is no limit on loopback', async () => {
    const server = await startTestServer();
    const { headers } = await server.call('GET', '/api/v2/openapi.json');
    assert.equal(server.deps.settings.rateLimit, 0);
    assert.equal(headers.get('ratelimit'), null);
    assert.equal(headers.get('ratelimit-policy'), null);
    await server.stop();
  });
});
