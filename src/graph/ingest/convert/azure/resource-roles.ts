import { model } from '../members.ts';
import { type AzureItem, elements, type ItemReader, type ItemReaders, part, subscriptionId } from './item.ts';
import { resourceRoles } from './role-ids.ts';

const assignmentModel = model('properties');
const propertiesModel = model('principalId', 'scope');

interface Grant {
  readonly assignment: unknown;
  readonly path: string;
  readonly edge: string;
  readonly target: { readonly kind: string; readonly id: string };
  /** The assignment counts when it is made here: what is inherited follows from the containers. */
  readonly scope: string;
}

function stateGrant(item: AzureItem, { assignment, path, edge, target, scope }: Grant): void {
  const { properties } = part(item, assignment, path, assignmentModel);
  const members = part(item, properties, `${path}.properties`, propertiesModel);
  if (item.id(members.scope, `${path}.properties.scope`) !== scope) return;
  const start = { kind: 'AZBase', id: item.id(members.principalId, `${path}.properties.principalId`) };
  item.edge(start, edge, target);
}

interface RoleList {
  readonly target: string;
  readonly idMember: string;
  readonly edge: string;
  readonly list: string;
  readonly element: string;
}

/** The assignments of one role that the collector has picked out. */
function roleList({ target, idMember, edge, list, element }: RoleList): ItemReader {
  const outer = model<string>(idMember, list);
  const inner = model<string>(element);
  return (item, data) => {
    const members = outer(data);
    const found = item.needed(members[idMember], `data.${idMember}`);
    if (found === undefined) return;
    const isSubscription = idMember === 'subscriptionId';
    const id = isSubscription ? (subscriptionId(item, found, `data.${idMember}`) ?? found) : found;
    for (const [entry, index] of elements(item, members[list], `data.${list}`, inner)) {
      const path = `data.${list}[${index}].${element}`;
      stateGrant(item, { assignment: entry[element], path, edge, target: { kind: target, id }, scope: id });
    }
  };
}

const scopes = [
  ['AZManagementGroup', 'managementGroupId'],
  ['AZSubscription', 'subscriptionId'],
  ['AZResourceGroup', 'resourceGroupId'],
  ['AZKeyVault', 'keyVaultId'],
  ['AZVM', 'virtualMachineId'],
] as const;
const commonLists = [
  ['Owner', 'owner', 'AZOwner'],
  ['Contributor', 'contributor', 'AZContributor'],
  ['UserAccessAdmin', 'userAccessAdmin', 'AZUserAccessAdministrator'],
] as const;
const vault = { target: 'AZKeyVault', idMember: 'keyVaultId' };
const machine = { target: 'AZVM', idMember: 'virtualMachineId' };
const named = (element: string) => ({ list: `${element}s`, element });

const lists: ItemReaders = [
  ...scopes.flatMap(([target, idMember]) =>
    commonLists.map(
      ([end, element, edge]) =>
        [`${target}${end}`, roleList({ target, idMember, edge, ...named(element) })] as const,
    ),
  ),
  [
    'AZKeyVaultKVContributor',
    roleList({ ...vault, edge: 'AZKeyVaultContributor', ...named('kvContributor') }),
  ],
  ['AZVMAdminLogin', roleList({ ...machine, edge: 'AZVMAdminLogin', ...named('adminLogin') })],
  [
    'AZVMAvereContributor',
    roleList({ ...machine, edge: 'AZAvereContributor', ...named('avereContributor') }),
  ],
  ['AZVMVMContributor', roleList({ ...machine, edge: 'AZVMContributor', ...named('vmContributor') })],
];

const commonEdges: readonly [role: string, edge: string][] = [
  [resourceRoles.owner, 'AZOwner'],
  [resourceRoles.contributor, 'AZContributor'],
  [resourceRoles.userAccessAdministrator, 'AZUserAccessAdministrator'],
];

const assigneesModel = model('objectId', 'assignees');
const assigneeModel = model('assignee', 'objectId', 'roleDefinitionId');

/** All assignments of a resource, of whatever role. */
function assignedRoles(target: string, ...own: readonly [role: string, edge: string][]): ItemReaders[number] {
  const edges = new Map([...commonEdges, ...own]);
  return [
    `${target}RoleAssignment`,
    (item, data) => {
      const { objectId, assignees } = assigneesModel(data);
      const id = item.needed(objectId, 'data.objectId');
      if (id === undefined) return;
      for (const [members, index] of elements(item, assignees, 'data.assignees', assigneeModel)) {
        const path = `data.assignees[${index}]`;
        const role = item.id(members.roleDefinitionId, `${path}.roleDefinitionId`);
        // A bare id, or the path that ends with it.
        const edge = edges.get(role?.slice(role.lastIndexOf('/') + 1) ?? '');
        if (edge === undefined) continue;
        const scope = item.id(members.objectId, `${path}.objectId`) ?? id;
        const grant = { assignment: members.assignee, path: `${path}.assignee`, edge, scope };
        stateGrant(item, { ...grant, target: { kind: target, id } });
      }
    },
  ];
}

export const resourceRoleReaders: ItemReaders = [
  ...lists,
  assignedRoles('AZFunctionApp', [resourceRoles.websiteContributor, 'AZWebsiteContributor']),
  assignedRoles('AZWebApp', [resourceRoles.websiteContributor, 'AZWebsiteContributor']),
  assignedRoles('AZLogicApp', [resourceRoles.logicAppContributor, 'AZLogicAppContributor']),
  assignedRoles('AZAutomationAccount', [resourceRoles.automationContributor, 'AZAutomationContributor']),
  assignedRoles('AZManagedCluster', [resourceRoles.aksContributor, 'AZAKSContributor']),
  assignedRoles('AZVMScaleSet', [resourceRoles.vmContributor, 'AZVMContributor']),
  assignedRoles('AZContainerRegistry'),
];
