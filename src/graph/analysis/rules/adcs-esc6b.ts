import { spreading } from '../certificates/spread.ts';
import { acceptsAnyName } from '../certificates/subject-alternative-name.ts';
import type { Rule } from '../facts.ts';

/** The CA takes any name from a request, and a domain controller goes by that name alone (Schannel). */
export const adcsEsc6b: Rule = ({ estate, certificates }, add) => {
  const addAll = spreading(add);
  for (const offer of certificates.offers()) {
    const { authority, template } = offer;
    const domains = certificates.domainsMappingByName(authority);
    if (domains.length === 0 || !acceptsAnyName(estate, authority)) continue;
    if (template.issuesFreely && template.authenticatesBySchannel)
      addAll(certificates.ableTo(certificates.enrollers(offer), template), domains);
  }
};
