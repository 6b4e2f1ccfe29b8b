import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readItem, readingOf, tenant, tenantId } from '../../../../../test/collectors/azure-items.ts';
import { propertiesOf, warningsOf } from '../../../../../test/server/statements.ts';

const subscriptionId = '/subscriptions/5ab';
const resourceGroupId = `${subscriptionId}/resourceGroups/Rg`;
const id = `${resourceGroupId}/providers/Thing/T1`;
const common = { id, name: 'T1', subscriptionId, resourceGroupId, tenantId };
const [subscription, group, thing] = [subscriptionId, resourceGroupId, id].map((one) => one.toUpperCase());

describe('scopes of resources', () => {
  it('reads AZSubscription by its path', () => {
    const data = { id: subscriptionId, subscriptionId: '5ab', displayName: 'Main', tenantId };
    const statements = readItem('AZSubscription', data);
    assert.deepEqual(readingOf(statements), {
      nodes: [`+${subscription} AZSubscription AZBase`],
      named: [`${tenant} AZTenant`],
      edges: [`${tenant} AZContains ${subscription}`],
    });
    assert.deepEqual(propertiesOf(statements, subscription as string), {
      ...{ name: 'MAIN', displayname: 'Main', tenantid: tenant },
    });
  });

  it('reads AZManagementGroup without a name, which has the tenant in it', () => {
    const statements = readItem('AZManagementGroup', {
      ...{ id: '/mg/Root', name: 'Root', properties: { displayName: 'Root group' }, tenantId },
    });
    assert.deepEqual(readingOf(statements).edges, [`${tenant} AZContains /MG/ROOT`]);
    const properties = propertiesOf(statements, '/MG/ROOT');
    assert.deepEqual(properties, { displayname: 'ROOT GROUP', tenantid: tenant });
  });

  it('leaves out names that are no texts, with a warning', () => {
    const cases = [
      ['AZSubscription', { displayName: 7 }, 'displayName'],
      ['AZManagementGroup', { properties: { displayName: 7 } }, 'properties.displayName'],
      ['AZResourceGroup', { name: 7 }, 'name'],
      [
        'AZVM',
        { properties: { storageProfile: { osDisk: { osType: 7 } } } },
        'properties.storageProfile.osDisk.osType',
      ],
    ] as const;
    for (const [kind, data, place] of cases) {
      const statements = readItem(kind, { id: 'r1', tenantId, ...data });
      assert.deepEqual(propertiesOf(statements, 'R1'), { tenantid: tenant }, kind);
      assert.deepEqual(warningsOf(statements), [`data[0].data.${place}: must be a text, but is 7`]);
    }
  });

  it('reads AZManagementGroupDescendant as an edge', () => {
    const data = { id: subscriptionId, properties: { parent: { id: '/mg/Root' } } };
    assert.deepEqual(readingOf(readItem('AZManagementGroupDescendant', data)), {
      nodes: [],
      named: ['/MG/ROOT AZManagementGroup', `${subscription} AZBase`],
      edges: [`/MG/ROOT AZContains ${subscription}`],
    });
    const bare = readItem('AZManagementGroupDescendant', { id: subscriptionId, properties: {} });
    assert.deepEqual([bare.edges, bare.skipped], [[], 'AZManagementGroupDescendant']);
  });

  it('reads AZResourceGroup in its subscription', () => {
    for (const written of [subscriptionId, '5ab']) {
      const data = { id: resourceGroupId, name: 'Rg', subscriptionId: written, tenantId };
      const statements = readItem('AZResourceGroup', data);
      assert.deepEqual(readingOf(statements), {
        nodes: [`+${group} AZResourceGroup AZBase`],
        named: [`${subscription} AZSubscription`],
        edges: [`${subscription} AZContains ${group}`],
      });
      assert.deepEqual(propertiesOf(statements, group as string), { name: 'RG', tenantid: tenant });
    }
  });
});

describe('resources', () => {
  const identity = {
    principalId: 'p1',
    userAssignedIdentities: {
      a: { clientId: 'c2', principalId: 'p2' },
      b: { principalId: 'p3' },
      c: { clientId: 'c4' },
      d: null,
    },
  };
  const contained = `${group} AZContains ${thing}`;
  const identities = [`${thing} AZManagedIdentity P1`, `${thing} AZManagedIdentity P2`];
  const cluster = `${subscription}/RESOURCEGROUPS/NODES`;
  const cases: [kind: string, data: object, properties: object, edges: string[]][] = [
    ...[
      ...['AZVMScaleSet', 'AZFunctionApp', 'AZWebApp', 'AZLogicApp'],
      ...['AZAutomationAccount', 'AZContainerRegistry'],
    ].map((kind): [string, object, object, string[]] => [kind, {}, {}, identities]),
    [
      'AZVM',
      { properties: { vmId: 'v', storageProfile: { osDisk: { osType: 'Linux' } } } },
      { operatingsystem: 'LINUX' },
      identities,
    ],
    ['AZVM', {}, { operatingsystem: '' }, identities],
    [
      'AZManagedCluster',
      { properties: { nodeResourceGroup: 'Nodes' } },
      { noderesourcegroupid: cluster },
      [`${thing} AZNodeResourceGroup ${cluster}`],
    ],
    [
      'AZManagedCluster',
      { subscriptionId: '5ab/', properties: { nodeResourceGroup: 'Nodes' } },
      { noderesourcegroupid: cluster },
      [`${thing} AZNodeResourceGroup ${cluster}`],
    ],
    ['AZManagedCluster', { properties: {} }, {}, []],
  ];
  for (const [kind, data, properties, edges] of cases) {
    it(`reads ${kind} ${JSON.stringify(data)}`, () => {
      const statements = readItem(kind, { ...common, identity, ...data });
      assert.deepEqual(readingOf(statements).nodes, [`+${thing} ${kind} AZBase`]);
      assert.deepEqual(readingOf(statements).edges, [contained, ...edges]);
      const expected = { name: 'T1', tenantid: tenant, ...properties };
      assert.deepEqual(propertiesOf(statements, thing as string), expected);
      assert.deepEqual([statements.skipped, statements.warnings], [undefined, []]);
    });
  }

  it('names the service principals of its identities', () => {
    const { named } = readingOf(readItem('AZVM', { ...common, identity }));
    assert.deepEqual(named, [`${group} AZResourceGroup`, 'P1 AZServicePrincipal', 'P2 AZServicePrincipal']);
  });

  it('reads AZKeyVault with its access policies', () => {
    const { resourceGroupId: resourceGroup, ...rest } = common;
    const accessPolicies = [
      { objectId: 'u1', permissions: { secrets: ['list', 'get'] } },
      { objectId: 'u2', permissions: { secrets: ['Set'], storage: ['Get'] } },
      { objectId: '', permissions: { keys: ['Get'] } },
    ];
    const properties = { enableRbacAuthorization: true, accessPolicies };
    const statements = readItem('AZKeyVault', { ...rest, resourceGroup, properties });
    assert.deepEqual(readingOf(statements).edges, [contained, `U1 AZGetSecrets ${thing}`]);
    assert.deepEqual(propertiesOf(statements, thing as string), {
      ...{ name: 'T1', tenantid: tenant, enablerbacauthorization: true },
    });
    const bare = readItem('AZKeyVault', { ...rest, resourceGroup, properties: {} });
    assert.equal(propertiesOf(bare, thing as string).enablerbacauthorization, false);
  });

  it('reads AZKeyVaultAccessPolicy for what may be got', () => {
    const edges = (permissions: object) => {
      const statements = readItem('AZKeyVaultAccessPolicy', { keyVaultId: id, objectId: 'u1', permissions });
      return readingOf(statements).edges.map((edge) => edge.split(' ')[1]);
    };
    const all = { certificates: ['Get'], keys: ['GET'], secrets: ['List', 'get'], storage: ['get'] };
    assert.deepEqual(edges(all), ['AZGetCertificates', 'AZGetKeys', 'AZGetSecrets']);
    assert.deepEqual(edges({ certificates: ['GetIssuers'], keys: null, secrets: ['List'] }), []);
  });
});
