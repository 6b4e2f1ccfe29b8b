import { domainOf } from './domains.ts';
import { type Graph, isA, isTrue, type Node, type Pair, text } from './graph.ts';
import { membersOf } from './groups.ts';

/** An owner owns, unless owning gives nothing in the target's domain: then only its administrators own computers. */
export function owns(graph: Graph): Pair[] {
  return graph
    .pairs('OwnsRaw')
    .filter(([owner, target]) => !rightsOfOwnersBlocked(graph, target) || isAdministrator(graph, owner));
}

export function writeOwner(graph: Graph): Pair[] {
  return graph.pairs('WriteOwnerRaw').filter(([, target]) => !rightsOfOwnersBlocked(graph, target));
}

/** BlockOwnerImplicitRights concerns computers and managed service accounts. */
function rightsOfOwnersBlocked(graph: Graph, target: Node): boolean {
  const domain = domainOf(graph, target);
  const blocks = domain !== undefined && text(domain, 'dsheuristics')?.charAt(28) === '1';
  return blocks && (isA(target, 'Computer') || isTrue(target, 'gmsa') || isTrue(target, 'msa'));
}

/** Domain Admins, Enterprise Admins, and everybody in them. */
function isAdministrator(graph: Graph, node: Node): boolean {
  return graph
    .ofKind('Group')
    .filter((group) => /-(512|519)$/.test(group.objectId))
    .some((group) => group === node || membersOf(graph, group).has(node));
}
