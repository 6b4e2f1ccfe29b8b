import { allPairs } from './certificates.ts';
import { domainControllers, domainOf, isIn } from './domains.ts';
import { environment, type Graph, isA, isFalse, isTrue, type Node, type Pair, text } from './graph.ts';
import { expand, membersOf } from './groups.ts';
import { published } from './published.ts';
import { authenticates, needsNoApproval, needsNoSignature, victimsOf } from './templates.ts';

/** Computers that have an administrator which is another computer that can be made to log on. */
export function coerceAndRelayToSmb(graph: Graph): Pair[] {
  return fromAuthenticatedUsers(graph, (computer) => {
    if (!isFalse(computer, 'smbsigning')) return false;
    return [...expand(graph, graph.starts(computer, 'AdminTo'))].some(
      (admin) => admin !== computer && admin.kinds.includes('Computer') && isUnprotected(graph, admin),
    );
  });
}

export const coerceAndRelayToLdap = (graph: Graph) =>
  relayToController(
    graph,
    (controller) => isFalse(controller, 'ldapsigning') && isTrue(controller, 'ldapavailable'),
  );

export const coerceAndRelayToLdaps = (graph: Graph) =>
  relayToController(
    graph,
    (controller) => isFalse(controller, 'ldapsepa') && isTrue(controller, 'ldapsavailable'),
  );

function relayToController(graph: Graph, accepts: (controller: Node) => boolean): Pair[] {
  return fromAuthenticatedUsers(graph, (computer) => {
    const domain = domainOf(graph, computer);
    return (
      isUnprotected(graph, computer) &&
      isTrue(computer, 'webclientrunning') &&
      domain !== undefined &&
      domainControllers(graph, [domain]).some((controller) => controller !== computer && accepts(controller))
    );
  });
}

/** From Authenticated Users of each domain that the authority is chained to, whatever domain the computer is of. */
export const coerceAndRelayToAdcs = published(({ graph, template, ca, domains }) => {
  const suits =
    isTrue(ca, 'hasvulnerableendpoint') &&
    needsNoApproval(template) &&
    authenticates(template) &&
    needsNoSignature(template);
  const computers = suits
    ? [...victimsOf(graph, template, ca)].filter(
        (node) => isA(node, 'Computer') && isUnprotected(graph, node),
      )
    : [];
  const groups = authenticatedUsers(graph).filter((group) => domains.some((domain) => isIn(group, domain)));
  return allPairs(groups, computers);
});

function authenticatedUsers(graph: Graph): Node[] {
  return graph.ofKind('Group').filter((group) => group.objectId.endsWith('-S-1-5-11'));
}

/** From Authenticated Users of the computer's own domain. */
function fromAuthenticatedUsers(graph: Graph, isTarget: (computer: Node) => boolean): Pair[] {
  const groups = authenticatedUsers(graph);
  return graph
    .ofKind('Computer')
    .filter(isTarget)
    .flatMap((computer) =>
      groups
        .filter((group) => environment(group) !== undefined && environment(group) === environment(computer))
        .map((group): Pair => [group, computer]),
    );
}

const levelsWithoutProtectedUsers = ['2000 Mixed/Native', '2003 Interim', '2003', '2008', '2008 R2', '2012'];

/** It may send NTLM, and is not in Protected Users of a domain that has such. */
function isUnprotected(graph: Graph, computer: Node): boolean {
  if (!isFalse(computer, 'restrictoutboundntlm')) return false;
  const domain = domainOf(graph, computer);
  if (domain && levelsWithoutProtectedUsers.includes(text(domain, 'functionallevel') ?? '')) return true;
  return !graph
    .ofKind('Group')
    .filter((group) => group.objectId.endsWith('-525') && domain !== undefined && isIn(group, domain))
    .some((group) => membersOf(graph, group).has(computer));
}
