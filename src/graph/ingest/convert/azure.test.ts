import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { convert } from '../../../../test/statements.ts';

const tenantId = '6c12b0b0-b2cc-4a73-8252-0b94bfca2145';
const tenant = { tenantId, tenantName: 'Contoso' };
const item = (kind: unknown, data: unknown) => convert('azure', { kind, data }, { methods: 0, version: 0 });

describe('azure', () => {
  const named = { id: 'a1', displayName: 'Thing', name: 'thing1', ...tenant };
  const objects: [kind: string, data: object, id: string, name: string | undefined][] = [
    ['AZTenant', { ...named, id: `/tenants/${tenantId}` }, tenantId.toUpperCase(), 'THING'],
    ['AZUser', { ...named, userPrincipalName: 'ann@contoso.com' }, 'A1', 'ANN@CONTOSO.COM'],
    ['AZGroup', named, 'A1', 'THING@CONTOSO'],
    ['AZDevice', named, 'A1', 'THING@CONTOSO'],
    ['AZServicePrincipal', named, 'A1', 'THING@CONTOSO'],
    ['AZApp', { ...named, appId: 'b2', publisherDomain: 'contoso.com' }, 'B2', 'THING@CONTOSO.COM'],
    ['AZRole', named, `A1@${tenantId.toUpperCase()}`, 'THING@CONTOSO'],
    ['AZSubscription', { ...named, id: '/subscriptions/x' }, '/SUBSCRIPTIONS/X', 'THING'],
    ['AZManagementGroup', named, 'A1', undefined],
    ...[
      ...['AZResourceGroup', 'AZKeyVault', 'AZVM', 'AZVMScaleSet', 'AZFunctionApp', 'AZWebApp', 'AZLogicApp'],
      ...['AZAutomationAccount', 'AZManagedCluster', 'AZContainerRegistry'],
    ].map((kind): [string, object, string, string] => [kind, named, 'A1', 'THING1']),
  ];
  for (const [kind, data, id, name] of objects) {
    it(`reads ${kind} by its id, name and tenant`, () => {
      const { nodes, skipped, wholes } = item(kind, data);
      assert.equal(skipped, undefined);
      assert.deepEqual(wholes, []);
      assert.equal(nodes.length, 1);
      assert.equal(nodes[0]?.objectId, id);
      assert.deepEqual(nodes[0].kinds, [kind, 'AZBase']);
      assert.equal(nodes[0].properties.name, name);
      assert.equal(nodes[0].properties.tenantid, tenantId.toUpperCase());
      assert.equal(nodes[0].properties.displayname, 'Thing');
    });
  }

  it('marks the tenant that was collected', () => {
    const properties = (collected: boolean) =>
      item('AZTenant', { ...tenant, collected }).nodes[0]?.properties;
    assert.equal(properties(true)?.collected, true);
    assert.equal(properties(false)?.collected, undefined);
  });

  it('reads every credential of an application', () => {
    const fics = [{ fic: { id: 'f1', name: 'github' } }, { fic: {} }, { appId: 'x' }];
    const { nodes } = item('AZFederatedIdentityCredential', { ...tenant, fics });
    assert.deepEqual(
      nodes.map((node) => [node.objectId, node.properties.name, node.collected]),
      [['F1', 'GITHUB@CONTOSO', false]],
    );
  });

  it('reads members in any case', () => {
    assert.equal(convert('azure', { Kind: 'AZUser', Data: { ID: 'a1' } }).nodes[0]?.objectId, 'A1');
  });

  const skipped: [record: unknown, kind: string, warnings: number][] = [
    [{ kind: 'AZGroupMember', data: {} }, 'AZGroupMember', 0],
    [{ kind: 'AZSomethingNew', data: {} }, 'AZSomethingNew', 0],
    [{ kind: 'x'.repeat(65), data: {} }, 'unknown', 0],
    [{ kind: 'AZUser', data: {} }, 'AZUser', 1],
    [{ kind: 'AZUser', data: { id: 5 } }, 'AZUser', 1],
    [{ kind: 'AZUser', data: null }, 'AZUser', 1],
    [{ kind: 'AZRole', data: { id: 'a' } }, 'AZRole', 1],
    [{ kind: 'AZFederatedIdentityCredential', data: { fics: null } }, 'AZFederatedIdentityCredential', 0],
    [{ data: {} }, 'unknown', 1],
    [null, 'unknown', 1],
  ];
  for (const [record, kind, warnings] of skipped) {
    it(`counts ${JSON.stringify(record)?.slice(0, 60)} without failing`, () => {
      const statements = convert('azure', record);
      assert.equal(statements.skipped, kind);
      assert.deepEqual([statements.nodes, statements.edges, statements.problems], [[], [], []]);
      assert.equal(statements.warnings.length, warnings);
    });
  }
});
