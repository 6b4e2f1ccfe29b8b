import { forestOf, isIn } from './domains.ts';
import { environment, type Graph, isTrue, list, type Node, number, type Pair, reach, text } from './graph.ts';

const enrollmentAgent = '1.3.6.1.4.1.311.20.2.1';
const anyPurpose = '2.5.29.37.0';

export function trustedForNtAuth(graph: Graph): Pair[] {
  return allPairs(graph.ofKind('EnterpriseCA'), graph.ofKind('NTAuthStore')).filter(([ca, store]) => {
    const print = text(ca, 'certthumbprint');
    return print !== undefined && (list(store, 'certthumbprints') ?? []).includes(print);
  });
}

export function issuedSignedBy(graph: Graph): Pair[] {
  const authorities = graph.ofKind('EnterpriseCA', 'RootCA', 'AIACA');
  return allPairs(authorities, authorities).filter(([issued, signer]) => {
    const issuer = (list(issued, 'certchain') ?? [])[1];
    return issuer !== undefined && issuer === text(signer, 'certthumbprint');
  });
}

export function enterpriseCaFor(graph: Graph): Pair[] {
  return allPairs(graph.ofKind('EnterpriseCA'), graph.ofKind('RootCA', 'AIACA')).filter(([ca, other]) => {
    const print = text(ca, 'certthumbprint');
    return print !== undefined && print === text(other, 'certthumbprint');
  });
}

/** Older collectors call a policy's number `oid`. */
export function extendedByPolicy(graph: Graph): Pair[] {
  return allPairs(graph.ofKind('CertTemplate'), graph.ofKind('IssuancePolicy')).filter(
    ([template, policy]) => {
      const oid = text(policy, 'certtemplateoid') ?? text(policy, 'oid');
      return (
        oid !== undefined &&
        (list(template, 'certificatepolicy') ?? []).includes(oid) &&
        environment(template) !== undefined &&
        environment(template) === environment(policy)
      );
    },
  );
}

/** Domains whose root authorities the authority's certificate leads up to. */
export function rootedDomains(graph: Graph, ca: Node): Set<Node> {
  const above = reach([ca], (node) => graph.ends(node, 'IssuedSignedBy', 'EnterpriseCAFor'));
  return new Set([...above].flatMap((authority) => [...graph.ends(authority, 'RootCAFor')]));
}

/** A valid chain: the domain has the authority's root, and trusts the authority for logon. */
export function chainedDomains(graph: Graph, ca: Node): Node[] {
  return [...rootedDomains(graph, ca)].filter((domain) =>
    [...graph.ends(ca, 'TrustedForNTAuth')].some((store) => graph.has(store, 'NTAuthStoreFor', domain)),
  );
}

/** Computers that make the authority a hosted one: enabled, and in its forest if that is known. */
export function hostsOf(graph: Graph, ca: Node): Node[] {
  const domain = graph.ofKind('Domain').find((node) => isIn(ca, node));
  const forest = domain && forestOf(graph, domain);
  return [...graph.starts(ca, 'HostsCAService')]
    .filter((computer) => isTrue(computer, 'enabled'))
    .filter((computer) => forest === undefined || [...forest].some((member) => isIn(computer, member)));
}

export function isHosted(graph: Graph, ca: Node): boolean {
  return hostsOf(graph, ca).length > 0;
}

export function enrollOnBehalfOf(graph: Graph): Pair[] {
  return graph.ofKind('EnterpriseCA').flatMap((ca) => {
    const agents = [...graph.starts(ca, 'PublishedTo')];
    return chainedDomains(graph, ca).flatMap((domain) =>
      allPairs(agents, templatesLinkedTo(graph, domain)).filter(
        ([agent, other]) => mayEnrollForOld(agent, other) || mayEnrollForNew(agent, other),
      ),
    );
  });
}

function templatesLinkedTo(graph: Graph, domain: Node): Node[] {
  return graph
    .ofKind('EnterpriseCA')
    .filter((ca) => rootedDomains(graph, ca).has(domain))
    .flatMap((ca) => [...graph.starts(ca, 'PublishedTo')]);
}

function mayEnrollForOld(agent: Node, other: Node): boolean {
  const usages = list(agent, 'effectiveekus');
  return (
    usages !== undefined &&
    (usages.length === 0 || usages.includes(anyPurpose) || usages.includes(enrollmentAgent)) &&
    number(other, 'schemaversion') === 1
  );
}

function mayEnrollForNew(agent: Node, other: Node): boolean {
  const usages = list(agent, 'effectiveekus') ?? [];
  return (
    agent !== other &&
    usages.includes(enrollmentAgent) &&
    !usages.includes(anyPurpose) &&
    (number(other, 'schemaversion') ?? 0) >= 2 &&
    (number(other, 'authorizedsignatures') ?? 0) >= 1 &&
    (list(other, 'applicationpolicies') ?? []).includes(enrollmentAgent)
  );
}

export function goldenCert(graph: Graph): Pair[] {
  return graph
    .ofKind('EnterpriseCA')
    .flatMap((ca) => allPairs(hostsOf(graph, ca), chainedDomains(graph, ca)));
}

export function allPairs(starts: Iterable<Node>, ends: Iterable<Node>): Pair[] {
  const all = [...ends];
  return [...starts].flatMap((start) => all.map((end): Pair => [start, end]));
}
