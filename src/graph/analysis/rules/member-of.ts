import { collectedDomains, domainPrincipal, wellKnownPrincipal, wellKnownSids } from '../domains.ts';
import type { Rule } from '../facts.ts';

/** What no directory lists: Domain Users and Domain Computers log on, and whoever logs on, or is Guest, is Everyone. */
export const memberOf: Rule = ({ estate }, add) => {
  for (const domain of collectedDomains(estate)) {
    const authenticated = wellKnownPrincipal(estate, domain, wellKnownSids.authenticatedUsers);
    const everyone = wellKnownPrincipal(estate, domain, wellKnownSids.everyone);
    const [guest, users, computers] = [501, 513, 515].map((rid) => domainPrincipal(estate, domain, rid));
    const link = (member: number | undefined, group: number | undefined) => {
      if (member !== undefined && group !== undefined) add(member, group);
    };
    link(users, authenticated);
    link(computers, authenticated);
    link(authenticated, everyone);
    link(guest, everyone);
  }
};
