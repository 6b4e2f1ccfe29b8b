import type { BitSet } from '../bits.ts';
import type { Facts, Rule } from '../facts.ts';
import type { Authority } from './authority.ts';
import type { Certificates, Offer } from './certificates.ts';
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

/** Gives an account under control the name of another user, enrolls as it, and logs on as the other. */
export function renamesUser(weakness: Weakness): Rule {
  // The user's name is among the public information.
  const rights = [...control, 'WritePublicInformation'];
  return (facts, add) => {
    const { victims } = facts.certificates;
    const found = victimsByDomain(
      facts,
      weakness,
      (template) => template.namesUserOrService,
      (accounts, template) => {
        if (template.excludesUsers) accounts.deleteAll(victims.people);
      },
    );
    for (const [domain, accounts] of found)
      for (const attacker of victims.attackers(accounts, rights)) add(attacker, domain);
  };
}

/** Gives a computer under control the DNS name of another, enrolls as it, and logs on as the other. */
export function renamesComputer(weakness: Weakness): Rule {
  return (facts, add) => {
    const { victims } = facts.certificates;
    const found = victimsByDomain(
      facts,
      weakness,
      (template) => template.namesHost,
      (accounts) => accounts.keepOnly(victims.computers),
    );
    for (const [domain, accounts] of found)
      for (const attacker of victims.attackers(accounts, control)) add(attacker, domain);
  };
}

/** All victims for a domain together: who attacks one of them is then asked once, and not for each template. */
function victimsByDomain(
  { certificates }: Facts,
  { suits, domains }: Weakness,
  isNamed: (template: Template) => boolean,
  narrow: (accounts: BitSet, template: Template) => void,
): ReadonlyMap<number, BitSet> {
  const found = new Map<number, BitSet>();
  const done = new Set<string>();
  for (const { authority, template } of certificates.offers()) {
    if (!(template.issuesFreely && template.enrolleeSuppliesSubject === false)) continue;
    if (!(suits(template) && isNamed(template))) continue;
    const targets = domains(certificates, authority);
    const accounts = accountsOnce(certificates, { authority, template }, targets, done);
    if (accounts === undefined) continue;
    narrow(accounts, template);
    for (const domain of targets) {
      const before = found.get(domain);
      if (before === undefined) found.set(domain, accounts.clone());
      else before.addAll(accounts);
    }
  }
  return found;
}

/** Nothing for what has been asked before. */
function accountsOnce(
  certificates: Certificates,
  { authority, template }: Offer,
  targets: readonly number[],
  done: Set<string>,
): BitSet | undefined {
  if (targets.length === 0) return undefined;
  const [inTemplate, atAuthority] = [certificates.mayEnrollIn(template), certificates.mayEnrollAt(authority)];
  const key = [inTemplate.id, atAuthority.id, template.excludesUsers, ...targets].join(' ');
  if (done.has(key)) return undefined;
  done.add(key);
  return certificates.victims.of(inTemplate, atAuthority);
}
