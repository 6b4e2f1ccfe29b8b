import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

let server: TestServer;
let token: string;

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
});
after(() => server.stop());

const call = (method: string, path: string, body: object) =>
  server.call(method, `/api/v2/asset-group-tags${path}`, { token, body });
const create = async (wish: object) => (await call('POST', '', wish)).body.data;

describe('/api/v2/asset-group-tags', () => {
  it('answers 201 and 200 to members that deployed clients send, which have no effect, and 400 to a label', async () => {
    const sent = { require_certify: true, analysis_enabled: false, glyph: 'star', tag: 'x', position: null };
    const made = await create({ name: 'Sent', type: 1, ...sent });
    assert.deepEqual(
      [made.position, made.require_certify, made.analysis_enabled, made.glyph],
      [2, false, true, null],
    );
    const changed = await call('PATCH', `/${made.id}`, { ...sent, type: 1, description: 'Words' });
    assert.deepEqual([changed.status, changed.body.data.position], [200, 2]);
    const label = await call('POST', '', { name: 'Label', type: 2, position: null });
    assert.deepEqual(
      [label.status, label.body.errors[0].message],
      [400, "type must be 1, a zone, but is 2: labels can't be made"],
    );
  });
});
