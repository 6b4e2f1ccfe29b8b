import { BitSet } from '../bits.ts';
import type { Facts, Rule } from '../facts.ts';
import { blocksRightsOfOwner } from '../owner-rights.ts';

/** An owner can change the object's permissions; where its domain blocks that, only administrators of domains can. */
export const owns: Rule = (facts, add) => {
  let administrators: BitSet | undefined;
  facts.estate.edges('OwnsRaw').each((owner, target) => {
    if (blocksRightsOfOwner(facts.estate, target)) {
      administrators ??= domainAdministrators(facts);
      if (!administrators.has(owner)) return;
    }
    add(owner, target);
  });
};

/** Domain Admins and Enterprise Admins of whichever domain, and everyone in them. */
function domainAdministrators({ estate, membership }: Facts): BitSet {
  const found = new BitSet(estate.size);
  for (const group of estate.nodesOf('Group')) {
    if (!/-51[29]$/.test(estate.objectId(group))) continue;
    found.add(group);
    membership.addMembersTo(found, group);
  }
  return found;
}
