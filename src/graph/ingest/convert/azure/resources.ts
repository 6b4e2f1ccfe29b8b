import { nameType } from '../draft.ts';
import { model } from '../members.ts';
import { stateAccessPolicy } from './access-policies.ts';
import { stateIdentities } from './identities.ts';
import {
  type AzureItem,
  elements,
  filled,
  type ItemReader,
  type ItemReaders,
  part,
  subscriptionId,
} from './item.ts';
import { readProperties } from './properties.ts';

const resourceModel = model(
  ...['id', 'name', 'displayName', 'resourceGroup', 'resourceGroupId', 'subscriptionId', 'tenantId'],
  ...['identity', 'properties'],
);
type Resource = ReturnType<typeof resourceModel>;
type Own = Readonly<Record<string, string | boolean | undefined>>;

interface Shape {
  /** What contains it. */
  readonly container: (item: AzureItem, members: Resource) => readonly [kind: string, id: string | undefined];
  /** Properties besides name and tenant. */
  readonly properties?: (item: AzureItem, members: Resource) => Own;
  readonly also?: (item: AzureItem, resource: { kind: string; id: string }, members: Resource) => void;
}

function resource(kind: string, { container, properties, also }: Shape): readonly [string, ItemReader] {
  return [
    kind,
    (item, data) => {
      const members = resourceModel(data);
      const id = item.needed(members.id, 'data.id');
      if (id === undefined) return;
      const others = {
        name: filled(text(item, members.name, 'data.name')),
        tenantid: item.id(members.tenantId, 'data.tenantId'),
        ...properties?.(item, members),
      };
      item.node(kind, id, readProperties(item, {}, {}, others));
      const [outerKind, outerId] = container(item, members);
      item.edge({ kind: outerKind, id: outerId }, 'AZContains', { kind, id });
      also?.(item, { kind, id }, members);
    },
  ];
}

const inTenant: Shape['container'] = (item, members) => [
  'AZTenant',
  item.id(members.tenantId, 'data.tenantId'),
];
const inSubscription: Shape['container'] = (item, members) => [
  'AZSubscription',
  subscriptionId(item, members.subscriptionId, 'data.subscriptionId'),
];
const inGroup: Shape['container'] = (item, members) => [
  'AZResourceGroup',
  item.id(members.resourceGroupId, 'data.resourceGroupId'),
];
/** Vaults name it otherwise. */
const vaultInGroup: Shape['container'] = (item, members) => [
  'AZResourceGroup',
  item.id(members.resourceGroup ?? members.resourceGroupId, 'data.resourceGroup'),
];

const displayNameModel = model('displayName');
const machineModel = model('storageProfile');
const storageModel = model('osDisk');
const diskModel = model('osType');
const clusterModel = model('nodeResourceGroup');
const vaultModel = model('enableRbacAuthorization', 'accessPolicies');

const path = 'data.properties';

/** Empty when it is missing; undefined, with a warning, when it is something else. */
function text(item: AzureItem, value: unknown, at: string): string | undefined {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  item.draft.warn(at, `must be a text, but is ${nameType(value)}`);
  return undefined;
}

function nodeGroupOf(item: AzureItem, members: Resource): string | undefined {
  const { nodeResourceGroup } = part(item, members.properties, path, clusterModel);
  const group = item.id(nodeResourceGroup, `${path}.nodeResourceGroup`);
  const subscription = subscriptionId(item, members.subscriptionId, 'data.subscriptionId');
  if (group === undefined || subscription === undefined) return undefined;
  return item.id(`${subscription}/RESOURCEGROUPS/${group}`, `${path}.nodeResourceGroup`);
}

const subscription = resource('AZSubscription', {
  container: inTenant,
  properties: (item, members) => {
    const displayname = text(item, members.displayName, 'data.displayName');
    return { name: filled(displayname), displayname };
  },
});

const managementGroup = resource('AZManagementGroup', {
  container: inTenant,
  // Its name has the tenant's in it, so that analysis gives it.
  properties: (item, members) => {
    const { displayName } = part(item, members.properties, path, displayNameModel);
    const displayname = text(item, displayName, `${path}.displayName`)?.toUpperCase();
    return { name: undefined, displayname };
  },
});

const vault = resource('AZKeyVault', {
  container: vaultInGroup,
  properties: (item, members) => {
    const { enableRbacAuthorization } = part(item, members.properties, path, vaultModel);
    const at = `${path}.enableRbacAuthorization`;
    return { enablerbacauthorization: item.draft.flag(enableRbacAuthorization, at) };
  },
  also: (item, { id }, members) => {
    const { accessPolicies } = part(item, members.properties, path, vaultModel);
    // The collector sends no item for a policy about secrets alone, but the vault has all of them.
    for (const [policy, index] of elements(
      item,
      accessPolicies,
      `${path}.accessPolicies`,
      (value) => value,
    )) {
      stateAccessPolicy(item, id, policy, `${path}.accessPolicies[${index}]`);
    }
  },
});

const machine = resource('AZVM', {
  container: inGroup,
  properties: (item, members) => {
    const { storageProfile } = part(item, members.properties, path, machineModel);
    const { osDisk } = part(item, storageProfile, `${path}.storageProfile`, storageModel);
    const disk = `${path}.storageProfile.osDisk`;
    const { osType } = part(item, osDisk, disk, diskModel);
    return { operatingsystem: text(item, osType, `${disk}.osType`) };
  },
  also: stateIdentities,
});

const cluster = resource('AZManagedCluster', {
  container: inGroup,
  properties: (item, members) => ({ noderesourcegroupid: nodeGroupOf(item, members) }),
  also: (item, start, members) => {
    item.edge(start, 'AZNodeResourceGroup', { kind: 'AZResourceGroup', id: nodeGroupOf(item, members) });
  },
});

const descendantModel = model('id', 'properties');
const parentModel = model('parent');
const idModel = model('id');

/** A management group or a subscription inside a management group. */
const descendant: ItemReader = (item, data) => {
  const { id, properties } = descendantModel(data);
  const child = item.needed(id, 'data.id');
  if (child === undefined) return;
  const { parent } = part(item, properties, path, parentModel);
  const outer = item.needed(part(item, parent, `${path}.parent`, idModel).id, `${path}.parent.id`);
  item.edge({ kind: 'AZManagementGroup', id: outer }, 'AZContains', { kind: 'AZBase', id: child });
};

const withIdentities = [
  ...[
    'AZVMScaleSet',
    'AZFunctionApp',
    'AZWebApp',
    'AZLogicApp',
    'AZAutomationAccount',
    'AZContainerRegistry',
  ],
];

export const resourceReaders: ItemReaders = [
  subscription,
  managementGroup,
  ['AZManagementGroupDescendant', descendant],
  resource('AZResourceGroup', { container: inSubscription }),
  vault,
  machine,
  ...withIdentities.map((kind) => resource(kind, { container: inGroup, also: stateIdentities })),
  cluster,
];
