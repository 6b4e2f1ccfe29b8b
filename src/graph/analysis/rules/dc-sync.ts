import { crossProduct } from '../cross-product.ts';
import { collectedDomains } from '../domains.ts';
import type { Rule } from '../facts.ts';

/** Replicates a domain with its secrets: takes the right to changes and the right to all of them. */
export const dcSync: Rule = (facts, add) => {
  const { estate } = facts;
  for (const domain of collectedDomains(estate)) {
    const rights = ['GetChanges', 'GetChangesAll'].map((right) => estate.sources(domain, right));
    for (const principal of crossProduct(facts, rights)) add(principal, domain);
  }
};
