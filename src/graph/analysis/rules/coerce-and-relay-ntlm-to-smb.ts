import { authenticatedUsersOf, domainOf } from '../domains.ts';
import type { Rule } from '../facts.ts';

/**
 * Anybody in the domain can make an unprotected computer log on somewhere, and pass that on to a computer that checks no
 * signatures and where the first one is an administrator.
 */
export const coerceAndRelayNtlmToSmb: Rule = (facts, add) => {
  const { estate, membership, unprotectedComputers } = facts;
  const unprotectedIn = membership.twoMembersAmong(unprotectedComputers);
  for (const computer of estate.nodesOf('Computer')) {
    if (estate.property(computer, 'smbsigning') !== false) continue;
    const isAnother = (other: number) => other !== computer;
    const isCoerced = (admin: number) =>
      (unprotectedComputers.has(admin) && isAnother(admin)) || unprotectedIn(admin).some(isAnother);
    if (!estate.sources(computer, 'AdminTo').some(isCoerced)) continue;
    const domain = domainOf(estate, computer);
    const anybody = domain === undefined ? undefined : authenticatedUsersOf(estate, domain);
    if (anybody !== undefined) add(anybody, computer);
  }
};
