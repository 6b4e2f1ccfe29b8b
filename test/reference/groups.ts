import { type Graph, isA, type Node, reach, union } from './graph.ts';

export function isGroup(node: Node): boolean {
  return isA(node, 'Group', 'ADLocalGroup');
}

/** Everybody in the group, over groups in groups: members, not the group itself. */
export function membersOf(graph: Graph, group: Node): Set<Node> {
  const members = reach([group], (node) => graph.starts(node, 'MemberOf', 'MemberOfLocalGroup'));
  members.delete(group);
  return members;
}

/** The nodes themselves and everybody in those that are groups. */
export function expand(graph: Graph, nodes: Iterable<Node>): Set<Node> {
  const set = new Set(nodes);
  return union(set, ...[...set].filter(isGroup).map((group) => membersOf(graph, group)));
}

/** Authenticated Users or Everyone, of whichever domain. */
export function isEverybody(node: Node): boolean {
  return isA(node, 'Group') && /-S-1-5-11$|-S-1-1-0$/.test(node.objectId);
}
