import { byThumbprint, listOf } from '../certificates/thumbprints.ts';
import type { Rule } from '../facts.ts';

/** From a CA to the store that names its certificate as good for logging on. */
export const trustedForNTAuth: Rule = ({ estate }, add) => {
  const authoritiesWith = byThumbprint(estate, 'EnterpriseCA');
  for (const store of estate.nodesOf('NTAuthStore'))
    for (const thumbprint of listOf(estate, store, 'certthumbprints'))
      for (const authority of authoritiesWith(thumbprint)) add(authority, store);
};
