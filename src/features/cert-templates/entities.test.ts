import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph } from '../../graph/store.ts';

let server: TestServer;
let reader: MadeUser;

const get = (path: string, token = reader.token) => server.call('GET', `/api/v2/${path}`, { token });

before(async () => {
  server = await startTestServer();
  reader = await makeUser(server.deps, 'Read-Only');
  const nodes = [
    {
      objectId: 'T-WEB',
      kinds: ['CertTemplate', 'Base'],
      name: 'WEB@CORP.EXAMPLE',
      properties: { ekus: ['1.3.6.1'], schemaversion: 2 },
    },
    { objectId: 'T-VPN', kinds: ['CertTemplate', 'Base'], name: 'VPN@CORP.EXAMPLE' },
    { objectId: 'CA-ONE', kinds: ['EnterpriseCA', 'Base'], name: 'ONE@CORP.EXAMPLE' },
    { objectId: 'CA-NONE', kinds: ['Tag_Tier_Zero', 'EnterpriseCA', 'Base'], name: 'NONE@CORP.EXAMPLE' },
    { objectId: 'G-1', kinds: ['Group', 'Base'], name: 'ADMINS@CORP.EXAMPLE' },
    { objectId: 'U-1', kinds: ['User', 'Base'], name: 'ADA@CORP.EXAMPLE' },
    { objectId: 'C-1', kinds: ['Computer', 'Base'], name: 'CA.CORP.EXAMPLE' },
  ];
  const edges = [
    { start: 'T-WEB', kind: 'PublishedTo', end: 'CA-ONE', properties: { isacl: false } },
    { start: 'T-VPN', kind: 'PublishedTo', end: 'CA-ONE', properties: { isacl: false } },
    { start: 'G-1', kind: 'GenericAll', end: 'CA-ONE', properties: { isacl: true, isinherited: false } },
    { start: 'G-1', kind: 'WriteDacl', end: 'CA-ONE', properties: { isacl: true } },
    { start: 'U-1', kind: 'Enroll', end: 'CA-ONE', properties: { isacl: true } },
    { start: 'C-1', kind: 'HostsCAService', end: 'CA-ONE', properties: { isacl: false } },
    { start: 'G-1', kind: 'Enroll', end: 'T-WEB', properties: { isacl: true } },
  ];
  await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, server.now()));
});
after(() => server.stop());

describe('GET /api/v2/certtemplates/:object_id', () => {
  it('answers 200 with kinds, properties and counts, whatever the case of the id', async () => {
    const { status, body } = await get('certtemplates/t-web');
    assert.equal(status, 200);
    const { lastseen, ...props } = body.data.props;
    assert.equal(Date.parse(lastseen) > 0, true);
    assert.deepEqual(
      { ...body.data, props },
      {
        kinds: ['Base', 'CertTemplate'],
        props: { objectid: 'T-WEB', name: 'WEB@CORP.EXAMPLE', ekus: ['1.3.6.1'], schemaversion: 2 },
        published_to_cas: 1,
        controllers: 1,
      },
    );
  });

  it('answers 200 without counts where none are wanted', async () => {
    const { body } = await get('certtemplates/T-WEB?counts=false');
    assert.deepEqual(Object.keys(body.data).sort(), ['kinds', 'props']);
  });

  it('answers 400 for a wish that is neither true nor false', async () => {
    assert.equal((await get('certtemplates/T-WEB?counts=yes')).status, 400);
  });

  it('answers 404 for an unknown id and for another kind', async () => {
    for (const id of ['NOBODY', 'CA-ONE', 'U-1']) {
      const { status, body } = await get(`certtemplates/${id}`);
      assert.equal(status, 404);
      assert.equal(body.errors[0].message, `there is no certificate template with the object id "${id}"`);
    }
  });
});

describe('GET /api/v2/enterprisecas/:object_id', () => {
  it('answers 200 with counts: principals with rights count once each, other relations do not', async () => {
    const { status, body } = await get('enterprisecas/ca-one');
    assert.equal(status, 200);
    const { published_templates, controllers, kinds, props } = body.data;
    assert.deepEqual([published_templates, controllers, kinds], [2, 2, ['Base', 'EnterpriseCA']]);
    assert.equal(props.objectid, 'CA-ONE');
    const { data } = (await get('enterprisecas/CA-NONE')).body;
    assert.deepEqual([data.published_templates, data.controllers], [0, 0]);
    assert.deepEqual(data.kinds, ['Base', 'EnterpriseCA', 'Tag_Tier_Zero']);
  });

  it('answers 404 for an unknown id and for another kind', async () => {
    for (const id of ['NOBODY', 'T-WEB']) {
      const { status, body } = await get(`enterprisecas/${id}`);
      assert.equal(status, 404);
      assert.equal(
        body.errors[0].message,
        `there is no enterprise certificate authority with the object id "${id}"`,
      );
    }
  });
});

describe('GET /api/v2/enterprisecas/:object_id/published-templates', () => {
  const list = (query = '') => get(`enterprisecas/ca-one/published-templates${query}`);

  it('answers 200 with templates by name, sorted and paged like the other direction', async () => {
    const entry = (objectID: string, name: string) => ({
      objectID,
      name,
      label: 'CertTemplate',
      kinds: ['Base', 'CertTemplate'],
    });
    const both = [entry('T-VPN', 'VPN@CORP.EXAMPLE'), entry('T-WEB', 'WEB@CORP.EXAMPLE')];
    assert.deepEqual((await list()).body, { count: 2, skip: 0, limit: 10, data: both });
    assert.deepEqual((await list('?sort_by=-objectID&limit=1')).body, {
      count: 2,
      skip: 0,
      limit: 1,
      data: [both[1]],
    });
    assert.deepEqual((await list('?skip=2')).body, { count: 2, skip: 2, limit: 10, data: [] });
  });

  it('answers 200 with no entries where nothing is published', async () => {
    const { body } = await get('enterprisecas/CA-NONE/published-templates');
    assert.deepEqual(body, { count: 0, skip: 0, limit: 10, data: [] });
    assert.deepEqual((await get('enterprisecas/CA-NONE/published-templates?type=graph')).body, {});
  });

  it('answers 200 with relations that go from template to authority for type=graph', async () => {
    const { body } = await list('?type=graph');
    const keys = Object.keys(body);
    assert.deepEqual([keys.length, keys.filter((key) => key.startsWith('rel_')).length], [5, 2]);
    for (const key of keys.filter((key) => key.startsWith('rel_'))) {
      const { id1, id2, label } = body[key];
      assert.equal(label.text, 'PublishedTo');
      assert.equal(body[id1].data.nodetype, 'CertTemplate');
      assert.equal(body[id2].data.objectid, 'CA-ONE');
    }
  });

  it('answers 400 for a column that it can not be sorted by', async () => {
    const { status, body } = await list('?sort_by=size');
    assert.equal(status, 400);
    assert.equal(body.errors[0].message, 'the specified column cannot be sorted: size');
  });

  it('answers 404 for a template', async () => {
    assert.equal((await get('enterprisecas/T-WEB/published-templates')).status, 404);
  });

  it('answers 403 without the permission, on all three', async () => {
    const { token } = await makeUser(server.deps, 'Upload-Only');
    for (const path of ['certtemplates/T-WEB', 'enterprisecas/X', 'enterprisecas/X/published-templates'])
      assert.equal((await get(path, token)).status, 403);
  });
});
