import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { prepareStores } from '../../bootstrap.ts';
import { parameters } from './parameters.ts';

describe('GET /api/v2/config', () => {
  let server: TestServer;
  let reader: MadeUser;
  const get = (query = '', token = reader.token) => server.call('GET', `/api/v2/config${query}`, { token });

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
  });
  after(() => server.stop());

  it('answers 200 with every parameter as it is, by key', async () => {
    const { status, body, headers } = await get();
    assert.equal(status, 200);
    assert.ok(headers.get('etag'));
    const declared = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
    assert.deepEqual(
      body.data.map(({ key, name, description, value }: Record<string, unknown>) => ({
        key,
        name,
        description,
        value,
      })),
      declared.map(([key, { name, description, defaultValue }]) => ({
        key,
        name,
        description,
        value: defaultValue,
      })),
    );
    assert.deepEqual(body.data[0].deleted_at, { Time: '0001-01-01T00:00:00Z', Valid: false });
  });

  it('answers 200 with what was written, under the same id', async () => {
    const admin = await makeUser(server.deps);
    const before = (await get('?parameter=eq:prune.ttl')).body.data[0];
    const value = { base_ttl: 'P8D', has_session_edge_ttl: 'P2D' };
    server.advance(60_000);
    await server.call('PUT', '/api/v2/config', { token: admin.token, body: { key: 'prune.ttl', value } });
    const after = (await get('?parameter=eq:prune.ttl')).body.data[0];
    assert.deepEqual(after, { ...before, value, updated_at: after.updated_at });
    assert.ok(Date.parse(after.updated_at) > Date.parse(before.updated_at));
  });

  it('answers 200 with the one parameter that is asked for, protected or not, with and without eq', async () => {
    for (const key of Object.keys(parameters)) {
      for (const parameter of [`eq:${key}`, key]) {
        const { body } = await get(`?parameter=${parameter}`);
        assert.deepEqual(
          body.data.map((row: { key: string }) => row.key),
          [key],
        );
      }
    }
  });

  it('answers 200 with an id that outlives a restart', async () => {
    const ids = async () => (await get('?sort_by=id')).body.data.map((row: { id: number }) => row.id);
    const before = await ids();
    assert.equal(new Set(before).size, Object.keys(parameters).length);
    const { db, graph, settings } = server.deps;
    await db.transaction((db) => db.execute(`update instance_facts set value = 'older' where name = 'seed'`));
    await prepareStores({ db, graph, close: async () => {} }, settings, server.now());
    assert.deepEqual(await ids(), before);
  });

  it('answers 400 for a key that there is not, and says which there are', async () => {
    for (const key of ['neo4j.configuration', 'PRUNE.TTL', '', 'constructor', '__proto__', "x' or '1'='1"]) {
      const [problem] = assertEnvelope(await get(`?parameter=eq:${encodeURIComponent(key)}`), 400);
      assert.equal(problem?.context, 'parameter');
      assert.ok(
        problem?.message.startsWith(`there is no configuration parameter ${JSON.stringify(key)}: the`),
      );
      assert.ok(problem?.message.includes('prune.ttl'));
    }
  });

  it('answers 400 for another predicate, a repeated parameter and an unknown column', async () => {
    const wrong: [query: string, problem: RegExp][] = [
      ['parameter=neq:prune.ttl', /^parameter takes eq:<key> alone, not "neq"$/],
      ['parameter=~eq:prune', /^parameter takes eq:<key> alone, not "~eq"$/],
      ['parameter=prune.ttl&parameter=prune.ttl', /^parameter is given 2 times/],
      ['name=eq:Reconciliation', /^the specified column cannot be filtered: "name"/],
    ];
    for (const [query, problem] of wrong)
      assert.match(assertEnvelope(await get(`?${query}`), 400)[0]?.message ?? '', problem);
  });

  it('answers 403 without the permission app.ReadAppConfig', async () => {
    const uploader = await makeUser(server.deps, 'Upload-Only');
    assertEnvelope(await get('', uploader.token), 403);
  });
});
