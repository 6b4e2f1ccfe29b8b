import { identityCount } from './directory.ts';
import type { TenantSketch } from './sketch.ts';

export const resourceTypes = {
  AZVM: 'Microsoft.Compute/virtualMachines',
  AZVMScaleSet: 'Microsoft.Compute/virtualMachineScaleSets',
  AZFunctionApp: 'Microsoft.Web/functions',
  AZWebApp: 'Microsoft.Web/sites',
  AZLogicApp: 'Microsoft.Logic/workflows',
  AZAutomationAccount: 'Microsoft.Automation/automationAccounts',
  AZContainerRegistry: 'Microsoft.ContainerRegistry/registries',
  AZManagedCluster: 'Microsoft.ContainerService/managedClusters',
  AZKeyVault: 'Microsoft.KeyVault/vaults',
} as const;

export function putResources(sketch: TenantSketch): void {
  const { size, tenantId } = sketch;
  // The first contains the second.
  for (const n of [0, 1]) {
    const properties = { displayName: `Management ${n}`, tenantId };
    sketch.put('AZManagementGroup', { id: sketch.managementGroup(n), properties, tenantId });
  }
  const put = (id: string, parent: number) => {
    const properties = { parent: { id: sketch.managementGroup(parent) } };
    sketch.put('AZManagementGroupDescendant', { id, properties });
  };
  put(sketch.managementGroup(1), 0);
  for (let n = 0; n < size.subscriptions; n += 1) {
    const id = sketch.subscription(n);
    const subscriptionId = sketch.id('subscription', n);
    sketch.put('AZSubscription', { id, subscriptionId, displayName: `Subscription ${n}`, tenantId });
    put(id, n % 2);
  }
  for (let n = 0; n < size.subscriptions * 2; n += 1) putGroup(sketch, n);
}

function putGroup(sketch: TenantSketch, n: number): void {
  const { tenantId } = sketch;
  const [subscriptionId, resourceGroupId] = [sketch.subscription(n >> 1), sketch.resourceGroup(n)];
  sketch.put('AZResourceGroup', { id: resourceGroupId, name: `Rg-${n}`, subscriptionId, tenantId });
  for (const [kind, type] of Object.entries(resourceTypes)) {
    const common = { id: sketch.resource(type, n), name: `Thing-${n}`, subscriptionId, tenantId };
    const place = kind === 'AZKeyVault' ? { resourceGroup: resourceGroupId } : { resourceGroupId };
    const own = ownMembers(sketch, kind, n);
    sketch.put(kind, { ...common, ...place, ...own, identity: identity(sketch, kind, n) });
  }
}

function ownMembers(sketch: TenantSketch, kind: string, n: number): object {
  if (kind === 'AZVM') {
    return { properties: { storageProfile: { osDisk: { osType: n % 2 === 0 ? 'Windows' : 'Linux' } } } };
  }
  if (kind === 'AZManagedCluster') return { properties: { nodeResourceGroup: `Nodes-${n}` } };
  if (kind !== 'AZKeyVault') return {};
  const accessPolicies = accessPoliciesOf(sketch, n);
  return { properties: { enableRbacAuthorization: n % 2 === 1, accessPolicies } };
}

/** The collector has an item only for policies that are not about secrets alone. */
export function accessPoliciesOf(
  sketch: TenantSketch,
  n: number,
): { permissions: Record<string, string[]> }[] {
  const { tenantId } = sketch;
  const policy = (user: number, permissions: Record<string, string[]>) => ({
    ...{ objectId: sketch.id('user', user), tenantId, permissions },
  });
  return [
    policy(n, { certificates: ['Get', 'List'], keys: ['get'], secrets: [] }),
    policy(n + 1, { secrets: ['List', 'Get'] }),
    policy(n + 2, { keys: ['List'], secrets: ['Set'] }),
  ];
}

function identity(sketch: TenantSketch, kind: string, n: number): object {
  if (kind === 'AZKeyVault' || n >= identityCount) return {};
  const principalId = sketch.id('identity', n);
  if (n % 2 === 0) return { type: 'SystemAssigned', tenantId: sketch.tenantId, principalId };
  const path = `${sketch.resourceGroup(n)}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/id-${n}`;
  const shared = { principalId, clientId: sketch.id('identityClient', n) };
  // An identity that is just being made has no principal yet.
  const unfinished = { clientId: sketch.id('identityClient', 99) };
  return { type: 'UserAssigned', userAssignedIdentities: { [path]: shared, [`${path}-new`]: unfinished } };
}
