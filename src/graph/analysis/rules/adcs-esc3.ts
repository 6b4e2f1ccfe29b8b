import type { Offer } from '../certificates/certificates.ts';
import { spreading } from '../certificates/spread.ts';
import type { Template } from '../certificates/template.ts';
import type { Facts, Rule } from '../facts.ts';

/** Becomes an enrollment agent by one template, and enrolls in somebody else's name by another. */
export const adcsEsc3: Rule = (facts, add) => {
  const { estate, certificates } = facts;
  const addAll = spreading(add);
  for (const offer of certificates.offers()) {
    if (!letsAgentsEnroll(facts, offer)) continue;
    for (const maker of estate.sources(offer.template.node, 'EnrollOnBehalfOf')) {
      const agent = certificates.template(maker);
      if (!makesAgents(agent)) continue;
      for (const issuer of estate.targets(maker, 'PublishedTo')) {
        if (!estate.has(issuer, 'EnterpriseCA')) continue;
        const attackers = whoCanBoth(facts, agent, issuer, offer);
        addAll(certificates.ableTo(attackers, agent), offer.authority.domains);
      }
    }
  }
};

/** Whether the CA restricts agents must have been asked; what the answer was is a matter of `whoCanBoth`. */
function letsAgentsEnroll({ estate }: Facts, { authority, template }: Offer): boolean {
  const asked = estate.property(authority.node, 'enrollmentagentrestrictionscollected') ?? undefined;
  return asked !== undefined && template.authenticates && template.needsApproval === false;
}

function makesAgents({ needsApproval, schemaVersion, signatures }: Template): boolean {
  if (needsApproval !== false || schemaVersion === undefined || signatures === undefined) return false;
  return schemaVersion === 1 || signatures === 0;
}

function whoCanBoth(
  { estate, certificates }: Facts,
  agent: Template,
  issuer: number,
  { authority, template }: Offer,
): readonly number[] {
  const { principals } = certificates;
  // Restrictions that an earlier collection saw stay among the CA's properties when a later one can't tell.
  const restricted =
    estate.property(authority.node, 'enrollmentagentrestrictionscollected') === true &&
    estate.property(authority.node, 'hasenrollmentagentrestrictions') === true;
  return principals.together(
    certificates.mayEnrollIn(agent),
    certificates.mayEnrollIn(template),
    certificates.mayEnrollAt({ node: issuer }),
    certificates.mayEnrollAt(authority),
    ...(restricted ? [principals.holders(template.node, 'DelegatedEnrollmentAgent')] : []),
  );
}
