import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.stop());

describe('GET /api/v2/dog-tags', () => {
  it('answers 200 with a flat list', async () => {
    const { token } = await makeUser(server.deps, 'Read-Only');
    const { status, body } = await server.call('GET', '/api/v2/dog-tags', { token });
    assert.equal(status, 200);
    assert.equal(body.data['privilege_zones.tier_limit'], 10);
    for (const value of Object.values(body.data)) assert.notEqual(typeof value, 'object');
  });
});

describe('PUT /api/v2/accept-eula', () => {
  it('answers 200 and changes nothing, also to GET', async () => {
    const { token } = await makeUser(server.deps, 'Read-Only');
    for (const method of ['PUT', 'GET']) {
      const answer = await server.call(method, '/api/v2/accept-eula', { token });
      assert.equal(answer.status, 200);
      assert.equal(answer.text, '');
    }
  });
});

describe('GET /api/v2/spec', () => {
  it('answers 200 with the document, without a token', async () => {
    const document = (await server.call('GET', '/api/v2/openapi.json')).body;
    assert.deepEqual((await server.call('GET', '/api/v2/spec')).body, document);
    const yaml = await server.call('GET', '/api/v2/spec/openapi.yaml');
    assert.equal(yaml.status, 200);
    assert.match(yaml.headers.get('content-type') ?? '', /^text\/x-yaml/);
    assert.ok(yaml.text.startsWith('openapi: "3.1.0"\n'));
    for (const path of Object.keys(document.paths)) assert.ok(yaml.text.includes(path), path);
  });
});

describe('GET /health', () => {
  it('answers 200 as /health/live does', async () => {
    const answer = await server.call('GET', '/health');
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, { status: 'live' });
  });
});
