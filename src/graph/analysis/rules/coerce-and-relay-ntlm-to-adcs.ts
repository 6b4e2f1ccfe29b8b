import { BitSet } from '../bits.ts';
import { authenticatedUsersOf, domainOf } from '../domains.ts';
import type { Facts, Rule } from '../facts.ts';

/**
 * Anybody in the domain can make an unprotected computer log on somewhere, and pass that on to a CA's web page that does
 * not check where it comes from, which issues a certificate for the computer.
 */
export const coerceAndRelayNtlmToAdcs: Rule = (facts, add) => {
  const { estate, unprotectedComputers } = facts;
  const victims = certifiable(facts);
  victims.keepOnly(unprotectedComputers);
  victims.each((computer) => {
    const domain = domainOf(estate, computer);
    const anybody = domain === undefined ? undefined : authenticatedUsersOf(estate, domain);
    if (anybody !== undefined) add(anybody, computer);
  });
};

/** Who can get a certificate to log on with from a CA with such a page, which need not be trusted in any domain. */
function certifiable({ estate, certificates }: Facts): BitSet {
  const all = new BitSet(estate.size);
  const done = new Set<string>();
  for (const authority of certificates.authorities) {
    if (authority.hosts.length === 0) continue;
    if (estate.property(authority.node, 'hasvulnerableendpoint') !== true) continue;
    const atAuthority = certificates.mayEnrollAt(authority);
    for (const node of authority.templates) {
      const template = certificates.template(node);
      if (!(template.issuesFreely && template.authenticates)) continue;
      const inTemplate = certificates.mayEnrollIn(template);
      const key = `${inTemplate.id} ${atAuthority.id}`;
      if (done.has(key)) continue;
      done.add(key);
      all.addAll(certificates.victims.of(inTemplate, atAuthority));
    }
  }
  return all;
}
