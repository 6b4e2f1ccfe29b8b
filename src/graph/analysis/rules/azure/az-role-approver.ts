import type { Estate } from '../../estate.ts';
import type { Rule } from '../../facts.ts';

export const azRoleApprover: Rule = ({ estate, tenants }, add) => {
  const tenantOf = new Map(tenants.map((tenant) => [estate.objectId(tenant.node), tenant]));
  for (const role of estate.nodesOf('AZRole')) {
    const tenant = tenantOf.get(estate.environment(role) ?? '');
    const named = approversOf(estate, role);
    if (tenant === undefined || named === undefined) continue;
    const approvers =
      named.length > 0
        ? found(estate, named)
        : tenant.rolesNamed('globalAdministrator', 'privilegedRoleAdministrator');
    for (const approver of approvers) add(approver, role);
  }
};

/** Undefined where nobody has to approve, or where it is not known who does; empty where those decide who always may. */
function approversOf(estate: Estate, role: number): readonly unknown[] | undefined {
  if (estate.property(role, 'enduserassignmentrequiresapproval') !== true) return undefined;
  const lists = ['enduserassignmentuserapprovers', 'enduserassignmentgroupapprovers']
    .map((name) => estate.property(role, name))
    .filter((list) => Array.isArray(list));
  return lists.length === 0 ? undefined : lists.flat();
}

function found(estate: Estate, ids: readonly unknown[]): number[] {
  return ids.flatMap((id) => {
    const node = estate.find(String(id).toUpperCase());
    return node !== undefined && estate.has(node, 'AZBase') ? [node] : [];
  });
}
