import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BitSet } from './bits.ts';
import { type Estate, EstateBuilder } from './estate.ts';
import { Membership } from './membership.ts';

type Pair = readonly [member: number, group: number];

function estateOf(size: number, pairs: readonly Pair[], ids: Record<number, string> = {}): Estate {
  const builder = new EstateBuilder();
  for (let node = 0; node < size; node++)
    builder.node({ objectId: ids[node] ?? `N${node}`, kinds: ['Group'], properties: {} });
  pairs.forEach(([member, group], at) => {
    builder.edge(member, at % 3 === 0 ? 'MemberOfLocalGroup' : 'MemberOf', group);
  });
  return builder.build();
}

/** One step after the other until nothing new comes. */
function naiveMembers(group: number, pairs: readonly Pair[]): number[] {
  const found = new Set<number>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [member, of] of pairs) if (of === group || found.has(of)) found.add(member);
  }
  return [...found].sort((one, two) => one - two);
}

describe('Membership', () => {
  it('goes through domain groups and local ones', () => {
    const membership = new Membership(
      estateOf(5, [
        [1, 0],
        [2, 1],
        [3, 2],
      ]),
    );
    assert.deepEqual([...membership.members(0)], [1, 2, 3]);
    assert.deepEqual([...membership.groupsOf(3)], [0, 1, 2]);
    assert.equal(membership.size(1), 2);
    assert.equal(membership.isMember(3, 0), true);
    assert.equal(membership.isMember(0, 3), false);
    assert.equal(membership.isEmpty(4), true);
    assert.deepEqual([...membership.members(4)], []);
  });

  it('puts a group into itself only in a circle', () => {
    const membership = new Membership(
      estateOf(5, [
        [0, 1],
        [1, 2],
        [2, 0],
        [3, 0],
        [0, 4],
      ]),
    );
    for (const group of [0, 1, 2]) assert.deepEqual([...membership.members(group)], [0, 1, 2, 3]);
    assert.deepEqual([...membership.members(4)], [0, 1, 2, 3]);
    assert.equal(membership.isMember(4, 4), false);
    assert.equal(membership.isMember(1, 1), true);
  });

  it('knows which groups hold everybody', () => {
    const ids = { 0: 'D-S-1-5-11', 3: 'F-S-1-1-0', 5: 'D-S-1-5-110' };
    const membership = new Membership(
      estateOf(
        6,
        [
          [0, 1],
          [1, 2],
          [4, 0],
        ],
        ids,
      ),
    );
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((node) => membership.holdsEveryone(node)),
      [true, true, true, true, false, false],
    );
  });

  it('agrees with a search step by step', () => {
    const size = 14;
    const node = fc.nat(size - 1);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(node, node), { maxLength: 30 }),
        fc.uniqueArray(node, { maxLength: 6 }),
        (pairs, wanted) => {
          const membership = new Membership(estateOf(size, pairs));
          const among = membership.twoMembersAmong(BitSet.of(size, wanted));
          for (let group = 0; group < size; group++) {
            const expected = naiveMembers(group, pairs);
            const bits = new BitSet(size);
            membership.addMembersTo(bits, group);
            assert.deepEqual([...membership.members(group)], expected);
            assert.deepEqual([...bits.toArray()], expected);
            assert.equal(membership.size(group), expected.length);
            const groups = naiveMembers(
              group,
              pairs.map(([member, of]) => [of, member]),
            );
            assert.deepEqual([...membership.groupsOf(group)], groups);
            const other = naiveMembers(0, pairs);
            assert.deepEqual(
              [...membership.commonMembers(group, 0)],
              expected.filter((member) => other.includes(member)),
            );
            const two = among(group);
            const wantedMembers = expected.filter((member) => wanted.includes(member));
            assert.equal(two.length, Math.min(2, wantedMembers.length));
            assert.equal(new Set(two).size, two.length);
            assert.ok(two.every((member) => wantedMembers.includes(member)));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('holds groups that are nested deeper than calls can be', () => {
    const depth = 50_000;
    const pairs = Array.from({ length: depth }, (_, at): Pair => [at, at + 1]);
    const membership = new Membership(estateOf(depth + 1, pairs));
    assert.equal(membership.size(depth), depth);
    assert.equal(membership.isMember(0, depth), true);
  });
});
