import type { Rule } from '../../facts.ts';
import { toOthers } from './to-others.ts';

/** From the role itself: whoever has it comes there by AZHasRole. */
export const azAddSecret: Rule = ({ tenants }, add) => {
  for (const tenant of tenants) {
    const roles = tenant.rolesNamed('applicationAdministrator', 'cloudApplicationAdministrator');
    toOthers(roles, [tenant.apps, tenant.servicePrincipals], add);
  }
};
