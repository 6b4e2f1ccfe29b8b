import type { Rule } from '../../facts.ts';

export const azPrivilegedAuthAdmin: Rule = ({ tenants }, add) => {
  for (const tenant of tenants)
    for (const holder of tenant.holders('privilegedAuthenticationAdministrator')) add(holder, tenant.node);
};
