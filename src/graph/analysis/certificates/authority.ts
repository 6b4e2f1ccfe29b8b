import { domainOf } from '../domains.ts';
import type { Estate } from '../estate.ts';
import type { Forests } from './forests.ts';

/** An enterprise CA, and what its certificates are worth. */
export interface Authority {
  readonly node: number;
  /** What it issues. */
  readonly templates: readonly number[];
  /** Domains that trust its root. */
  readonly rootDomains: readonly number[];
  /** Domains that trust its root and let its certificates log on: those with a valid chain. */
  readonly domains: readonly number[];
  /** Computers that really run it. Without one it issues nothing. */
  readonly hosts: readonly number[];
}

export function readAuthority(estate: Estate, forests: Forests, node: number): Authority {
  const rootDomains = trustingRoot(estate, node);
  const logOnDomains = trustingLogOn(estate, node);
  return {
    node,
    templates: [...estate.sources(node, 'PublishedTo')].filter((start) => estate.has(start, 'CertTemplate')),
    rootDomains,
    domains: rootDomains.filter((domain) => logOnDomains.has(domain)),
    hosts: hostsOf(estate, forests, node),
  };
}

function trustingRoot(estate: Estate, authority: number): readonly number[] {
  const issuers = new Set<number>();
  const visit = (node: number) => {
    for (const kind of ['IssuedSignedBy', 'EnterpriseCAFor'])
      for (const issuer of estate.targets(node, kind)) issuers.add(issuer);
  };
  visit(authority);
  // A set gives what is added while it is walked through.
  for (const issuer of issuers) visit(issuer);
  const domains = new Set<number>();
  for (const issuer of issuers) for (const domain of estate.targets(issuer, 'RootCAFor')) domains.add(domain);
  return [...domains];
}

function trustingLogOn(estate: Estate, authority: number): ReadonlySet<number> {
  const domains = new Set<number>();
  for (const store of estate.targets(authority, 'TrustedForNTAuth'))
    for (const domain of estate.targets(store, 'NTAuthStoreFor')) domains.add(domain);
  return domains;
}

/** A computer of another forest that claims to run it is a leftover or a namesake. */
function hostsOf(estate: Estate, forests: Forests, authority: number): readonly number[] {
  const home = domainOf(estate, authority);
  const forest =
    home === undefined ? undefined : new Set(forests.domains(home).map((domain) => estate.objectId(domain)));
  return [...estate.sources(authority, 'HostsCAService')].filter(
    (host) =>
      estate.has(host, 'Computer') &&
      estate.property(host, 'enabled') === true &&
      (forest === undefined || forest.has(estate.environment(host) ?? '')),
  );
}
