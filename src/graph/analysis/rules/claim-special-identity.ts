import {
  collectedDomains,
  domainPrincipal,
  specialIdentities,
  wellKnownPrincipal,
  wellKnownSids,
} from '../domains.ts';
import type { Rule } from '../facts.ts';

/** Everyone can come to be what depends only on how one logs on, and Guest where that is switched on. */
export const claimSpecialIdentity: Rule = ({ estate }, add) => {
  for (const domain of collectedDomains(estate)) {
    const everyone = wellKnownPrincipal(estate, domain, wellKnownSids.everyone);
    if (everyone === undefined) continue;
    for (const [sid] of specialIdentities) {
      const identity = wellKnownPrincipal(estate, domain, sid);
      if (identity !== undefined) add(everyone, identity);
    }
    const guest = domainPrincipal(estate, domain, 501);
    if (guest !== undefined && estate.property(guest, 'enabled') === true) add(everyone, guest);
  }
};
