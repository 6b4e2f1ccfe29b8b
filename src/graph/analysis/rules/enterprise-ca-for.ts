import { byThumbprint } from '../certificates/thumbprints.ts';
import type { Rule } from '../facts.ts';

/** From a CA to the root or intermediate entry that is its own certificate. */
export const enterpriseCAFor: Rule = ({ estate }, add) => {
  const entriesWith = byThumbprint(estate, 'RootCA', 'AIACA');
  for (const authority of estate.nodesOf('EnterpriseCA'))
    for (const entry of entriesWith(estate.property(authority, 'certthumbprint'))) add(authority, entry);
};
