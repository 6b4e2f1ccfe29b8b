import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { builtInKinds } from '../../graph/kinds.ts';
import { fontAwesomeIcons, isFontAwesomeIcon } from './font-awesome-icons.ts';

describe('GET /api/v2/custom-nodes/icons', () => {
  const url = '/api/v2/custom-nodes/icons';
  let server: TestServer;
  let token: string;

  before(async () => {
    server = await startTestServer();
    token = (await makeUser(server.deps, 'Read-Only')).token;
  });
  after(() => server.stop());

  it('answers 200 with the names, and 304 to who has them', async () => {
    const { status, body, headers } = await server.call('GET', url, { token });
    assert.equal(status, 200);
    assert.deepEqual(body, { data: fontAwesomeIcons });
    const etag = headers.get('etag') ?? '';
    assert.match(etag, /^W\//);
    const again = await server.call('GET', url, { token, headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
  });

  it('answers 403 without the permission opengraph.Read', async () => {
    const uploader = await makeUser(server.deps, 'Upload-Only');
    assertEnvelope(await server.call('GET', url, { token: uploader.token }), 403);
  });

  it('answers 405 to what only a kind takes', async () => {
    for (const method of ['PUT', 'DELETE', 'POST'])
      assert.equal((await server.call(method, url, { token })).headers.get('allow'), 'GET, HEAD', method);
  });
});

describe('the icon names', () => {
  it('are sorted, each once, and plain', () => {
    assert.deepEqual(fontAwesomeIcons, [...new Set(fontAwesomeIcons)].sort());
    assert.equal(fontAwesomeIcons.length, 2001);
    for (const name of fontAwesomeIcons) assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.ok(!fontAwesomeIcons.some((name) => name.startsWith('fa-')));
  });

  it('have those of every built-in kind', () => {
    for (const [kind, { name }] of builtInKinds) assert.ok(isFontAwesomeIcon(name), kind);
  });
});
