import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph } from '../../graph/store.ts';
import { jobStatus } from './states.ts';

const ouId = '2A1D6A4E-0C57-4B2C-9C0E-4E1B6C0F6F10';
const domainId = 'S-1-5-21-1-2-3';

describe('PUT /api/v2/tasks/:task_id/cancel, ous and domains (gap 3.8)', () => {
  let server: TestServer;
  let admin: MadeUser;

  const scopeOf = async (scope: { ous?: string[]; domains?: string[] }) => {
    const id = await makeJob(server.deps, await makeClient(server.deps), jobStatus.ready, {
      ous: JSON.stringify(scope.ous ?? []),
      domains: JSON.stringify(scope.domains ?? []),
    });
    const { status, body } = await server.call('PUT', `/api/v2/tasks/${id}/cancel`, { token: admin.token });
    assert.equal(status, 200);
    return { ous: body.data.ous, domains: body.data.domains };
  };

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
    const nodes = [
      {
        objectId: ouId,
        kinds: ['Base', 'OU'],
        name: 'SERVERS@CORP.EXAMPLE',
        properties: { distinguishedname: 'OU=SERVERS,DC=CORP,DC=EXAMPLE' },
      },
      { objectId: 'OU-WITHOUT-DN', kinds: ['Base', 'OU'], name: 'BARE@CORP.EXAMPLE' },
      {
        objectId: 'OU-ODD-DN',
        kinds: ['Tag_Tier_Zero', 'OU'],
        name: '',
        properties: { distinguishedname: 5 },
      },
      { objectId: domainId, kinds: ['Domain', 'Base'], name: 'CORP.EXAMPLE' },
      { objectId: 'TENANT-1', kinds: ['AZBase', 'AZTenant'], name: 'TENANT' },
    ];
    await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, [], server.now()));
  });

  after(() => server.stop());

  it('answers 200 with what the graph knows of them', async () => {
    assert.deepEqual(await scopeOf({ ous: [ouId], domains: [domainId] }), {
      ous: [
        {
          objectid: ouId,
          name: 'SERVERS@CORP.EXAMPLE',
          exists: true,
          distinguishedname: 'OU=SERVERS,DC=CORP,DC=EXAMPLE',
          type: 'OU',
        },
      ],
      domains: [{ objectid: domainId, name: 'CORP.EXAMPLE', exists: true, type: 'Domain' }],
    });
  });

  it('answers 200 with empty names for what the graph does not have', async () => {
    assert.deepEqual(await scopeOf({ ous: ['NO-SUCH-OU'], domains: ['S-1-5-21-9'] }), {
      ous: [{ objectid: 'NO-SUCH-OU', name: '', exists: false, distinguishedname: '', type: 'OU' }],
      domains: [{ objectid: 'S-1-5-21-9', name: '', exists: false, type: 'Domain' }],
    });
  });

  it('answers 200 and finds ids without regard to case, as they were given', async () => {
    const { ous, domains } = await scopeOf({
      ous: [ouId.toLowerCase()],
      domains: [domainId.toLowerCase()],
    });
    assert.equal(ous[0].objectid, ouId.toLowerCase());
    assert.equal(ous[0].exists, true);
    assert.equal(ous[0].name, 'SERVERS@CORP.EXAMPLE');
    assert.equal(domains[0].objectid, domainId.toLowerCase());
    assert.equal(domains[0].exists, true);
  });

  it('answers 200 with an empty distinguishedname where the graph has no text for it', async () => {
    const { ous } = await scopeOf({ ous: ['OU-WITHOUT-DN', 'OU-ODD-DN'] });
    assert.deepEqual(ous, [
      {
        objectid: 'OU-WITHOUT-DN',
        name: 'BARE@CORP.EXAMPLE',
        exists: true,
        distinguishedname: '',
        type: 'OU',
      },
      { objectid: 'OU-ODD-DN', name: '', exists: true, distinguishedname: '', type: 'OU' },
    ]);
  });

  it('answers 200 with the type that the graph has, and in the order of the task', async () => {
    const { domains } = await scopeOf({ domains: ['TENANT-1', 'S-1-5-21-9', domainId] });
    assert.deepEqual(
      domains.map(({ objectid, type }: { objectid: string; type: string }) => [objectid, type]),
      [
        ['TENANT-1', 'AZTenant'],
        ['S-1-5-21-9', 'Domain'],
        [domainId, 'Domain'],
      ],
    );
  });

  it('answers 200 to a task of more organisational units than one statement looks up', async () => {
    const ous = [...Array.from({ length: 2100 }, (_, index) => `OU-${index}`), ouId];
    const answered = (await scopeOf({ ous })).ous;
    assert.equal(answered.length, 2101);
    assert.equal(answered[2099].exists, false);
    assert.equal(answered[2100].name, 'SERVERS@CORP.EXAMPLE');
  });
});
