import { BitSet } from './bits.ts';
import type { Facts } from './facts.ts';

type Principals = readonly number[] | Int32Array;

/**
 * Who is in every one of the sets, itself or through groups; ascending, each once. A set that takes in everybody
 * restricts nobody and is left out. Where a whole group qualifies it is named instead of its members, and so are the
 * groups in it; of groups that contain each other in a circle the first one is.
 */
export function crossProduct(facts: Facts, sets: readonly Principals[]): number[] {
  const { membership } = facts;
  const restricting = sets.filter((set) => !set.some((node: number) => membership.holdsEveryone(node)));
  const [first, ...others] = restricting;
  if (first === undefined) return ascending(sets.flatMap((set) => [...set]));
  if (others.length === 0) return ascending(first);
  if (restricting.some((set) => set.length === 0)) return [];
  return inAll(facts, first, others);
}

function inAll(facts: Facts, first: Principals, others: readonly Principals[]): number[] {
  const { estate, membership } = facts;
  const check = expanded(facts, others[0] as Principals);
  for (const other of others.slice(1)) check.keepOnly(expanded(facts, other));

  const results: number[] = [];
  const inside = new BitSet(estate.size);
  for (const node of first) {
    if (check.has(node)) results.push(node);
    else membership.addMembersTo(inside, node);
  }
  inside.keepOnly(check);
  const covered = new BitSet(estate.size);
  for (const group of smallestFirst(facts, inside)) {
    if (covered.has(group)) continue;
    results.push(group);
    membership.addMembersTo(covered, group);
  }
  inside.each((node) => {
    if (!isGroup(facts, node) && !covered.has(node)) results.push(node);
  });
  return ascending(results);
}

function smallestFirst(facts: Facts, nodes: BitSet): number[] {
  const sizes = new Map<number, number>();
  nodes.each((node) => {
    if (isGroup(facts, node)) sizes.set(node, othersIn(facts, node));
  });
  return [...sizes].sort((one, two) => one[1] - two[1]).map(([group]) => group);
}

function othersIn({ membership }: Facts, group: number): number {
  return membership.size(group) - (membership.isMember(group, group) ? 1 : 0);
}

function isGroup({ estate }: Facts, node: number): boolean {
  return estate.has(node, 'Group') || estate.has(node, 'ADLocalGroup');
}

/** With their members. */
function expanded({ estate, membership }: Facts, principals: Principals): BitSet {
  const all = new BitSet(estate.size);
  for (const node of principals) {
    all.add(node);
    membership.addMembersTo(all, node);
  }
  return all;
}

function ascending(nodes: Iterable<number>): number[] {
  return [...new Set(nodes)].sort((one, two) => one - two);
}
