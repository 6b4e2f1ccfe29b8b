import type { RoleName, Tenant } from '../../azure/tenant.ts';
import type { Rule } from '../../facts.ts';

/** Whose password each role resets: everybody's, or those of people who have no role besides the listed ones. */
const resets: Partial<Record<RoleName, 'everybody' | readonly RoleName[]>> = {
  globalAdministrator: 'everybody',
  privilegedAuthenticationAdministrator: 'everybody',
  partnerTier2Support: 'everybody',
  userAdministrator: [
    'userAdministrator',
    'reportsReader',
    'messageCenterReader',
    'helpdeskAdministrator',
    'guestInviter',
    'directoryReaders',
    'passwordAdministrator',
    'usageSummaryReportsReader',
    'groupsAdministrator',
  ],
  helpdeskAdministrator: [
    'reportsReader',
    'messageCenterReader',
    'helpdeskAdministrator',
    'guestInviter',
    'directoryReaders',
    'passwordAdministrator',
    'usageSummaryReportsReader',
  ],
  authenticationAdministrator: [
    'authenticationAdministrator',
    'reportsReader',
    'messageCenterReader',
    'guestInviter',
    'directoryReaders',
    'passwordAdministrator',
    'usageSummaryReportsReader',
  ],
  passwordAdministrator: ['passwordAdministrator', 'guestInviter', 'directoryReaders'],
  partnerTier1Support: [],
};

export const azResetPassword: Rule = ({ tenants }, add) => {
  for (const tenant of tenants) {
    for (const [name, whose] of Object.entries(resets)) {
      const roles = tenant.rolesNamed(name as RoleName);
      if (roles.length === 0) continue;
      const users = whose === 'everybody' ? tenant.users : unprivileged(tenant, whose);
      for (const role of roles) for (const user of users) add(role, user);
    }
  }
};

/** Who is in a group that can have roles is spared, whatever roles that has. */
function unprivileged(tenant: Tenant, mayHave: readonly RoleName[]): readonly number[] {
  const others = tenant.holdersOfOthers(mayHave);
  return tenant.users.filter((user) => !others.has(user) && !tenant.membersOfRoleGroups.has(user));
}
