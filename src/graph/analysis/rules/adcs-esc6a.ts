import { spreading } from '../certificates/spread.ts';
import { acceptsAnyName } from '../certificates/subject-alternative-name.ts';
import type { Rule } from '../facts.ts';

/** The CA takes any name from a request, and the certificate lacks the extension that would tell who asked. */
export const adcsEsc6a: Rule = ({ estate, certificates }, add) => {
  const addAll = spreading(add);
  for (const offer of certificates.offers()) {
    const { authority, template } = offer;
    if (!acceptsAnyName(estate, authority)) continue;
    if (template.issuesFreely && template.omitsSecurityExtension && template.authenticates)
      addAll(certificates.ableTo(certificates.enrollers(offer), template), authority.domains);
  }
};
