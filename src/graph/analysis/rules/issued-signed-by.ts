import { byThumbprint, listOf } from '../certificates/thumbprints.ts';
import type { Rule } from '../facts.ts';

const kinds = ['EnterpriseCA', 'RootCA', 'AIACA'];

/** From a CA to the one that issued its certificate: the second in its chain, of which it is itself the first. */
export const issuedSignedBy: Rule = ({ estate }, add) => {
  const authoritiesWith = byThumbprint(estate, ...kinds);
  for (const kind of kinds)
    for (const authority of estate.nodesOf(kind))
      for (const issuer of authoritiesWith(listOf(estate, authority, 'certchain')[1])) add(authority, issuer);
};
