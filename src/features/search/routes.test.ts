import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph } from '../../graph/store.ts';

describe('GET /api/v2/search', () => {
  let server: TestServer;
  let reader: MadeUser;

  const get = (query: Record<string, string>) =>
    server.call('GET', `/api/v2/search?${new URLSearchParams(query)}`, { token: reader.token });
  const found = async (q: string, more: Record<string, string> = {}) => {
    const { status, body, text } = await get({ q, ...more });
    assert.equal(status, 200, text);
    return body.data.map(({ objectid }: { objectid: string }) => objectid) as string[];
  };

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
    const user = (objectId: string, name: string, properties = {}) => ({
      objectId,
      kinds: ['User', 'Base'],
      name,
      properties,
    });
    const nodes = [
      user('S-1-5-21-7-1104', 'ADA@CORP.EXAMPLE', {
        distinguishedname: 'CN=ADA,DC=CORP,DC=EXAMPLE',
        system_tags: 'owned',
      }),
      user('S-1-5-21-7-1105', 'ADAM@CORP.EXAMPLE'),
      user('S-1-5-21-7-1106', 'SVC-ADA_BACKUP@CORP.EXAMPLE'),
      user('S-1-5-21-7-1107', '50%_OFF\\SALE'),
      user('S-1-5-21-7-1108', 'ÉMILE@CORP.EXAMPLE'),
      user('ADA@CORP.EXAMPLE-X', 'ZOE@CORP.EXAMPLE'),
      user('STUB-1', ''),
      user('LONG-NAME', `${'L'.repeat(3000)}END`),
      {
        objectId: 'S-1-5-21-7-512',
        kinds: ['Tag_Tier_Zero', 'Group', 'Base'],
        name: 'ADA ADMINS@CORP.EXAMPLE',
      },
      { objectId: 'APP-1', kinds: ['AZApp', 'AZBase'], name: 'ADA PORTAL@TENANT' },
      { objectId: 'OTHER-1', kinds: ['Tag_Tier_Zero', 'GHRepo', 'Base'], name: 'REPOSITORY' },
    ];
    await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, [], server.now()));
  });
  after(() => server.stop());

  it('answers 200 with exactly the members that clients know', async () => {
    assert.deepEqual((await get({ q: 'ada@corp', limit: '1' })).body, {
      data: [
        {
          objectid: 'S-1-5-21-7-1104',
          type: 'User',
          name: 'ADA@CORP.EXAMPLE',
          distinguishedname: 'CN=ADA,DC=CORP,DC=EXAMPLE',
          system_tags: 'owned',
        },
      ],
    });
    assert.deepEqual((await get({ q: 'ada admins' })).body.data, [
      {
        objectid: 'S-1-5-21-7-512',
        type: 'Group',
        name: 'ADA ADMINS@CORP.EXAMPLE',
        distinguishedname: '',
        system_tags: 'admin_tier_0',
      },
    ]);
  });

  it('answers 200 with the kind of a node that nobody registered', async () => {
    assert.equal((await get({ q: 'repository' })).body.data[0].type, 'GHRepo');
  });

  it('answers 200 with names that begin so, then ids that do, then what has it inside', async () => {
    assert.deepEqual(await found('ada'), [
      'S-1-5-21-7-512',
      'APP-1',
      'S-1-5-21-7-1104',
      'S-1-5-21-7-1105',
      'ADA@CORP.EXAMPLE-X',
      'S-1-5-21-7-1106',
    ]);
  });

  it('answers 200 with the node that has the id first, whatever its case', async () => {
    assert.deepEqual(await found('s-1-5-21-7-1105'), ['S-1-5-21-7-1105']);
    assert.deepEqual((await found('S-1-5-21-7')).length, 6);
    assert.deepEqual(await found('-1106'), ['S-1-5-21-7-1106']);
  });

  it('answers 200 with what only begins so for one or two characters', async () => {
    assert.deepEqual(await found('ad'), [
      'S-1-5-21-7-512',
      'APP-1',
      'S-1-5-21-7-1104',
      'S-1-5-21-7-1105',
      'ADA@CORP.EXAMPLE-X',
    ]);
  });

  it('answers 200 with what has these very characters: none of them stands for others', async () => {
    assert.deepEqual(await found('50%_off\\s'), ['S-1-5-21-7-1107']);
    assert.deepEqual(await found('%_OFF'), ['S-1-5-21-7-1107']);
    assert.deepEqual(await found('A%A'), []);
    assert.deepEqual(await found('A_A'), []);
    assert.deepEqual(await found("' or 1=1 --"), []);
    assert.deepEqual(await found('émi'), ['S-1-5-21-7-1108']);
    assert.deepEqual(await found('mile@'), ['S-1-5-21-7-1108']);
  });

  it('answers 200 with nodes of one kind only', async () => {
    assert.deepEqual(await found('ada', { type: 'User' }), [
      'S-1-5-21-7-1104',
      'S-1-5-21-7-1105',
      'ADA@CORP.EXAMPLE-X',
      'S-1-5-21-7-1106',
    ]);
    assert.deepEqual(await found('ada', { type: 'azapp' }), ['APP-1']);
    assert.deepEqual(await found('ada', { type: 'Computer' }), []);
    assert.equal((await found('ada', { type: '' })).length, 6);
  });

  it('answers 200 page by page, without overlap and in the order of the whole', async () => {
    const whole = await found('ada', { limit: '1000' });
    const pages: string[] = [];
    for (let skip = 0; skip < 8; skip += 2)
      pages.push(...(await found('ada', { skip: String(skip), limit: '2' })));
    assert.deepEqual(pages, whole);
    assert.deepEqual(await found('ada', { limit: '0' }), []);
    assert.deepEqual(await found('ada', { skip: '100' }), []);
  });

  it('answers 200 for names that are longer than what is indexed', async () => {
    assert.deepEqual(await found('LLLL'), ['LONG-NAME']);
    assert.deepEqual(await found('L'.repeat(200)), ['LONG-NAME']);
    assert.deepEqual(await found('L'.repeat(201)), []);
  });

  it('answers 400 without a text, and beyond the bounds', async () => {
    const problemOf = async (query: Record<string, string>) => {
      const { status, body } = await get(query);
      assert.equal(status, 400);
      return body.errors.map(({ context }: { context: string }) => context);
    };
    assert.deepEqual(await problemOf({}), ['q']);
    assert.deepEqual(await problemOf({ q: '' }), ['q']);
    assert.deepEqual(await problemOf({ q: 'x'.repeat(1001) }), ['q']);
    assert.deepEqual(await problemOf({ q: 'x', skip: '10001', limit: '1001' }), ['skip', 'limit']);
    assert.deepEqual(await problemOf({ q: 'x', skip: '-1', limit: 'ten' }), ['skip', 'limit']);
  });

  it('answers 403 without the permission', async () => {
    const { token } = await makeUser(server.deps, 'Upload-Only');
    assert.equal((await server.call('GET', '/api/v2/search?q=ada', { token })).status, 403);
  });
});
