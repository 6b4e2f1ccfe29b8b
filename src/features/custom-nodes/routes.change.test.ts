import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { insertGraph } from '../../graph/store.ts';

const url = '/api/v2/custom-nodes';
const vault = { icon: { type: 'font-awesome', name: 'vault', color: '#C0A060' } };
let server: TestServer;
let admin: MadeUser;
let serial = 0;

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());

const call = (method: string, path: string, body?: unknown, token = admin.token) =>
  server.call(method, url + path, { token, body });
const post = (customTypes: unknown) => call('POST', '', { custom_types: customTypes });
const freshKind = () => `Kind${++serial}`;
const icon = (changes: object = {}) => ({ icon: { type: 'font-awesome', name: 'vault', ...changes } });

async function makeKind(): Promise<string> {
  const kind = freshKind();
  assert.equal((await post({ [kind]: vault })).status, 201);
  return kind;
}

/** Neither a row nor a record may be the result. */
async function assertNothingChanged(attempt: () => Promise<unknown>): Promise<void> {
  const state = async () => [(await call('GET', '')).body, (await auditRows(server.deps)).length];
  const before = await state();
  await attempt();
  assert.deepEqual(await state(), before);
}

describe('PUT /api/v2/custom-nodes/:kind_name', () => {
  const config = { icon: { type: 'font-awesome', name: 'print', color: '#123' } };
  const put = (kind: string, body: unknown = { config }) => call('PUT', `/${kind}`, body);

  it('answers 200 with the kind as it is then, not wrapped in data, and records what changed', async () => {
    const kind = await makeKind();
    const { status, body } = await put(kind);
    assert.equal(status, 200);
    assert.deepEqual(body, { id: body.id, kindName: kind, config });
    assert.deepEqual((await call('GET', `/${kind}`)).body, body);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'UpdateCustomNodeKind');
    assert.deepEqual(record?.fields, {
      id: body.id,
      kind,
      name: { before: 'vault', after: 'print' },
      color: { before: '#C0A060', after: '#123' },
    });
  });

  it('answers 400 for a bad icon, before it looks for the kind', async () => {
    await assertNothingChanged(async () => {
      const answer = await put('NoSuchKind', { config: icon({ name: 'fa-nothing', color: '#12' }) });
      assert.deepEqual(assertEnvelope(answer, 400), [
        {
          context: 'config.icon.name',
          message: 'icon name "fa-nothing" has the prefix fa-: leave the prefix out',
        },
        { context: 'config.icon.color', message: 'icon color must be #RGB or #RRGGBB, but is "#12"' },
      ]);
      assertEnvelope(await put('NoSuchKind', vault), 400);
    });
  });

  it('answers 403 without the permission opengraph.Write', async () => {
    const { token } = await makeUser(server.deps, 'Read-Only');
    assertEnvelope(await call('PUT', '/User', { config }, token), 403);
  });

  it('answers 404 for a kind that there is not, and for one in another case', async () => {
    const kind = await makeKind();
    for (const name of ['NoSuchKind', kind.toLowerCase()])
      assert.equal(assertEnvelope(await put(name), 404)[0]?.context, 'kind_name');
  });

  it('answers 409 for a built-in kind', async () => {
    await assertNothingChanged(async () => {
      const [problem] = assertEnvelope(await put('User'), 409);
      assert.equal(problem?.message, 'the kind "User" is built in: it can\'t be changed or deleted');
    });
  });
});

describe('DELETE /api/v2/custom-nodes/:kind_name', () => {
  it('answers 200 with what was deleted, then 404, and records it', async () => {
    const kind = await makeKind();
    const { body: node } = await call('GET', `/${kind}`);
    const { status, body } = await call('DELETE', `/${kind}`);
    assert.equal(status, 200);
    assert.deepEqual(body, { data: node });
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'DeleteCustomNodeKind');
    assert.deepEqual(record?.fields, { id: node.id, kind, config: vault });
    assertEnvelope(await call('DELETE', `/${kind}`), 404);
    assertEnvelope(await call('GET', `/${kind}`), 404);
    const again = await post({ [kind]: vault });
    assert.ok(again.body.data[0].id > node.id, 'an id is never used twice');
  });

  it('answers 403 without the permission opengraph.Write', async () => {
    const { token } = await makeUser(server.deps, 'Power User');
    assertEnvelope(await call('DELETE', '/User', undefined, token), 403);
  });

  it('answers 409 for a built-in kind', async () => {
    await assertNothingChanged(async () => {
      for (const kind of ['User', 'AZTenant']) assertEnvelope(await call('DELETE', `/${kind}`), 409);
    });
  });
});

describe('a change of a custom node kind', () => {
  it('is seen in the graph of a template at once', async () => {
    const kind = freshKind();
    const nodes = [
      { objectId: 'T', kinds: ['CertTemplate', 'Base'], name: 'T' },
      { objectId: 'CA', kinds: [kind, 'EnterpriseCA'], name: 'CA' },
    ];
    const edge = { start: 'T', kind: 'PublishedTo', end: 'CA', properties: {} };
    await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, [edge], server.now()));
    const shown = async () => {
      const path = '/api/v2/certtemplates/T/published-to-cas?type=graph';
      const { body } = await server.call('GET', path, { token: admin.token });
      return JSON.stringify(body);
    };
    assert.ok(!(await shown()).includes('#0A0B0C'));
    await post({ [kind]: icon({ color: '#0A0B0C' }) });
    assert.ok((await shown()).includes('#0A0B0C'));
    await call('PUT', `/${kind}`, { config: icon({ color: '#0D0E0F' }) });
    assert.ok((await shown()).includes('#0D0E0F'));
    await call('DELETE', `/${kind}`);
    assert.ok(!(await shown()).includes('#0D0E0F'));
  });
});
