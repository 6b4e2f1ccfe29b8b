import type { Rule } from '../facts.ts';
import type { Authority } from './authority.ts';
import type { Certificates } from './certificates.ts';
import { spreading } from './spread.ts';
import type { Template } from './template.ts';

const control = ['GenericAll', 'GenericWrite', 'Owns', 'WriteOwner', 'WriteDacl'];

interface Weakness {
  /** Beyond issuing freely in a name that the enrollee can't choose. */
  suits(template: Template): boolean;
  domains(certificates: Certificates, authority: Authority): readonly number[];
}

/** ESC9: the certificate lacks the extension that names its account, and domain controllers do without it. */
export const withoutExtension: Weakness = {
  suits: (template) => template.authenticates && template.omitsSecurityExtension,
  domains: (certificates, authority) => certificates.domainsBindingWeakly(authority),
};

/** ESC10: domain controllers go by the name in the certificate alone. */
export const mappedByName: Weakness = {
  suits: (template) => template.authenticatesBySchannel,
  domains: (certificates, authority) => certificates.domainsMappingByName(authority),
};

/** Gives an account under control the name of another one, enrolls as it, and logs on as the other. */
export function renamesVictim({ suits, domains }: Weakness, name: 'user or service' | 'host'): Rule {
  return ({ certificates }, add) => {
    const addAll = spreading(add);
    for (const { authority, template } of certificates.offers()) {
      const targets = domains(certificates, authority);
      if (targets.length === 0) continue;
      if (!(template.issuesFreely && template.enrolleeSuppliesSubject === false && suits(template))) continue;
      const [inTemplate, atAuthority] = [
        certificates.mayEnrollIn(template),
        certificates.mayEnrollAt(authority),
      ];
      const { victims } = certificates;
      if (name === 'host') {
        if (!template.namesHost) continue;
        addAll(victims.attackers(inTemplate, atAuthority, 'computers', control), targets);
      } else {
        if (!template.namesUserOrService) continue;
        const kind = template.excludesUsers ? 'not people' : 'anybody';
        // The user principal name is among the public information.
        const rights = [...control, 'WritePublicInformation'];
        addAll(victims.attackers(inTemplate, atAuthority, kind, rights), targets);
      }
    }
  };
}
