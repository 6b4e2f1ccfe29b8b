import { builtIn, type Domain, groupSid, inheritanceHash, wellKnown } from './domain.ts';
import type { Random } from './random.ts';

export interface Ace {
  readonly PrincipalSID: string;
  readonly PrincipalType: string;
  readonly RightName: string;
  readonly IsInherited: boolean;
  readonly InheritanceHash: string;
}

export const grant = (PrincipalSID: string, RightName: string, PrincipalType = 'Group'): Ace => ({
  PrincipalSID,
  PrincipalType,
  RightName,
  IsInherited: false,
  InheritanceHash: '',
});

export const domainAdmins = (domain: Domain) => wellKnown(domain, 512);
export const domainUsers = (domain: Domain) => wellKnown(domain, 513);
export const enterpriseAdmins = ({ forest }: Domain) => wellKnown(forest, 519);
export const administrators = (domain: Domain) => builtIn(domain, 'S-1-5-32-544');
export const accountOperators = (domain: Domain) => builtIn(domain, 'S-1-5-32-548');

/** The groups that run things, by number: the first ones of the domain. */
export const Team = { helpdesk: 0, workstations: 1, servers: 2, certificates: 3 } as const;

export const team = (domain: Domain, number: number) => groupSid(domain, number % domain.counts.groups);

/** Rights that come down from where the object lies. `place` is an OU's number, or -1 for the domain. */
export function inherited(domain: Domain, place: number, withAccounts: boolean): Ace[] {
  const passed = (PrincipalSID: string, RightName: string, number: number): Ace => ({
    ...grant(PrincipalSID, RightName),
    IsInherited: true,
    InheritanceHash: inheritanceHash(domain, place, number),
  });
  return [
    passed(enterpriseAdmins(domain), 'GenericAll', 0),
    passed(administrators(domain), place % 2 === 0 ? 'WriteDacl' : 'WriteOwner', 1),
    ...(withAccounts && place % 4 === 0 ? [passed(wellKnown(domain, 526), 'AddKeyCredentialLink', 2)] : []),
  ];
}

/** What is granted directly on nearly everything. */
export function standard(domain: Domain): Ace[] {
  return [grant(domainAdmins(domain), 'Owns'), grant(domainAdmins(domain), 'GenericAll')];
}

const slips = ['GenericAll', 'GenericWrite', 'WriteDacl', 'WriteOwner', 'AllExtendedRights'];

/** Now and then someone was given a right that nobody remembers. */
export function slip(domain: Domain, random: Random, chance: number): Ace[] {
  if (!random.chance(chance)) return [];
  return [grant(groupSid(domain, random.below(domain.counts.groups)), random.pick(slips))];
}
