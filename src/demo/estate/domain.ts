import { createHash } from 'node:crypto';

export interface DemoDomain {
  readonly name: string;
  readonly sid: string;
  readonly dn: string;
  readonly short: string;
}

/**
 * A made-up company, the same on every run: the domain of its offices, the one of its plant below it, and a partner's,
 * which nobody collects but which is trusted.
 */
export const corp: DemoDomain = {
  name: 'CORP.EXAMPLE',
  sid: 'S-1-5-21-2643190041-1319121918-239771340',
  dn: 'DC=CORP,DC=EXAMPLE',
  short: 'CORP',
};

export const plant: DemoDomain = {
  name: 'PLANT.CORP.EXAMPLE',
  sid: 'S-1-5-21-3130019616-2776909439-2417379446',
  dn: 'DC=PLANT,DC=CORP,DC=EXAMPLE',
  short: 'PLANT',
};

export const partner: DemoDomain = {
  name: 'PARTNER.EXAMPLE',
  sid: 'S-1-5-21-1085031214-1563985344-725345543',
  dn: 'DC=PARTNER,DC=EXAMPLE',
  short: 'PARTNER',
};

export const tenant = { id: '6C12B0B0-B2CC-4A73-8252-0B94BFCA2145', name: 'CORP CLOUD' } as const;

/** The same identifier for the same name, on every run. */
export function guid(name: string): string {
  const hex = digest(name);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `A${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** Of 0 to 99, the same for the same words on every run. */
export function chance(...words: readonly (string | number)[]): number {
  return Number.parseInt(digest(words.join(' ')).slice(0, 8), 16) % 100;
}

export function thumbprint(name: string): string {
  return digest(`certificate of ${name}`).slice(0, 40);
}

function digest(text: string): string {
  return createHash('sha256').update(`kennel demo ${text}`).digest('hex').toUpperCase();
}

export interface Principal {
  readonly ObjectIdentifier: string;
  readonly ObjectType: string;
}

export const principal = (ObjectIdentifier: string, ObjectType: string): Principal => ({
  ObjectIdentifier,
  ObjectType,
});

/** A group that every domain has, by the end of its SID. */
export const wellKnown = ({ sid }: DemoDomain, rid: number) => `${sid}-${rid}`;
/** One that has the same SID everywhere, so that collectors put the domain in front. */
export const builtIn = ({ name }: DemoDomain, sid: string) => `${name}-${sid}`;

export interface Ace {
  readonly PrincipalSID: string;
  readonly PrincipalType: string;
  readonly RightName: string;
  readonly IsInherited: boolean;
}

export function grant(PrincipalSID: string, RightName: string, PrincipalType = 'Group'): Ace {
  return { PrincipalSID, PrincipalType, RightName, IsInherited: false };
}

/** What administrators may do with nearly everything. */
export function standardRights(domain: DemoDomain): Ace[] {
  return [
    grant(wellKnown(domain, 512), 'Owns'),
    grant(wellKnown(domain, 512), 'GenericAll'),
    { ...grant(wellKnown(corp, 519), 'GenericAll'), IsInherited: true },
  ];
}

/** When everything was set up that has always been there, in seconds. */
export const longAgo = 1_514_764_800;

/** What all objects tell about themselves. */
export function commonProperties(domain: DemoDomain, name: string, dn: string): Record<string, unknown> {
  return {
    domain: domain.name,
    domainsid: domain.sid,
    name: name.toUpperCase(),
    distinguishedname: `${dn},${domain.dn}`.toUpperCase(),
    isaclprotected: false,
    description: null,
    whencreated: longAgo,
  };
}

export const collected = { Collected: true, FailureReason: null } as const;
export const untouched = { IsDeleted: false, IsACLProtected: false } as const;
