import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { adjacencyOf, componentsOf } from './adjacency.ts';
import { EdgeSet, PairList } from './edge-set.ts';

const size = 10;

function edges(pairs: readonly (readonly [number, number])[]): EdgeSet {
  const list = new PairList();
  for (const [start, end] of pairs) list.add(start, end);
  return list.toEdgeSet(size);
}

describe('adjacencyOf', () => {
  it('takes edges of several kinds together, in either direction', () => {
    const sets = [edges([[1, 2]]), EdgeSet.empty, edges([[3, 2]])];
    const { offsets, next } = adjacencyOf(size, sets, 'to members');
    assert.deepEqual([...next.subarray(offsets[2], offsets[3])].sort(), [1, 3]);
    const groups = adjacencyOf(size, sets, 'to groups');
    assert.deepEqual([...groups.next.subarray(groups.offsets[3], groups.offsets[4])], [2]);
    assert.equal(groups.offsets[2], groups.offsets[3]);
  });
});

describe('componentsOf', () => {
  it('puts together what leads to each other, and numbers what follows lower', () => {
    const node = fc.nat(size - 1);
    fc.assert(
      fc.property(fc.array(fc.tuple(node, node), { maxLength: 25 }), (pairs) => {
        const { of, count } = componentsOf(adjacencyOf(size, [edges(pairs)], 'to groups'));
        const leads = Array.from({ length: size }, (_, from) => reachable(from, pairs));
        for (let one = 0; one < size; one++)
          for (let two = 0; two < size; two++) {
            const together = one === two || (leads[one]?.has(two) && leads[two]?.has(one));
            assert.equal(of[one] === of[two], together === true);
            if (leads[one]?.has(two)) assert.ok((of[one] as number) >= (of[two] as number));
          }
        assert.equal(new Set(of).size, count);
      }),
      { numRuns: 200 },
    );
  });
});

function reachable(from: number, pairs: readonly (readonly [number, number])[]): Set<number> {
  const found = new Set<number>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [start, end] of pairs) if (start === from || found.has(start)) found.add(end);
  }
  return found;
}
