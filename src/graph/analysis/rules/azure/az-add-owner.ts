import type { Rule } from '../../facts.ts';
import { toOthers } from './to-others.ts';

/** From the role itself: whoever has it comes there by AZHasRole. */
export const azAddOwner: Rule = ({ tenants }, add) => {
  for (const tenant of tenants) {
    const roles = tenant.rolesNamed(
      'hybridIdentityAdministrator',
      'partnerTier1Support',
      'partnerTier2Support',
      'directorySynchronizationAccounts',
    );
    toOthers(roles, [tenant.apps, tenant.servicePrincipals], add);
  }
};
