import type { Rule } from '../facts.ts';
import { blocksRightsOfOwner } from '../owner-rights.ts';

/** Who may make himself the owner gets an owner's rights, unless the object's domain gives owners none. */
export const writeOwner: Rule = ({ estate }, add) => {
  estate.edges('WriteOwnerRaw').each((principal, target) => {
    if (!blocksRightsOfOwner(estate, target)) add(principal, target);
  });
};
