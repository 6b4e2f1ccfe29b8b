import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, store, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph } from '../../graph/store.ts';
import { environmentList } from './store.ts';

describe('GET /api/v2/available-domains', () => {
  let server: TestServer;
  let reader: MadeUser;

  const get = (query = '') =>
    server.call('GET', `/api/v2/available-domains${query}`, { token: reader.token });
  const idsOf = async (query: string) =>
    (await get(query)).body.data.map(({ id }: { id: string }) => id) as string[];

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
  });
  after(() => server.stop());

  it('answers 200 with nothing while the graph is empty', async () => {
    const { status, body } = await get();
    assert.equal(status, 200);
    assert.deepEqual(body, { data: [] });
  });

  if (store === 'sqlite') {
    it('finds them by the lists of kinds, not by looking at every node', async () => {
      const { select, from } = environmentList;
      const rows = await server.deps.graph.query<{ detail: string }>(
        `explain query plan select ${select} from ${from}`,
      );
      const plan = rows.map(({ detail }) => detail).join('\n');
      assert.match(plan, /SEARCH n USING INDEX nodes_kind_list/);
      assert.doesNotMatch(plan, /SCAN n\b/);
    });
  }

  describe('with a graph', () => {
    before(async () => {
      const nodes = [
        {
          objectId: 'S-1-5-21-1',
          kinds: ['Domain', 'Base'],
          name: 'CORP.EXAMPLE',
          properties: { collected: true },
        },
        { objectId: 'S-1-5-21-2', kinds: ['Tag_Tier_Zero', 'Domain', 'Base'], name: 'TRUSTED.EXAMPLE' },
        {
          objectId: 'S-1-5-21-3',
          kinds: ['Base', 'Domain'],
          name: 'SAID.EXAMPLE',
          properties: { collected: false, description: 'it says "collected":true' },
        },
        {
          objectId: 'TENANT-1',
          kinds: ['AZTenant', 'AZBase'],
          name: 'CONTOSO',
          properties: { collected: true },
        },
        // None of these is an environment.
        {
          objectId: 'USER-1',
          kinds: ['User', 'Base'],
          name: 'DOMAIN@CORP.EXAMPLE',
          properties: { collected: true },
        },
        { objectId: 'OTHER-1', kinds: ['domain', 'DomainController'], name: 'LOWER CASE' },
        { objectId: 'OTHER-2', kinds: ['A"Domain"', 'Quoted'], name: 'QUOTES' },
      ];
      await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, [], server.now()));
    });

    it('answers 200 with domains and tenants by name, and nothing else', async () => {
      assert.deepEqual((await get()).body.data, [
        { type: 'azure', name: 'CONTOSO', id: 'TENANT-1', collected: true },
        { type: 'active-directory', name: 'CORP.EXAMPLE', id: 'S-1-5-21-1', collected: true },
        { type: 'active-directory', name: 'SAID.EXAMPLE', id: 'S-1-5-21-3', collected: false },
        { type: 'active-directory', name: 'TRUSTED.EXAMPLE', id: 'S-1-5-21-2', collected: false },
      ]);
    });

    it('answers 200 with what the filters leave, in the order that is asked for', async () => {
      assert.deepEqual(await idsOf('?collected=eq:true'), ['TENANT-1', 'S-1-5-21-1']);
      assert.deepEqual(await idsOf('?collected=false&sort_by=id'), ['S-1-5-21-2', 'S-1-5-21-3']);
      assert.deepEqual(await idsOf('?type=eq:azure'), ['TENANT-1']);
      assert.deepEqual(await idsOf('?name=~eq:example&type=neq:azure&sort_by=-name'), [
        'S-1-5-21-2',
        'S-1-5-21-3',
        'S-1-5-21-1',
      ]);
      assert.deepEqual(await idsOf('?id=eq:S-1-5-21-3'), ['S-1-5-21-3']);
      assert.deepEqual(await idsOf('?sort_by=-collected&limit=1&skip=1'), ['TENANT-1']);
    });

    it('answers 400 for a column that it has not', async () => {
      const { status, body } = await get('?exposure=eq:1');
      assert.equal(status, 400);
      assert.match(body.errors[0].message, /choose from id, name, type, collected/);
    });
  });

  it('answers 403 without the permission', async () => {
    const { token } = await makeUser(server.deps, 'Upload-Only');
    assert.equal((await server.call('GET', '/api/v2/available-domains', { token })).status, 403);
  });
});
