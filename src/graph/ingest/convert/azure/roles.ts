import { model } from '../members.ts';
import { type AzureItem, elements, type ItemReader, type ItemReaders, joined } from './item.ts';
import { type PropertyTable, readProperties } from './properties.ts';
import { roleTemplates } from './role-ids.ts';

/** The same roles are in every tenant, so the tenant belongs to the id. */
function neededRole(
  item: AzureItem,
  { role, path, tenant }: { readonly role: unknown; readonly path: string; readonly tenant: unknown },
): { readonly id: string; readonly role: string; readonly tenant: string } | undefined {
  const [left, right] = [item.needed(role, path), item.needed(tenant, 'data.tenantId')];
  const id = left === undefined || right === undefined ? undefined : item.needed(`${left}@${right}`, path);
  return id === undefined ? undefined : { id, role: left as string, tenant: right as string };
}

const roleModel = model<string>(
  ...['id', 'templateId', 'displayName', 'description', 'isEnabled', 'isBuiltIn', 'tenantId', 'tenantName'],
);
const roleProperties: PropertyTable = {
  displayname: ['displayName', 'text'],
  description: ['description', 'text'],
  enabled: ['isEnabled', 'flag'],
  isbuiltin: ['isBuiltIn', 'flag'],
  templateid: ['templateId', 'text'],
};

const role: ItemReader = (item, data) => {
  const members = roleModel(data);
  const found = neededRole(item, { role: members.id, path: 'data.id', tenant: members.tenantId });
  if (found === undefined) return;
  const { id, tenant } = found;
  const others = { name: joined(members.displayName, members.tenantName), tenantid: tenant };
  item.node('AZRole', id, readProperties(item, members, roleProperties, others));
  item.edge({ kind: 'AZTenant', id: tenant }, 'AZContains', { kind: 'AZRole', id });
};

/** Roles that are given for one application. */
const scopedEdges: ReadonlyMap<string, string> = new Map([
  [roleTemplates.applicationAdministrator, 'AZAppAdmin'],
  [roleTemplates.cloudApplicationAdministrator, 'AZCloudAppAdmin'],
]);

const assignmentsModel = model('tenantId', 'roleDefinitionId', 'roleAssignments');
const assignmentModel = model('roleDefinitionId', 'principalId', 'directoryScopeId');

interface Assignment {
  readonly role: string;
  readonly principal: string;
  /** Undefined: the whole tenant. */
  readonly scope: string | undefined;
}

function readAssignments(item: AzureItem, list: unknown, outerRole: string | undefined): Assignment[] {
  const found: Assignment[] = [];
  for (const [members, index] of elements(item, list, 'data.roleAssignments', assignmentModel)) {
    const path = `data.roleAssignments[${index}]`;
    const role = item.id(members.roleDefinitionId, `${path}.roleDefinitionId`) ?? outerRole;
    const principal = item.id(members.principalId, `${path}.principalId`);
    const scope = scopeOf(item, members.directoryScopeId, `${path}.directoryScopeId`);
    if (role === undefined) item.draft.warn(`${path}.roleDefinitionId`, 'is missing');
    if (role === undefined || principal === undefined || scope === undefined) continue;
    found.push({ role, principal, scope: scope === '' ? undefined : scope });
  }
  return found;
}

/** Empty for the whole tenant; undefined when it can't be read: nobody has a role everywhere by mistake (gap 11.1). */
function scopeOf(item: AzureItem, value: unknown, path: string): string | undefined {
  const isEmpty = value === undefined || value === null || value === '';
  return isEmpty ? '' : item.id(value, path)?.replace(/^\//, '');
}

/** All assignments of one role. */
const assignments: ItemReader = (item, data) => {
  const { tenantId, roleDefinitionId, roleAssignments } = assignmentsModel(data);
  const tenant = item.needed(tenantId, 'data.tenantId');
  if (tenant === undefined) return;
  const outer = item.id(roleDefinitionId, 'data.roleDefinitionId');
  // A principal has one edge to a role: the widest of its scopes says how far it reaches, in whatever order.
  const scopes = new Map<string, Assignment>();
  for (const assignment of readAssignments(item, roleAssignments, outer)) {
    const { role, principal, scope } = assignment;
    const scopedEdge = scopedEdges.get(role);
    if (scope !== undefined && scopedEdge !== undefined) {
      item.edge({ kind: 'AZBase', id: principal }, scopedEdge, { kind: 'AZBase', id: scope });
      continue;
    }
    const key = `${principal} ${role}`;
    const other = scopes.get(key);
    if (other === undefined || isWider(scope, other.scope)) scopes.set(key, assignment);
  }
  for (const { role, principal, scope = tenant } of scopes.values()) {
    const end = { kind: 'AZRole', id: item.id(`${role}@${tenant}`, 'data.roleDefinitionId') };
    item.edge({ kind: 'AZBase', id: principal }, 'AZHasRole', end, { scope });
  }
};

function isWider(scope: string | undefined, than: string | undefined): boolean {
  if (than === undefined) return false;
  return scope === undefined || scope < than;
}

function neededDefinition(
  item: AzureItem,
  members: { readonly roleDefinitionId: unknown; readonly tenantId: unknown },
): ReturnType<typeof neededRole> {
  const { roleDefinitionId: role, tenantId: tenant } = members;
  return neededRole(item, { role, path: 'data.roleDefinitionId', tenant });
}

const eligibleModel = model('roleDefinitionId', 'principalId', 'directoryScopeId', 'tenantId');

const eligible: ItemReader = (item, data) => {
  const members = eligibleModel(data);
  const found = neededDefinition(item, members);
  if (found === undefined) return;
  const principal = item.needed(members.principalId, 'data.principalId');
  if (item.id(members.directoryScopeId, 'data.directoryScopeId') !== '/') return;
  item.edge({ kind: 'AZBase', id: principal }, 'AZRoleEligible', { kind: 'AZRole', id: found.id });
};

const policyMembers = [
  'endUserAssignmentRequiresApproval',
  'endUserAssignmentRequiresCAPAuthenticationContext',
  'endUserAssignmentRequiresMFA',
  'endUserAssignmentRequiresJustification',
  'endUserAssignmentRequiresTicketInformation',
] as const;
const approverMembers = ['endUserAssignmentUserApprovers', 'endUserAssignmentGroupApprovers'] as const;
const policyModel = model('roleDefinitionId', 'tenantId', ...policyMembers, ...approverMembers);
const policyProperties: PropertyTable = Object.fromEntries([
  ...policyMembers.map((member) => [member.toLowerCase(), [member, 'flag'] as const] as const),
  ...approverMembers.map((member) => [member.toLowerCase(), [member, 'list'] as const] as const),
]);

/**
 * What has to be done before the role can be used. Who approves follows from it in analysis. It is said about the
 * role itself, so a later policy replaces what an earlier one said.
 */
const policy: ItemReader = (item, data) => {
  const members = policyModel(data);
  const found = neededDefinition(item, members);
  if (found === undefined) return;
  const others = { roledefinitionid: found.role, tenantid: found.tenant };
  item.node('AZRole', found.id, readProperties(item, members, policyProperties, others));
};

export const roleReaders: ItemReaders = [
  ['AZRole', role],
  ['AZRoleAssignment', assignments],
  ['AZRoleEligibilityScheduleInstance', eligible],
  ['AZRoleManagementPolicyAssignment', policy],
];
