import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { analyseAgain } from '../../../test/graph/attack-paths.ts';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph, type NewNode } from '../../graph/store.ts';

const domain = 'S-1-5-21-7-7-7';
const tenant = 'TENANT-7';
const globalAdministrator = `62E90394-69F5-4237-9190-012177145E10@${tenant}`;
const securityAdministrator = `194AE4CB-B126-40B2-BD5B-6091B380977D@${tenant}`;

const inDomain = (objectId: string, kind: string, name: string, properties = {}): NewNode => ({
  objectId,
  kinds: [kind, 'Base'],
  name,
  properties: { name, domainsid: domain, ...properties },
});
const inTenant = (objectId: string, kind: string, name: string, properties = {}): NewNode => ({
  objectId,
  kinds: [kind, 'AZBase'],
  name,
  properties: { name, tenantid: tenant, ...properties },
});

const nodes = [
  inDomain(domain, 'Domain', 'CORP', { collected: true }),
  inDomain(`${domain}-500`, 'User', 'ROOT', { enabled: true, sensitive: false }),
  inDomain(`${domain}-512`, 'Group', 'ADMINS'),
  inDomain(`${domain}-1000`, 'User', 'SAFE', { enabled: true, sensitive: true }),
  inDomain(`${domain}-1001`, 'User', 'SILENT', { enabled: true }),
  inDomain(`${domain}-1002`, 'User', 'PERSON', { enabled: true, sensitive: false }),
  inTenant(tenant, 'AZTenant', 'CLOUD', { collected: true }),
  inTenant(globalAdministrator, 'AZRole', 'GLOBAL', { enduserassignmentrequiresmfa: false }),
  inTenant(securityAdministrator, 'AZRole', 'SECURITY'),
];
const memberships = [1000, 1001].map((rid) => ({
  start: `${domain}-${rid}`,
  kind: 'MemberOf',
  end: `${domain}-512`,
}));

let server: TestServer;
let token: string;
const get = (path: string) => server.call('GET', `/api/v2${path}`, { token });
const coverage = async () => {
  const { body } = await get('/attack-paths/types');
  const types: { id: string; coverage: unknown[] | null }[] = body.data;
  return new Map(types.map(({ id, coverage }) => [id, coverage]));
};

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
  await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, memberships, server.now()));
});
after(() => server.stop());

describe('GET /api/v2/attack-paths/types', () => {
  it('answers 200 with nothing known before the first analysis, of types that tell', async () => {
    const told = [...(await coverage())].filter(([, environments]) => environments !== null);
    assert.deepEqual(told, [
      ['T0MarkSensitive', []],
      ['AzureT0RoleActivationNoMFA', []],
    ]);
  });

  it('answers 200 with how much of each environment the last analysis could tell', async () => {
    await analyseAgain(server, token);
    const told = await coverage();
    assert.deepEqual(told.get('T0MarkSensitive'), [{ environment_id: domain, known: 2, total: 3 }]);
    assert.deepEqual(told.get('AzureT0RoleActivationNoMFA'), [
      { environment_id: tenant, known: 1, total: 2 },
    ]);
  });
});

describe('GET /api/v2/attack-paths/findings', () => {
  it('answers 200 with lists of Tier Zero, rated by impact, each a finding of its own', async () => {
    const { findings } = (await get('/attack-paths/findings?sort_by=type')).body.data;
    const rows = findings.map((finding: Record<string, unknown>) => [
      ...[finding.type, finding.source_name, finding.target_name, finding.asset_group_tag_id],
      ...[finding.exposure_count, finding.impact_percent, finding.severity],
    ]);
    assert.deepEqual(rows, [
      ['AzureT0RoleActivationNoMFA', 'GLOBAL', 'GLOBAL', 1, 0, 0, 'low'],
      ['T0MarkSensitive', 'ROOT', 'ROOT', 1, 0, 25, 'low'],
    ]);
    const [, root] = findings;
    const { path } = (await get(`/attack-paths/findings/${root.id}`)).body.data;
    assert.deepEqual(
      path.nodes.map(({ name }: { name: string }) => name),
      ['ROOT'],
    );
    assert.deepEqual(path.edges, []);
  });
});

describe('GET /api/v2/attack-path-types', () => {
  it('answers 200 with the names of all types', async () => {
    assert.deepEqual((await get('/attack-path-types')).body.data, [...(await coverage()).keys()]);
  });
});
