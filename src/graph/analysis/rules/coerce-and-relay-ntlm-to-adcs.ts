import type { BitSet } from '../bits.ts';
import { authenticatedUsersOf } from '../domains.ts';
import type { Facts, Rule } from '../facts.ts';

/**
 * Anybody in a domain that takes the CA's certificates can make an unprotected computer log on somewhere, and pass that
 * on to a web page of the CA that does not check where it comes from, which issues a certificate for the computer.
 */
export const coerceAndRelayNtlmToAdcs: Rule = (facts, add) => {
  for (const [anybody, computers] of relayable(facts)) computers.each((computer) => add(anybody, computer));
};

/** For each group of Authenticated Users the computers that can be had from CAs which its domain trusts. */
function relayable({ estate, certificates, unprotectedComputers }: Facts): ReadonlyMap<number, BitSet> {
  const found = new Map<number, BitSet>();
  const done = new Set<string>();
  for (const { authority, template } of certificates.offers()) {
    if (estate.property(authority.node, 'hasvulnerableendpoint') !== true) continue;
    if (!(template.issuesFreely && template.authenticates)) continue;
    const groups = authority.domains.flatMap((domain) => authenticatedUsersOf(estate, domain) ?? []);
    const [inTemplate, atAuthority] = [
      certificates.mayEnrollIn(template),
      certificates.mayEnrollAt(authority),
    ];
    const key = [inTemplate.id, atAuthority.id, ...groups].join(' ');
    if (groups.length === 0 || done.has(key)) continue;
    done.add(key);
    const computers = certificates.victims.of(inTemplate, atAuthority);
    computers.keepOnly(unprotectedComputers);
    for (const group of groups) {
      const before = found.get(group);
      if (before === undefined) found.set(group, computers.clone());
      else before.addAll(computers);
    }
  }
  return found;
}
