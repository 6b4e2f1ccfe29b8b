import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph } from '../../graph/store.ts';
import { insertCustomNode } from '../custom-nodes/index.ts';

describe('GET /api/v2/certtemplates/:object_id/published-to-cas?type=graph', () => {
  let server: TestServer;
  let reader: MadeUser;

  const get = (objectId: string, query = '', headers: Record<string, string> = {}) =>
    server.call('GET', `/api/v2/certtemplates/${objectId}/published-to-cas?type=graph${query}`, {
      token: reader.token,
      headers,
    });
  const idOf = async (objectId: string) => {
    const { graph } = server.deps;
    const row = await graph.one<{ id: number }>('select id from nodes where object_id = $1', [objectId]);
    assert.ok(row, objectId);
    return row.id;
  };
  const edgeId = async (start: string, end: string) => {
    const ends = [await idOf(start), await idOf(end)];
    const row = await server.deps.graph.one<{ id: number }>(
      'select id from edges where start_id = $1 and end_id = $2',
      ends,
    );
    assert.ok(row, `${start} to ${end}`);
    return row.id;
  };

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
    const icon = { type: 'font-awesome', name: 'vault', color: '#C0A060' } as const;
    await server.deps.db.transaction((db) => insertCustomNode(db, 'BackupVault', icon, server.now()));
    const nodes = [
      {
        objectId: 'TEMPLATE',
        kinds: ['CertTemplate', 'Base'],
        name: 'WEB@CORP.EXAMPLE',
        properties: { enabled: true, validityperiod: '2 years', ekus: ['1.3.6.1'] },
      },
      { objectId: 'LONELY', kinds: ['CertTemplate', 'Base'], name: 'LONELY@CORP.EXAMPLE' },
      { objectId: 'CA-ONE', kinds: ['EnterpriseCA', 'Base'], name: 'CA-ONE@CORP.EXAMPLE' },
      {
        objectId: 'CA-TIER-ZERO',
        kinds: ['Tag_Tier_Zero', 'EnterpriseCA', 'Base'],
        name: 'CA-TWO@CORP.EXAMPLE',
      },
      { objectId: 'CA-SHOWN', kinds: ['Base'], name: '', properties: { displayname: 'Shown so' } },
      { objectId: 'CA-STUB', kinds: ['Base'], name: '', properties: { displayname: 7 } },
      { objectId: 'CA-VAULT', kinds: ['BackupVault', 'EnterpriseCA'], name: 'VAULT' },
    ];
    const authorities = nodes.slice(2).map(({ objectId }) => objectId);
    const edges = authorities.map((end) => ({
      start: 'TEMPLATE',
      kind: 'PublishedTo',
      end,
      properties: end === 'CA-ONE' ? { isacl: false, lastseen: '2026-01-05T00:00:00Z' } : {},
    }));
    await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, server.now()));
  });

  after(() => server.stop());

  it('answers 200 with nodes by their number and relations by rel_ and theirs', async () => {
    const { status, body } = await get('template');
    assert.equal(status, 200);
    const ends = ['CA-ONE', 'CA-TIER-ZERO', 'CA-SHOWN', 'CA-STUB', 'CA-VAULT'];
    const nodeKeys = await Promise.all(['TEMPLATE', ...ends].map(async (end) => String(await idOf(end))));
    const edgeKeys = await Promise.all(ends.map(async (end) => `rel_${await edgeId('TEMPLATE', end)}`));
    assert.deepEqual(Object.keys(body).sort(), [...nodeKeys, ...edgeKeys].sort());
  });

  it('answers 200 with exactly the members of a node', async () => {
    const { body } = await get('TEMPLATE');
    const shape = { border: { color: 'black' }, size: 1 };
    const text = { backgroundColor: 'rgba(255,255,255,0.9)', fontSize: 14, center: true };
    assert.deepEqual(body[await idOf('TEMPLATE')], {
      ...shape,
      color: '#B153F3',
      fontIcon: { text: 'fas fa-id-card' },
      label: { ...text, text: 'WEB@CORP.EXAMPLE' },
      data: {
        objectid: 'TEMPLATE',
        name: 'WEB@CORP.EXAMPLE',
        enabled: true,
        validityperiod: '2 years',
        ekus: ['1.3.6.1'],
        nodetype: 'CertTemplate',
        kinds: ['Base', 'CertTemplate'],
        isTierZero: false,
      },
    });
    assert.deepEqual(body[await idOf('CA-TIER-ZERO')], {
      ...shape,
      color: '#4696E9',
      fontIcon: { text: 'fas fa-building' },
      label: { ...text, text: 'CA-TWO@CORP.EXAMPLE' },
      data: {
        objectid: 'CA-TIER-ZERO',
        name: 'CA-TWO@CORP.EXAMPLE',
        system_tags: 'admin_tier_0',
        nodetype: 'EnterpriseCA',
        kinds: ['Base', 'EnterpriseCA', 'Tag_Tier_Zero'],
        isTierZero: true,
        level: 0,
      },
    });
  });

  it('answers 200 with exactly the members of a relation', async () => {
    const { body } = await get('TEMPLATE');
    const id = await edgeId('TEMPLATE', 'CA-ONE');
    assert.deepEqual(body[`rel_${id}`], {
      id,
      color: '3a5464',
      data: { isacl: false, lastseen: '2026-01-05T00:00:00Z' },
      label: { text: 'PublishedTo' },
      end2: { arrow: true },
      id1: String(await idOf('TEMPLATE')),
      id2: String(await idOf('CA-ONE')),
    });
  });

  it('answers 200 with the display name, else the object id, of a node without a name', async () => {
    const { body } = await get('TEMPLATE');
    assert.equal(body[await idOf('CA-SHOWN')].label.text, 'Shown so');
    assert.equal(body[await idOf('CA-STUB')].label.text, 'CA-STUB');
  });

  it('answers 200 with the icon and colour of a registered kind', async () => {
    const node = (await get('TEMPLATE')).body[await idOf('CA-VAULT')];
    assert.equal(node.data.nodetype, 'BackupVault');
    assert.equal(node.color, '#C0A060');
    assert.equal(node.fontIcon.text, 'fas fa-vault');
  });

  it('answers 200 with an empty object for a template that is published nowhere', async () => {
    const { status, body } = await get('LONELY');
    assert.equal(status, 200);
    assert.deepEqual(body, {});
  });

  it('answers 200 with the whole graph whatever skip, limit and sort_by are', async () => {
    const { body } = await get('TEMPLATE');
    for (const query of ['&skip=3', '&limit=0', '&skip=1&limit=1', '&sort_by=-name']) {
      assert.deepEqual((await get('TEMPLATE', query)).body, body, query);
    }
  });

  it('answers 304 as long as nothing has changed', async () => {
    const etag = (await get('TEMPLATE')).headers.get('etag') ?? '';
    assert.equal((await get('TEMPLATE', '', { 'if-none-match': etag })).status, 304);
    assert.equal((await get('LONELY', '', { 'if-none-match': etag })).status, 200);
  });

  it('answers 400 to a sort_by that a list would refuse', async () => {
    const { status, body } = await get('TEMPLATE', '&sort_by=size');
    assert.equal(status, 400);
    assert.equal(body.errors[0].message, 'the specified column cannot be sorted: size');
  });
});
