import { type Graph, intersection, type Node, union } from './graph.ts';
import { expand, isEverybody, isGroup, membersOf } from './groups.ts';

/**
 * Who is in all of the sets, directly or through groups; a whole group rather than its people where it qualifies. A
 * group with nobody in it counts like one of the people.
 */
export function crossProduct(graph: Graph, ...sets: Set<Node>[]): Set<Node> {
  const selective = sets.filter((set) => ![...expand(graph, set)].some(isEverybody));
  if (selective.length === 0) return union(...sets);
  const [first = new Set<Node>(), second, ...others] = selective;
  if (second === undefined) return first;

  const check = intersection(expand(graph, second), ...others.map((set) => expand(graph, set)));
  const results = intersection(first, check);

  const unsettled = new Set<Node>();
  for (const node of first)
    if (!check.has(node) && isGroup(node)) for (const member of membersOf(graph, node)) unsettled.add(member);

  const size = (group: Node) => membersOf(graph, group).size;
  const groups = inOrderOf(graph, [...unsettled].filter(isGroup)).filter((group) => size(group) > 0);
  for (const group of groups.sort((a, b) => size(a) - size(b))) {
    if (!unsettled.has(group) || !check.has(group)) continue;
    results.add(group);
    for (const member of membersOf(graph, group)) unsettled.delete(member);
  }
  return union(results, intersection(unsettled, check));
}

/** Groups of one circle have the same members; the one that the graph names first stands for all. */
function inOrderOf(graph: Graph, nodes: readonly Node[]): Node[] {
  return [...graph.nodes.values()].filter((node) => nodes.includes(node));
}
