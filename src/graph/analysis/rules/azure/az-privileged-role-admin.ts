import type { Rule } from '../../facts.ts';

export const azPrivilegedRoleAdmin: Rule = ({ tenants }, add) => {
  for (const tenant of tenants)
    for (const holder of tenant.holders('privilegedRoleAdministrator')) add(holder, tenant.node);
};
