import { type Adjacency, adjacencyOf } from './adjacency.ts';
import type { BitSet } from './bits.ts';
import type { Estate } from './estate.ts';
import { Reach, type Reached } from './reach.ts';
import { twoThatFollow } from './two-members.ts';

const membershipKinds = ['MemberOf', 'MemberOfLocalGroup'];
const budgetBytes = 96 * 1024 * 1024;

/** What rules know first of all. Facts are this and more. */
export interface Groups {
  readonly estate: Estate;
  readonly membership: Membership;
}

/**
 * Who is in which group, through any number of groups: domain groups and local ones alike. A group is in itself only
 * where groups contain each other in a circle.
 */
export class Membership {
  readonly #estate: Estate;
  readonly #toMembers: Adjacency;
  readonly #members: Reach;
  readonly #groups: Adjacency;
  #groupsOf: Reach | undefined;
  #holdEveryone: Uint8Array | undefined;

  constructor(estate: Estate) {
    this.#estate = estate;
    const edges = membershipKinds.map((kind) => estate.edges(kind));
    this.#toMembers = adjacencyOf(estate.size, edges, 'to members');
    this.#members = new Reach(this.#toMembers, budgetBytes);
    this.#groups = adjacencyOf(estate.size, edges, 'to groups');
  }

  /** Everyone in it, groups included, ascending. Not to be changed. */
  members(group: number): Int32Array {
    return this.#members.from(group).toArray();
  }

  size(group: number): number {
    return this.#members.from(group).size;
  }

  isMember(node: number, group: number): boolean {
    if (this.#groups.offsets[node] === this.#groups.offsets[node + 1]) return false;
    return this.#members.from(group).has(node);
  }

  isEmpty(group: number): boolean {
    return this.#members.ends(group);
  }

  /** As `members`, without a list of its own for each large group. */
  addMembersTo(members: BitSet, group: number): void {
    this.#members.from(group).addTo(members);
  }

  /** Who is in both, ascending. */
  commonMembers(one: number, two: number): Int32Array {
    if (this.isEmpty(one) || this.isEmpty(two)) return new Int32Array(0);
    const [first, second] = [this.#members.from(one), this.#members.from(two)];
    const [short, other] = isShorter(first, second) ? [first, second] : [second, first];
    return short.toArray().filter((member) => other.has(member));
  }

  /** Tells up to two of the wanted nodes that are in a group: whether there is one, or one besides another. */
  twoMembersAmong(wanted: BitSet): (group: number) => readonly number[] {
    return twoThatFollow(this.#toMembers, this.#members.component, wanted);
  }

  /** All groups that it is in, ascending. Not to be changed. */
  groupsOf(node: number): Int32Array {
    this.#groupsOf ??= new Reach(this.#groups, budgetBytes / 4);
    return this.#groupsOf.from(node).toArray();
  }

  /** Whether it is Authenticated Users or Everyone, or they are in it: then everybody is. */
  holdsEveryone(node: number): boolean {
    this.#holdEveryone ??= this.#above(everyoneIn(this.#estate));
    return this.#holdEveryone[node] === 1;
  }

  /** Those nodes and every group that one of them is in. */
  #above(nodes: readonly number[]): Uint8Array {
    const { offsets, next } = this.#groups;
    const found = new Uint8Array(this.#estate.size);
    const open = [...nodes];
    for (const node of nodes) found[node] = 1;
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (let place = offsets[node] as number; place < (offsets[node + 1] as number); place++) {
        const group = next[place] as number;
        if (found[group] === 1) continue;
        found[group] = 1;
        open.push(group);
      }
    }
    return found;
  }
}

/** Counts only where it is not plain: counting takes longer than most questions. */
function isShorter(one: Reached, two: Reached): boolean {
  const [first, second] = [one.list !== undefined, two.list !== undefined];
  return first === second ? one.size < two.size : first;
}

/** Authenticated Users and Everyone, of every domain. */
export function everyoneIn(estate: Estate): number[] {
  const found: number[] = [];
  for (let node = 0; node < estate.size; node++) {
    const id = estate.objectId(node);
    if (id.endsWith('-S-1-5-11') || id.endsWith('-S-1-1-0')) found.push(node);
  }
  return found;
}
