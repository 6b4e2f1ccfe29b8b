import type { Rule } from '../../facts.ts';

export const azMgGrantAppRoles: Rule = ({ tenants }, add) => {
  for (const tenant of tenants) {
    const kinds = ['AZMGAppRoleAssignment_ReadWrite_All'];
    // Who manages roles takes one first, so there must be one.
    if (tenant.roles.length > 0) kinds.push('AZMGRoleManagement_ReadWrite_Directory');
    for (const holder of tenant.permitted(...kinds)) add(holder, tenant.node);
  }
};
