import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readItem, readingOf } from '../../../../../test/collectors/azure-items.ts';
import { warningsOf } from '../../../../../test/server/statements.ts';

const id = '/subscriptions/5ab/resourceGroups/Rg';
const target = id.toUpperCase();
const assignment = (principalId: string, scope = '/SUBSCRIPTIONS/5ab/resourcegroups/rg') => ({
  ...{ id: 'x', name: 'x', type: 'y', properties: { principalId, roleDefinitionId: 'any', scope } },
});

describe('lists of a role', () => {
  const scopes = [
    ['AZManagementGroup', 'managementGroupId'],
    ['AZSubscription', 'subscriptionId'],
    ['AZResourceGroup', 'resourceGroupId'],
    ['AZKeyVault', 'keyVaultId'],
    ['AZVM', 'virtualMachineId'],
  ] as const;
  const cases = [
    ...scopes.flatMap(([kind, idMember]) => [
      [`${kind}Owner`, kind, idMember, 'owner', 'AZOwner'],
      [`${kind}Contributor`, kind, idMember, 'contributor', 'AZContributor'],
      [`${kind}UserAccessAdmin`, kind, idMember, 'userAccessAdmin', 'AZUserAccessAdministrator'],
    ]),
    ['AZKeyVaultKVContributor', 'AZKeyVault', 'keyVaultId', 'kvContributor', 'AZKeyVaultContributor'],
    ['AZVMAdminLogin', 'AZVM', 'virtualMachineId', 'adminLogin', 'AZVMAdminLogin'],
    ['AZVMAvereContributor', 'AZVM', 'virtualMachineId', 'avereContributor', 'AZAvereContributor'],
    ['AZVMVMContributor', 'AZVM', 'virtualMachineId', 'vmContributor', 'AZVMContributor'],
  ] as [kind: string, target: string, idMember: string, element: string, edge: string][];
  for (const [kind, targetKind, idMember, element, edge] of cases) {
    it(`${kind} states ${edge} for what is assigned right there`, () => {
      const given = [assignment('p1'), assignment('p2', '/subscriptions/5ab'), assignment('')];
      const entries = given.map((one) => ({ [element]: one, [idMember]: id }));
      const statements = readItem(kind, { [idMember]: id, [`${element}s`]: entries });
      assert.deepEqual(readingOf(statements), {
        nodes: [],
        named: [`${target} ${targetKind}`, 'P1 AZBase'],
        edges: [`P1 ${edge} ${target}`],
      });
      assert.deepEqual([statements.skipped, statements.warnings], [undefined, []]);
      const none = readItem(kind, { [idMember]: id, [`${element}s`]: null });
      assert.deepEqual([none.nodes, none.skipped], [[], undefined]);
    });
  }
});

describe('assignments of all roles', () => {
  const common = {
    '8e3af657-a8ff-443c-a75c-2fe8c4bcb635': 'AZOwner',
    'b24988ac-6180-42a0-ab88-20f7382dd24c': 'AZContributor',
    '18d7d88d-d35e-4fb5-a5c3-7773c20a72d9': 'AZUserAccessAdministrator',
  };
  const own = {
    'de139f84-1756-47ae-9be6-808fbbe84772': 'AZWebsiteContributor',
    '87a39d53-fc1b-424a-814c-f7e04687dc9e': 'AZLogicAppContributor',
    'f353d9bd-d4a6-484e-a77a-8050b599b867': 'AZAutomationContributor',
    '9980e02c-c2be-4d73-94e8-173b1dc7cf3c': 'AZVMContributor',
    'ed7f3fbd-7b88-4dd4-9017-9adb7ce333f8': 'AZAKSContributor',
  };
  const cases = [
    ['AZFunctionApp', 'AZWebsiteContributor'],
    ['AZWebApp', 'AZWebsiteContributor'],
    ['AZLogicApp', 'AZLogicAppContributor'],
    ['AZAutomationAccount', 'AZAutomationContributor'],
    ['AZVMScaleSet', 'AZVMContributor'],
    ['AZManagedCluster', 'AZAKSContributor'],
    ['AZContainerRegistry', undefined],
  ] as const;
  for (const [kind, edge] of cases) {
    it(`${kind}RoleAssignment states ${edge ?? 'no edge of its own'}`, () => {
      const roles = { ...common, ...own, 'f25e0fa2-a7c8-4377-a976-54943a77a395': undefined };
      const assignees = Object.keys(roles).flatMap((role) => [
        { assignee: assignment('p1'), objectId: id, roleDefinitionId: role },
        { assignee: assignment('p2', '/subscriptions/5ab'), objectId: id, roleDefinitionId: role },
      ]);
      const statements = readItem(`${kind}RoleAssignment`, { objectId: id, assignees });
      const edges = [...Object.values(common), ...(edge === undefined ? [] : [edge])];
      assert.deepEqual(readingOf(statements), {
        nodes: [],
        named: [`${target} ${kind}`, 'P1 AZBase'],
        edges: edges.map((one) => `P1 ${one} ${target}`),
      });
    });
  }

  it('tell where an assignment cannot be read', () => {
    const data = { virtualMachineId: id, owners: [{ owner: { properties: 7 } }, { owner: 8 }] };
    const statements = readItem('AZVMOwner', data);
    assert.deepEqual(readingOf(statements).edges, []);
    assert.deepEqual(warningsOf(statements), [
      'data[0].data.owners[0].owner.properties: must be an object, but is 7',
      'data[0].data.owners[1].owner: must be an object, but is 8',
    ]);
  });

  it('are found by the id of the role in any case, or by the path to it', () => {
    const owner = '8E3AF657-A8FF-443C-A75C-2FE8C4BCB635';
    for (const roleDefinitionId of [owner, `/providers/Microsoft.Authorization/roleDefinitions/${owner}`]) {
      const assignees = [{ assignee: assignment('p1'), roleDefinitionId }];
      const statements = readItem('AZWebAppRoleAssignment', { objectId: id, assignees });
      assert.deepEqual(readingOf(statements).edges, [`P1 AZOwner ${target}`]);
    }
  });
});
