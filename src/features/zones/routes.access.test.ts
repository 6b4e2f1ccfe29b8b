import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeClient, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

const url = '/api/v2/asset-group-tags';
let server: TestServer;

before(async () => {
  server = await startTestServer();
});
after(() => server.stop());

describe('who may see and change zones', () => {
  it('answers 401 without a token, 403 without the permission, and 200 to readers', async () => {
    const reader = await makeUser(server.deps, 'Read-Only');
    const outsiders = [await makeUser(server.deps, 'Upload-Only'), await makeClient(server.deps)];
    const writes = [
      ['POST', url],
      ['PATCH', `${url}/1`],
      ['DELETE', `${url}/1`],
      ['POST', `${url}/1/selectors`],
      ['PATCH', `${url}/1/selectors/1`],
      ['DELETE', `${url}/1/selectors/1`],
    ] as const;
    const reads = [url, `${url}/1`, `${url}/1/members`, `${url}/1/members/counts`, `${url}/1/selectors`];
    for (const path of reads) {
      assert.equal((await server.call('GET', path)).status, 401, path);
      assert.equal((await server.call('GET', path, { token: reader.token })).status, 200, path);
      for (const { token } of outsiders)
        assert.equal((await server.call('GET', path, { token })).status, 403, path);
    }
    for (const [method, path] of writes) {
      assert.equal((await server.call(method, path)).status, 401, path);
      const { status, body } = await server.call(method, path, { token: reader.token, body: {} });
      assert.equal(status, 403, path);
      assert.equal(body.errors[0].message, 'this needs the permission graphdb.Write');
    }
  });

  it('is the same in the community edition', async () => {
    const community = await startTestServer({ KENNEL_EDITION: 'community' });
    try {
      const { token } = await makeUser(community.deps);
      assert.equal((await community.call('GET', url, { token })).status, 200);
      assert.equal((await community.call('POST', url, { token, body: { name: 'X' } })).status, 201);
    } finally {
      await community.stop();
    }
  });
});
