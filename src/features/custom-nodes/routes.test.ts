import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertCustomNode } from './store.ts';

describe('GET /api/v2/custom-nodes/:kind_name', () => {
  let server: TestServer;
  let reader: MadeUser;
  const get = (kind: string, token = reader.token) =>
    server.call('GET', `/api/v2/custom-nodes/${kind}`, { token });

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
    await server.deps.db.transaction((db) =>
      insertCustomNode(db, 'Röhre/Ost', { type: 'font-awesome', name: 'pipe', color: '#ABC' }, server.now()),
    );
  });

  after(() => server.stop());

  it('answers 200 with a built-in kind, not wrapped in data', async () => {
    const { status, body } = await get('User');
    assert.equal(status, 200);
    assert.ok(Number.isInteger(body.id) && body.id > 0);
    assert.deepEqual(
      { ...body, id: 0 },
      {
        id: 0,
        kindName: 'User',
        config: { icon: { type: 'font-awesome', name: 'user', color: '#17E625' } },
      },
    );
  });

  it('answers 200 with a kind whose name is percent-encoded', async () => {
    const { status, body } = await get(encodeURIComponent('Röhre/Ost'));
    assert.equal(status, 200);
    assert.equal(body.kindName, 'Röhre/Ost');
  });

  it('answers 401 without a token', async () => {
    assert.equal((await server.call('GET', '/api/v2/custom-nodes/User')).status, 401);
  });

  it('answers 403 without the permission opengraph.Read', async () => {
    const uploader = await makeUser(server.deps, 'Upload-Only');
    const { status, body } = await get('User', uploader.token);
    assert.equal(status, 403);
    assert.equal(body.errors[0].message, 'this needs the permission opengraph.Read');
  });

  it('answers 404 for a kind that differs in case only (gap 7.1)', async () => {
    const { status, body } = await get('user');
    assert.equal(status, 404);
    assert.deepEqual(body.errors, [{ context: 'kind_name', message: 'there is no custom node kind "user"' }]);
  });

  it('answers 404 for names that a store could choke on', async () => {
    for (const kind of ['%00', '%F0%9F%90%95', "'%3B--", 'x'.repeat(2000)]) {
      assert.equal((await get(kind)).status, 404, kind);
    }
  });
});
