import { spreading } from '../certificates/spread.ts';
import type { Rule } from '../facts.ts';

/** Who enrolls names anybody in the certificate. */
export const adcsEsc1: Rule = ({ certificates }, add) => {
  const addAll = spreading(add);
  for (const offer of certificates.offers()) {
    const { authority, template } = offer;
    if (template.issuesFreely && template.authenticates && template.enrolleeSuppliesSubject === true)
      addAll(certificates.enrollers(offer), authority.domains);
  }
};
