import { BitSet } from './bits.ts';
import type { Groups } from './membership.ts';

type Principals = readonly number[] | Int32Array;

/**
 * Who is in every one of the sets, itself or through groups; ascending, each once. A set that takes in everybody
 * restricts nobody and is left out. Where a whole group qualifies it is named instead of its members, and so are the
 * groups in it that have members; of groups that contain each other in a circle the first one is.
 */
export function crossProduct(groups: Groups, sets: readonly Principals[]): number[] {
  const { membership } = groups;
  const restricting = sets.filter((set) => !set.some((node: number) => membership.holdsEveryone(node)));
  const [first, ...others] = restricting;
  if (first === undefined) return ascending(sets.flatMap((set) => [...set]));
  if (others.length === 0) return ascending(first);
  if (restricting.some((set) => set.length === 0)) return [];
  return inAll(groups, first, others);
}

function inAll(groups: Groups, first: Principals, others: readonly Principals[]): number[] {
  const { estate, membership } = groups;
  const check = expanded(groups, others[0] as Principals);
  for (const other of others.slice(1)) check.keepOnly(expanded(groups, other));

  const results: number[] = [];
  const inside = new BitSet(estate.size);
  for (const node of first) {
    if (check.has(node)) results.push(node);
    else membership.addMembersTo(inside, node);
  }
  inside.keepOnly(check);
  const covered = new BitSet(estate.size);
  const smallest = smallestFirst(groups, inside);
  for (const group of smallest) {
    if (covered.has(group)) continue;
    results.push(group);
    membership.addMembersTo(covered, group);
  }
  covered.addAll(BitSet.of(estate.size, smallest));
  inside.each((node) => {
    if (!covered.has(node)) results.push(node);
  });
  return ascending(results);
}

/** A group without members is no more than one of those who are in others. */
function smallestFirst(groups: Groups, nodes: BitSet): number[] {
  const sizes = new Map<number, number>();
  nodes.each((node) => {
    const size = othersIn(groups, node);
    if (size > 0) sizes.set(node, size);
  });
  return [...sizes].sort((one, two) => one[1] - two[1]).map(([group]) => group);
}

function othersIn({ membership }: Groups, group: number): number {
  if (membership.isEmpty(group)) return 0;
  return membership.size(group) - (membership.isMember(group, group) ? 1 : 0);
}

/** With their members. */
function expanded({ estate, membership }: Groups, principals: Principals): BitSet {
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
