import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeClient, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope, serveVariant } from '../../../test/server/pipeline.ts';
import { version } from '../../version.ts';

describe('GET /api/version', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('answers 200 to everybody who is signed in', async () => {
    const callers = [await makeUser(server.deps, 'Upload-Only'), await makeClient(server.deps)];
    for (const { token } of callers) {
      const { status, body } = await server.call('GET', '/api/version', { token });
      assert.equal(status, 200);
      assert.deepEqual(body, {
        data: {
          API: { current_version: 'v2', deprecated_version: 'none' },
          server_version: `v${version}`,
          product_edition: 'enterprise',
        },
      });
    }
  });

  it('answers 200 with the edition that is served', async () => {
    const { token } = await makeUser(server.deps);
    const settings = { ...server.deps.settings, edition: 'community' as const };
    const community = await serveVariant(server.deps, { settings });
    try {
      const { body } = await community.call('GET', '/api/version', { token });
      assert.equal(body.data.product_edition, 'community');
    } finally {
      await community.stop();
    }
  });

  it('answers 401 without a token, and 405 to POST', async () => {
    assertEnvelope(await server.call('GET', '/api/version'), 401);
    assert.equal((await server.call('POST', '/api/version')).headers.get('allow'), 'GET, HEAD');
  });
});
