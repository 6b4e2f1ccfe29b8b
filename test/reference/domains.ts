import { crossProduct } from './cross-product.ts';
import { environment, type Graph, isTrue, type Node, type Pair, reach, text } from './graph.ts';

export function collectedDomains(graph: Graph): Node[] {
  return graph.ofKind('Domain').filter((domain) => isTrue(domain, 'collected'));
}

export function isIn(node: Node, domain: Node): boolean {
  return environment(node) === domain.objectId;
}

export function domainOf(graph: Graph, node: Node): Node | undefined {
  return graph.ofKind('Domain').find((domain) => isIn(node, domain));
}

/** The domain and all that are linked to it by trusts inside a forest. */
export function forestOf(graph: Graph, domain: Node): Set<Node> {
  const linked = reach([domain], (node) => [
    ...graph.starts(node, 'SameForestTrust'),
    ...graph.ends(node, 'SameForestTrust'),
  ]);
  return linked.add(domain);
}

export function domainControllers(graph: Graph, domains: Iterable<Node>): Node[] {
  return [...domains].flatMap((domain) => [...graph.starts(domain, 'DCFor')]);
}

export function dcSync(graph: Graph): Pair[] {
  return collectedDomains(graph).flatMap((domain) =>
    [...crossProduct(graph, graph.starts(domain, 'GetChanges'), graph.starts(domain, 'GetChangesAll'))].map(
      (who): Pair => [who, domain],
    ),
  );
}

export function syncLapsPassword(graph: Graph): Pair[] {
  return collectedDomains(graph).flatMap((domain) => {
    const computers = graph
      .ofKind('Computer')
      .filter((computer) => isIn(computer, domain) && isTrue(computer, 'haslaps'));
    const who = crossProduct(
      graph,
      graph.starts(domain, 'GetChanges'),
      graph.starts(domain, 'GetChangesInFilteredSet'),
    );
    return computers.flatMap((computer) => [...who].map((one): Pair => [one, computer]));
  });
}

export function isAdminSdHolder(graph: Graph, node: Node): boolean {
  const name = text(node, 'distinguishedname')?.toUpperCase();
  return (
    node.kinds.includes('Container') &&
    graph.ofKind('Domain').some((domain) => {
      const domainName = text(domain, 'distinguishedname')?.toUpperCase();
      return domainName !== undefined && name === `CN=ADMINSDHOLDER,CN=SYSTEM,${domainName}`;
    })
  );
}

/** Each container protects objects of its own domain. */
export function protectAdminGroups(graph: Graph): Pair[] {
  const containers = graph.ofKind('Container').filter((node) => isAdminSdHolder(graph, node));
  const objects = [...graph.nodes.values()].filter((node) => isTrue(node, 'adminsdholderprotected'));
  return containers.flatMap((container) =>
    objects
      .filter((object) => environment(object) !== undefined && environment(object) === environment(container))
      .map((object): Pair => [container, object]),
  );
}

/** From a domain that trusts others to the account with its short name and a dollar in each of them. */
export function hasTrustKeys(graph: Graph): Pair[] {
  return graph.ofKind('Domain').flatMap((trusting) => {
    const netbios = text(trusting, 'netbios')?.toUpperCase();
    if (netbios === undefined) return [];
    return [...graph.ends(trusting, 'SameForestTrust', 'CrossForestTrust')].flatMap((trusted) =>
      graph
        .ofKind('User')
        .filter((account) => isIn(account, trusted))
        .filter((account) => text(account, 'samaccountname')?.toUpperCase() === `${netbios}$`)
        .map((account): Pair => [trusting, account]),
    );
  });
}
