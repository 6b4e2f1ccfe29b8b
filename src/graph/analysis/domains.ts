import type { Estate } from './estate.ts';

/** Those that a collector was in; others are only known by name, from trusts or from objects of theirs. */
export function collectedDomains(estate: Estate): number[] {
  return estate.nodesOf('Domain').filter((domain) => estate.property(domain, 'collected') === true);
}

/** The domain that a node belongs to. */
export function domainOf(estate: Estate, node: number): number | undefined {
  const id = estate.environment(node);
  const domain = id === undefined ? undefined : estate.find(id);
  return domain !== undefined && estate.has(domain, 'Domain') ? domain : undefined;
}

/** A group or user that every domain has, known by the last part of its id, such as 513. */
export function domainPrincipal(estate: Estate, domain: number, rid: number): number | undefined {
  return estate.find(`${estate.objectId(domain)}-${rid}`);
}

/** A principal that is the same everywhere, as one domain sees it: its id has the domain's name in front. */
export function wellKnownPrincipal(estate: Estate, domain: number, sid: string): number | undefined {
  const name = estate.property(domain, 'name');
  return typeof name === 'string' ? estate.find(`${name.toUpperCase()}-${sid}`) : undefined;
}

export function authenticatedUsersOf(estate: Estate, domain: number): number | undefined {
  return wellKnownPrincipal(estate, domain, wellKnownSids.authenticatedUsers);
}

export const wellKnownSids = { everyone: 'S-1-1-0', authenticatedUsers: 'S-1-5-11' } as const;

/** What Everyone may turn into by the way it logs on. */
export const specialIdentities: readonly (readonly [sid: string, name: string])[] = [
  ['S-1-5-2', 'NETWORK'],
  ['S-1-5-15', 'THIS ORGANIZATION'],
  ['S-1-5-65-1', 'THIS ORGANIZATION CERTIFICATE'],
  ['S-1-18-1', 'AUTHENTICATION AUTHORITY ASSERTED IDENTITY'],
  ['S-1-18-4', 'KEY TRUST'],
  ['S-1-18-5', 'MFA KEY PROPERTY'],
  ['S-1-5-64-10', 'NTLM AUTHENTICATION'],
  ['S-1-5-64-14', 'SCHANNEL AUTHENTICATION'],
];
