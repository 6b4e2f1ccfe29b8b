import { BitSet } from './bits.ts';
import { domainOf, domainPrincipal } from './domains.ts';
import type { Groups } from './membership.ts';

/** From here on down the functional level of a domain knows no Protected Users. */
const withoutProtectedUsers = /^(2000|2003|2008|2012$)/;

/** Computers whose NTLM log-on can be had and passed on: nothing keeps them from using NTLM towards others. */
export function unprotectedComputers({ estate, membership }: Groups): BitSet {
  const found = new BitSet(estate.size);
  for (const computer of estate.nodesOf('Computer')) {
    if (estate.property(computer, 'restrictoutboundntlm') !== false) continue;
    const domain = domainOf(estate, computer);
    const protectedUsers = domain === undefined ? undefined : domainPrincipal(estate, domain, 525);
    if (
      domain === undefined ||
      protectedUsers === undefined ||
      !membership.isMember(computer, protectedUsers)
    )
      found.add(computer);
    else if (withoutProtectedUsers.test(String(estate.property(domain, 'functionallevel'))))
      found.add(computer);
  }
  return found;
}
