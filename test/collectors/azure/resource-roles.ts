import { resourceRoles } from '../../../src/graph/ingest/convert/azure/role-ids.ts';
import { accessPoliciesOf, resourceTypes } from './resources.ts';
import type { TenantSketch } from './sketch.ts';

const commonLists = [
  ['Owner', 'owner'],
  ['Contributor', 'contributor'],
  ['UserAccessAdmin', 'userAccessAdmin'],
] as const;
const ownLists: Readonly<Record<string, readonly (readonly [end: string, element: string])[]>> = {
  AZKeyVault: [['KVContributor', 'kvContributor']],
  AZVM: [
    ['AdminLogin', 'adminLogin'],
    ['AvereContributor', 'avereContributor'],
    ['VMContributor', 'vmContributor'],
  ],
};

export function putResourceRoles(sketch: TenantSketch): void {
  const { size, tenantId } = sketch;
  putLists(sketch, 'AZManagementGroup', 'managementGroupId', sketch.managementGroup(0));
  for (let n = 0; n < size.subscriptions; n += 1) {
    putLists(sketch, 'AZSubscription', 'subscriptionId', sketch.subscription(n));
  }
  for (let n = 0; n < size.subscriptions * 2; n += 1) {
    const vault = sketch.resource(resourceTypes.AZKeyVault, n);
    putLists(sketch, 'AZResourceGroup', 'resourceGroupId', sketch.resourceGroup(n));
    putLists(sketch, 'AZKeyVault', 'keyVaultId', vault);
    putLists(sketch, 'AZVM', 'virtualMachineId', sketch.resource(resourceTypes.AZVM, n));
    for (const policy of accessPoliciesOf(sketch, n).filter(isSentAlone)) {
      sketch.put('AZKeyVaultAccessPolicy', { keyVaultId: vault, tenantId, ...policy });
    }
    for (const [kind, type] of Object.entries(resourceTypes)) {
      if (kind !== 'AZVM' && kind !== 'AZKeyVault') putAssignees(sketch, kind, sketch.resource(type, n));
    }
  }
}

const isSentAlone = ({ permissions }: { permissions: Record<string, string[]> }) =>
  Object.entries(permissions).some(([name, list]) => name !== 'secrets' && /get/i.test(list.join()));

function putLists(sketch: TenantSketch, target: string, idMember: string, id: string): void {
  for (const [end, element] of [...commonLists, ...(ownLists[target] ?? [])]) {
    const entries = Array.from({ length: sketch.random.below(3) }, () => ({
      [element]: assignment(sketch, id, resourceRoles.owner),
      [idMember]: id,
    }));
    sketch.put(`${target}${end}`, { [idMember]: id, [`${element}s`]: entries });
  }
}

function putAssignees(sketch: TenantSketch, target: string, objectId: string): void {
  const roles = Object.values(resourceRoles).map((role) => role.toLowerCase());
  const assignees = Array.from({ length: sketch.random.below(4) }, () => {
    const roleDefinitionId = sketch.random.pick(roles);
    return { assignee: assignment(sketch, objectId, roleDefinitionId), objectId, roleDefinitionId };
  });
  sketch.put(`${target}RoleAssignment`, { objectId, assignees });
}

/** Scopes come in another case than ids; some are inherited from further out. */
function assignment(sketch: TenantSketch, id: string, role: string): object {
  const scope = sketch.random.chance(0.2)
    ? sketch.subscription(0)
    : id.replace('resourceGroups', 'resourcegroups');
  const roleDefinitionId = `/providers/Microsoft.Authorization/RoleDefinitions/${role}`;
  return {
    ...{ id: `${id}/providers/Microsoft.Authorization/roleAssignments/x`, name: 'x', type: 'assignment' },
    properties: { principalId: sketch.principal(), roleDefinitionId, scope },
  };
}
