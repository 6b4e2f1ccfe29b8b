import { product } from './azure.ts';
import { type Graph, isA, type Node, type Pair } from './graph.ts';
import { contained, ordinaryGroups } from './tenants.ts';

/** What each permission on Microsoft Graph allows, and to what. */
const permissions: Readonly<Record<string, (graph: Graph, tenant: Node) => Record<string, Node[]>>> = {
  AZMGApplication_ReadWrite_All: (graph, tenant) => ({
    AZMGAddSecret: applications(graph, tenant),
    AZMGAddOwner: applications(graph, tenant),
  }),
  AZMGAppRoleAssignment_ReadWrite_All: (_graph, tenant) => ({ AZMGGrantAppRoles: [tenant] }),
  AZMGDirectory_ReadWrite_All: ordinaryGroupsOf,
  AZMGGroup_ReadWrite_All: ordinaryGroupsOf,
  AZMGGroupMember_ReadWrite_All: (graph, tenant) => ({ AZMGAddMember: ordinaryGroups(graph, tenant) }),
  AZMGRoleManagement_ReadWrite_Directory: (graph, tenant) => {
    const roles = contained(graph, tenant, 'AZRole');
    const groups = contained(graph, tenant, 'AZGroup');
    return {
      AZMGGrantAppRoles: roles.length > 0 ? [tenant] : [],
      AZMGGrantRole: roles,
      AZMGAddSecret: applications(graph, tenant),
      AZMGAddOwner: [...applications(graph, tenant), ...groups],
      AZMGAddMember: groups,
    };
  },
  AZMGServicePrincipalEndpoint_ReadWrite_All: (graph, tenant) => ({
    AZMGAddOwner: contained(graph, tenant, 'AZServicePrincipal'),
  }),
};

function applications(graph: Graph, tenant: Node): Node[] {
  return contained(graph, tenant, 'AZServicePrincipal', 'AZApp');
}

function ordinaryGroupsOf(graph: Graph, tenant: Node) {
  const groups = ordinaryGroups(graph, tenant);
  return { AZMGAddMember: groups, AZMGAddOwner: groups };
}

/** Service principals with the permission on a service principal of the tenant; nobody does it to himself. */
function allowed(edge: string): (graph: Graph) => Pair[] {
  return (graph) =>
    graph.ofKind('AZTenant').flatMap((tenant) =>
      Object.entries(permissions).flatMap(([permission, ends]) => {
        const sources = contained(graph, tenant, 'AZServicePrincipal')
          .flatMap((resource) => [...graph.starts(resource, permission)])
          .filter((node) => isA(node, 'AZServicePrincipal'));
        return product(sources, ends(graph, tenant)[edge] ?? []).filter(([start, end]) => start !== end);
      }),
    );
}

export const azMgAddSecret = allowed('AZMGAddSecret');
export const azMgAddOwner = allowed('AZMGAddOwner');
export const azMgAddMember = allowed('AZMGAddMember');
export const azMgGrantAppRoles = allowed('AZMGGrantAppRoles');
export const azMgGrantRole = allowed('AZMGGrantRole');
