import type { Rule } from '../../facts.ts';

export const azGlobalAdmin: Rule = ({ tenants }, add) => {
  for (const tenant of tenants)
    for (const holder of tenant.holders('globalAdministrator')) add(holder, tenant.node);
};
