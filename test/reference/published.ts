import { chainedDomains, isHosted } from './certificates.ts';
import { domainControllers, forestOf } from './domains.ts';
import { type Graph, type Node, number, type Pair } from './graph.ts';

export interface Published {
  readonly graph: Graph;
  readonly template: Node;
  /** A hosted authority that publishes the template. */
  readonly ca: Node;
  /** Domains with a valid chain to it. */
  readonly domains: readonly Node[];
}

/** Goes through all templates of all hosted authorities. */
export function published(follows: (published: Published) => Pair[]): (graph: Graph) => Pair[] {
  return (graph) =>
    graph
      .ofKind('EnterpriseCA')
      .filter((ca) => isHosted(graph, ca))
      .flatMap((ca) => {
        const domains = chainedDomains(graph, ca);
        return [...graph.starts(ca, 'PublishedTo')].flatMap((template) =>
          follows({ graph, template, ca, domains }),
        );
      });
}

/** Some controller of the domain's forest takes a name in a certificate for an account. */
export function mapsByName(graph: Graph) {
  return (domain: Node) =>
    domainControllers(graph, forestOf(graph, domain)).some((controller) => {
      const methods = number(controller, 'certificatemappingmethodsraw');
      return methods !== undefined && methods !== -1 && (methods & 4) !== 0;
    });
}

/** Some controller of the domain's forest does not insist on a strong mapping. */
export function bindsWeakly(graph: Graph) {
  return (domain: Node) =>
    domainControllers(graph, forestOf(graph, domain)).some((controller) =>
      [-1, 0, 1].includes(number(controller, 'strongcertificatebindingenforcementraw') ?? 2),
    );
}
