import type { Certificates, Offer } from '../certificates/certificates.ts';
import { spreading } from '../certificates/spread.ts';
import type { Rule } from '../facts.ts';

/** Changes a template so that it issues what ESC1 needs, and enrolls in it. */
export const adcsEsc4: Rule = ({ certificates }, add) => {
  const addAll = spreading(add);
  for (const offer of certificates.offers()) {
    const { enrolleeSuppliesSubject, needsApproval } = offer.template;
    if (enrolleeSuppliesSubject === undefined || needsApproval === undefined) continue;
    for (const attackers of ways(certificates, offer)) addAll(attackers, offer.authority.domains);
  }
};

function* ways(certificates: Certificates, { authority, template }: Offer): Iterable<readonly number[]> {
  const { principals } = certificates;
  const holding = (...rights: string[]) => principals.holders(template.node, ...rights);
  const atAuthority = certificates.mayEnrollAt(authority);
  const inTemplate = holding('Enroll', 'AllExtendedRights');
  const [nameFlag, enrollmentFlag] = [holding('WritePKINameFlag'), holding('WritePKIEnrollmentFlag')];

  // Full control is also the right to enroll, or to grant it.
  yield principals.together(atAuthority, holding('Owns', 'GenericAll', 'WriteDacl', 'WriteOwner'));
  yield principals.together(atAuthority, holding('GenericWrite'), inTemplate);

  // The two flags can make the enrollee choose the name and the approval go away, and nothing else.
  if (!(template.authenticates && template.needsNoSignature)) return;
  yield principals.together(atAuthority, inTemplate, nameFlag, enrollmentFlag);
  if (template.enrolleeSuppliesSubject) yield principals.together(atAuthority, inTemplate, enrollmentFlag);
  if (template.needsApproval === false) yield principals.together(atAuthority, inTemplate, nameFlag);
}
