import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeClient, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph, type NewNode } from '../../graph/store.ts';
import { insertCustomNode } from '../custom-nodes/index.ts';

let serial = 0;

describe('GET /api/v2/certtemplates/:object_id/published-to-cas', () => {
  let server: TestServer;
  let reader: MadeUser;

  const get = (objectId: string, query = '', headers: Record<string, string> = {}) =>
    server.call('GET', `/api/v2/certtemplates/${objectId}/published-to-cas${query}`, {
      token: reader.token,
      headers,
    });
  const add = (nodes: NewNode[], edges: Parameters<typeof insertGraph>[2] = []) =>
    server.deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, server.now()));
  const authority = (objectId: string, name = objectId, kinds = ['EnterpriseCA', 'Base']): NewNode => ({
    objectId,
    kinds,
    name,
  });
  /** A template that is published to these authorities; its object id. */
  const publish = async (authorities: NewNode[]) => {
    const template = `TEMPLATE-${++serial}`;
    await add(
      [{ objectId: template, kinds: ['CertTemplate', 'Base'], name: `${template}@CORP` }, ...authorities],
      authorities.map(({ objectId }) => ({ start: template, kind: 'PublishedTo', end: objectId })),
    );
    return template;
  };
  /** Names sort as their numbers do. */
  const publishMany = (count: number) => {
    const prefix = `CA-${++serial}-`;
    return publish(
      Array.from({ length: count }, (_, index) => authority(`${prefix}${String(index).padStart(2, '0')}`)),
    );
  };

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
    const icon = { type: 'font-awesome', name: 'vault', color: '#C0A060' } as const;
    await server.deps.db.transaction((db) => insertCustomNode(db, 'BackupVault', icon, server.now()));
  });

  after(() => server.stop());

  it('answers 200 with a count of 0 for a template that is published nowhere', async () => {
    const { status, body } = await get(await publish([]));
    assert.equal(status, 200);
    assert.deepEqual(body, { count: 0, skip: 0, limit: 10, data: [] });
  });

  it('answers 200 with exactly the members of an entry, not wrapped in data', async () => {
    const template = await publish([authority('ca-one', 'CORP-CA@CORP.EXAMPLE')]);
    const { status, body } = await get(template);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      count: 1,
      skip: 0,
      limit: 10,
      data: [
        {
          objectID: 'CA-ONE',
          name: 'CORP-CA@CORP.EXAMPLE',
          label: 'EnterpriseCA',
          kinds: ['Base', 'EnterpriseCA'],
        },
      ],
    });
  });

  it('answers 200 with both of two authorities', async () => {
    const { body } = await get(await publish([authority('CA-B'), authority('CA-A')]));
    assert.equal(body.count, 2);
    assert.deepEqual(
      body.data.map(({ name }: { name: string }) => name),
      ['CA-A', 'CA-B'],
    );
  });

  it('answers 200 with ten of 25 authorities by default, and the true count', async () => {
    const template = await publishMany(25);
    const { body } = await get(template);
    assert.deepEqual([body.count, body.skip, body.limit, body.data.length], [25, 0, 10, 10]);
    const last = (await get(template, '?skip=20')).body;
    assert.deepEqual([last.count, last.skip, last.limit, last.data.length], [25, 20, 10, 5]);
    assert.match(last.data[0].name, /-20$/);
    const some = (await get(template, '?skip=3&limit=4')).body;
    assert.deepEqual(
      some.data.map(({ name }: { name: string }) => name.slice(-2)),
      ['03', '04', '05', '06'],
    );
  });

  it('answers 200 with no entries for limit=0 and for a skip past the end', async () => {
    const template = await publishMany(3);
    assert.deepEqual((await get(template, '?limit=0')).body, { count: 3, skip: 0, limit: 0, data: [] });
    assert.deepEqual((await get(template, '?skip=3')).body, { count: 3, skip: 3, limit: 10, data: [] });
    const far = (await get(template, '?skip=2147483647&limit=2147483647')).body;
    assert.deepEqual(far, { count: 3, skip: 2147483647, limit: 2147483647, data: [] });
  });

  it('answers 200 to a limit of 2147483647, and tells it back', async () => {
    const { body } = await get(await publishMany(25), '?limit=2147483647&skip=001');
    assert.deepEqual([body.count, body.skip, body.limit, body.data.length], [25, 1, 2147483647, 24]);
  });

  it('answers 200 whatever the case of the object id', async () => {
    const template = await publishMany(1);
    const { status, body } = await get(template.toLowerCase());
    assert.equal(status, 200);
    assert.equal(body.count, 1);
  });

  it('answers 200 with a stub that has no name', async () => {
    const { body } = await get(await publish([authority('CA-STUB', '', ['Base'])]));
    assert.deepEqual(body.data, [{ objectID: 'CA-STUB', name: '', label: 'Base', kinds: ['Base'] }]);
  });

  it('answers 200 with kinds sorted and the label by the order stated', async () => {
    const { body } = await get(
      await publish([
        authority('L1', '1', ['Tag_Tier_Zero', 'EnterpriseCA', 'Base']),
        authority('L2', '2', ['BackupVault', 'EnterpriseCA']),
        authority('L3', '3', ['EnterpriseCA', 'BackupVault']),
        authority('L4', '4', ['Zebra', 'Aardvark']),
        authority('L5', '5', []),
      ]),
    );
    assert.deepEqual(
      body.data.map(({ label, kinds }: { label: string; kinds: string[] }) => [label, kinds]),
      [
        ['EnterpriseCA', ['Base', 'EnterpriseCA', 'Tag_Tier_Zero']],
        ['BackupVault', ['BackupVault', 'EnterpriseCA']],
        ['EnterpriseCA', ['BackupVault', 'EnterpriseCA']],
        ['Unknown', ['Aardvark', 'Zebra']],
        ['Unknown', []],
      ],
    );
  });

  it('answers 200 without other relations and without what is published elsewhere', async () => {
    const template = await publishMany(1);
    const other = await publish([authority('CA-ELSEWHERE')]);
    await add(
      [{ objectId: 'USER-1', kinds: ['User', 'Base'], name: 'USER-1' }],
      [
        { start: template, kind: 'Enroll', end: 'CA-ELSEWHERE' },
        { start: 'USER-1', kind: 'PublishedTo', end: template },
      ],
    );
    assert.equal((await get(template)).body.count, 1);
    assert.equal((await get(other)).body.count, 1);
  });

  it('answers 200 and ignores query parameters that it does not know', async () => {
    const { status, body } = await get(await publishMany(2), '?page=2&Limit=1&limit[]=1&constructor=1');
    assert.equal(status, 200);
    assert.equal(body.limit, 10);
    assert.equal(body.data.length, 2);
  });

  it('answers 200 to HEAD with the headers of GET and no body', async () => {
    const path = `/api/v2/certtemplates/${await publishMany(2)}/published-to-cas`;
    const [head, full] = await Promise.all(
      ['HEAD', 'GET'].map((method) => server.call(method, path, { token: reader.token })),
    );
    assert.equal(head?.status, 200);
    assert.equal(head?.text, '');
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control']) {
      assert.ok(full?.headers.get(name), name);
      assert.equal(head?.headers.get(name), full?.headers.get(name), name);
    }
  });

  it('answers 304 as long as nothing has changed', async () => {
    const template = await publishMany(1);
    const etag = (await get(template)).headers.get('etag') ?? '';
    assert.match(etag, /^W\/".+"$/);
    for (const known of [etag, `"x", ${etag}`, etag.slice(2), '*']) {
      const { status, text, headers } = await get(template, '', { 'if-none-match': known });
      assert.equal(status, 304, known);
      assert.equal(text, '');
      assert.equal(headers.get('etag'), etag);
    }
    await add([authority('CA-NEW')], [{ start: template, kind: 'PublishedTo', end: 'CA-NEW' }]);
    const { status, headers } = await get(template, '', { 'if-none-match': etag });
    assert.equal(status, 200);
    assert.notEqual(headers.get('etag'), etag);
  });

  it('answers 400 to a skip or limit that is not a whole number from 0 to 2147483647', async () => {
    const template = await publishMany(1);
    for (const name of ['skip', 'limit']) {
      for (const value of ['-1', '2147483648', '1.0', '1e1', '0x1', '', '%20', '%2B1', 'ten']) {
        for (const type of ['list', 'graph']) {
          const { status, body } = await get(template, `?${name}=${value}&type=${type}`);
          assert.equal(status, 400, `${name}=${value} ${type}`);
          assert.equal(body.errors[0].context, name);
        }
      }
    }
  });

  it('answers 400 to a type other than list and graph', async () => {
    const template = await publishMany(1);
    for (const type of ['tree', 'List', '', 'count']) {
      const { status, body } = await get(template, `?type=${type}`);
      assert.equal(status, 400, type);
      assert.deepEqual(body.errors, [
        { context: 'type', message: `type must be one of list, graph, but is "${type}"` },
      ]);
    }
  });

  it('answers 400 to a repeated parameter that takes one value, and to all problems at once', async () => {
    const template = await publishMany(1);
    const { status, body } = await get(template, '?skip=1&skip=1&limit=x&type=list&type=list');
    assert.equal(status, 400);
    assert.deepEqual(body.errors, [
      { context: 'skip', message: 'skip is given 2 times; give it once' },
      {
        context: 'limit',
        message: 'limit must be a whole number of at least 0 that fits 32 bits, but is "x"',
      },
      { context: 'type', message: 'type is given 2 times; give it once' },
    ]);
  });

  it('answers 401 without a token', async () => {
    const path = `/api/v2/certtemplates/${await publishMany(1)}/published-to-cas`;
    assert.equal((await server.call('GET', path)).status, 401);
  });

  it('answers 403 without the permission graphdb.Read, whether the template exists or not', async () => {
    const callers = [await makeUser(server.deps, 'Upload-Only'), await makeClient(server.deps)];
    for (const { name, token } of callers) {
      for (const template of [await publishMany(1), 'NOTHING']) {
        const path = `/api/v2/certtemplates/${template}/published-to-cas`;
        const { status, body } = await server.call('GET', path, { token });
        assert.equal(status, 403, name);
        assert.equal(body.errors[0].message, 'this needs the permission graphdb.Read');
      }
    }
  });

  it('answers 404 for an id of nothing and for another kind of node', async () => {
    await add([
      authority('CA-ALONE'),
      { objectId: 'USER-2', kinds: ['User', 'Base'], name: 'USER-2' },
      { objectId: 'STUB-2', kinds: ['Base'], name: 'STUB-2' },
    ]);
    for (const id of ['NOTHING', 'CA-ALONE', 'USER-2', 'STUB-2', '%00', "'%3B--"]) {
      for (const query of ['', '?type=graph', '?limit=0']) {
        const { status, body } = await get(id, query);
        assert.equal(status, 404, id + query);
        assert.equal(body.errors[0].context, 'object_id');
      }
    }
    assert.equal(
      (await get('nothing')).body.errors[0].message,
      'there is no certificate template with the object id "nothing"',
    );
  });
});
