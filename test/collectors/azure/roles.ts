import { appRoleEdges, roleTemplates } from '../../../src/graph/ingest/convert/azure/role-ids.ts';
import { graphAppId, graphNumber } from './directory.ts';
import type { TenantSketch } from './sketch.ts';

const appRoles = [...appRoleEdges.keys()].map((id) => id.toLowerCase());
/** One of Microsoft Graph's that no edge stands for. */
const mailRead = '810c84a8-4a9e-49e6-bf7d-12d183f40d01';

export function putRoles(sketch: TenantSketch): void {
  Object.entries(roleTemplates).forEach(([name, template], index) => {
    putRole(sketch, name, template.toLowerCase(), index);
  });
  putAppRoles(sketch);
}

function putRole(sketch: TenantSketch, name: string, id: string, index: number): void {
  const { random, size, tenantId } = sketch;
  sketch.put('AZRole', {
    ...{ id, templateId: id, displayName: name, description: `Template ${name}`, isEnabled: true },
    ...{ isBuiltIn: true, ...sketch.home },
  });
  // The collector writes a scope that is an application as its client id.
  const scope = () =>
    random.chance(0.3) && size.apps > 0 ? `/${sketch.id('app', random.below(size.apps))}` : '/';
  const roleAssignments = Array.from({ length: random.below(4) }, () => ({
    ...{ roleDefinitionId: id, principalId: sketch.principal(), directoryScopeId: scope() },
  }));
  sketch.put('AZRoleAssignment', { tenantId, roleDefinitionId: id, roleAssignments });
  if (index % 3 === 0) {
    sketch.put('AZRoleEligibilityScheduleInstance', {
      ...{ id: sketch.id('other', 1000 + index), roleDefinitionId: id, principalId: sketch.principal() },
      ...{ directoryScopeId: scope(), tenantId },
    });
  }
  if (index % 2 === 0) putPolicy(sketch, id, index);
}

function putPolicy(sketch: TenantSketch, roleDefinitionId: string, index: number): void {
  const { size, tenantId } = sketch;
  sketch.put('AZRoleManagementPolicyAssignment', {
    ...{ id: `policy-${index}`, roleDefinitionId, tenantId },
    ...{ endUserAssignmentRequiresApproval: index % 4 === 0, endUserAssignmentRequiresMFA: true },
    ...{ endUserAssignmentRequiresJustification: index % 3 === 0 },
    endUserAssignmentUserApprovers: sketch.some(2, size.users).map((number) => sketch.id('user', number)),
    endUserAssignmentGroupApprovers: sketch.some(1, size.groups).map((number) => sketch.id('group', number)),
  });
}

function putAppRoles(sketch: TenantSketch): void {
  const { random, size, tenantId } = sketch;
  const resource = {
    resourceId: sketch.id('principal', graphNumber),
    resourceDisplayName: 'Microsoft Graph',
  };
  for (let n = 0; n < size.apps; n += 1) {
    const principal = { principalId: sketch.id('principal', n), principalDisplayName: `App ${n}` };
    for (const appRoleId of [random.pick(appRoles), mailRead]) {
      const principalType = 'ServicePrincipal';
      const assignment = { appId: graphAppId, appRoleId, principalType, ...principal, ...resource, tenantId };
      sketch.put('AZAppRoleAssignment', assignment);
    }
  }
  if (size.apps === 0) return;
  // Of another application than Microsoft Graph, and to a user: neither counts.
  const own = {
    resourceId: sketch.id('principal', 0),
    resourceDisplayName: 'App 0',
    appRoleId: appRoles[0],
    tenantId,
  };
  sketch.put('AZAppRoleAssignment', {
    ...{ ...own, appId: sketch.id('app', 0), principalType: 'ServicePrincipal' },
    principalId: sketch.id('principal', size.apps - 1),
  });
  sketch.put('AZAppRoleAssignment', {
    ...{ ...own, appId: graphAppId, principalType: 'User', principalId: sketch.id('user', 0) },
  });
}
