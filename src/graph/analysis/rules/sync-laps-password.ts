import { crossProduct } from '../cross-product.ts';
import { collectedDomains } from '../domains.ts';
import type { Rule } from '../facts.ts';

/** Replicates the local administrators' passwords that a domain keeps for its computers. */
export const syncLapsPassword: Rule = (facts, add) => {
  const { estate } = facts;
  const managed = estate
    .nodesOf('Computer')
    .filter((computer) => estate.property(computer, 'haslaps') === true);
  for (const domain of collectedDomains(estate)) {
    const rights = ['GetChanges', 'GetChangesInFilteredSet'].map((right) => estate.sources(domain, right));
    const principals = crossProduct(facts, rights);
    const computers = managed.filter((computer) => estate.environment(computer) === estate.objectId(domain));
    for (const computer of computers) for (const principal of principals) add(principal, computer);
  }
};
