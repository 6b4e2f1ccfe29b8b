import type { Certificates } from '../certificates/certificates.ts';
import { ekus, type Template } from '../certificates/template.ts';
import type { Rule } from '../facts.ts';

const agent = ekus.certificateRequestAgent;

/**
 * From a template that makes an enrollment agent to those that take an agent's signature, where both count in one
 * domain. Templates of the first version take that of any certificate fit for an agent, later ones say so.
 */
export const enrollOnBehalfOf: Rule = ({ certificates }, add) => {
  const makers = byDomain(certificates, 'domains');
  const linked = byDomain(certificates, 'rootDomains');
  for (const [domain, templates] of makers) {
    const targets = [...(linked.get(domain) ?? [])];
    const first = targets.filter(({ schemaVersion }) => schemaVersion === 1);
    const later = targets.filter(takesSignatures);
    for (const maker of templates) {
      if (maker.isFor(agent, ekus.anyPurpose)) for (const target of first) add(maker.node, target.node);
      if (makesOnlyAgents(maker))
        for (const target of later) if (target !== maker) add(maker.node, target.node);
    }
  }
};

function byDomain(certificates: Certificates, which: 'domains' | 'rootDomains'): Map<number, Set<Template>> {
  const found = new Map<number, Set<Template>>();
  for (const authority of certificates.authorities) {
    for (const domain of authority[which]) {
      const templates = found.get(domain) ?? new Set();
      found.set(domain, templates);
      for (const node of authority.templates) templates.add(certificates.template(node));
    }
  }
  return found;
}

function makesOnlyAgents({ purposes = [] }: Template): boolean {
  return purposes.includes(agent) && !purposes.includes(ekus.anyPurpose);
}

function takesSignatures({ schemaVersion = 0, signatures = 0, signaturePolicies }: Template): boolean {
  return schemaVersion >= 2 && signatures >= 1 && signaturePolicies.includes(agent);
}
