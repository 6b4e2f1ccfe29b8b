import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type EdgeSet, PairList } from './edge-set.ts';

type Pair = [start: number, end: number];

function edgeSet(pairs: readonly Pair[], nodeCount: number): EdgeSet {
  const list = new PairList();
  for (const [start, end] of pairs) list.add(start, end);
  return list.toEdgeSet(nodeCount);
}

function pairsOf(set: EdgeSet): Pair[] {
  const pairs: Pair[] = [];
  set.each((start, end) => pairs.push([start, end]));
  return pairs;
}

describe('EdgeSet', () => {
  it('is empty without edges', () => {
    const set = edgeSet([], 10);
    assert.equal(set.size, 0);
    assert.equal(set.has(0, 0), false);
    assert.deepEqual([...set.targets(9), ...set.sources(9)], []);
  });

  it('has an edge in its own direction only', () => {
    const set = edgeSet([[3, 4]], 10);
    assert.equal(set.has(3, 4), true);
    assert.equal(set.has(4, 3), false);
    assert.deepEqual([...set.targets(3)], [4]);
    assert.deepEqual([...set.sources(4)], [3]);
    assert.deepEqual([...set.targets(4)], []);
  });

  // Few edges among many nodes are looked up in another way than many among few.
  for (const nodeCount of [12, 5000]) {
    it(`finds what a plain list has, among ${nodeCount} nodes`, () => {
      const node = fc.nat(11);
      fc.assert(
        fc.property(fc.array(fc.tuple(node, node), { maxLength: 60 }), (pairs) => {
          const set = edgeSet(pairs, nodeCount);
          const unique = [...new Set(pairs.map(([start, end]) => start * 100 + end))]
            .sort((one, two) => one - two)
            .map((key): Pair => [Math.floor(key / 100), key % 100]);
          assert.deepEqual(pairsOf(set), unique);
          assert.deepEqual([...set], unique);
          assert.equal(set.size, unique.length);
          for (let one = 0; one < 12; one++) {
            assert.deepEqual(
              [...set.targets(one)],
              unique.filter(([start]) => start === one).map(([, end]) => end),
            );
            assert.deepEqual(
              [...set.sources(one)],
              unique.filter(([, end]) => end === one).map(([start]) => start),
            );
            for (let two = 0; two < 12; two++)
              assert.equal(
                set.has(one, two),
                unique.some(([start, end]) => start === one && end === two),
              );
          }
        }),
        { numRuns: 60 },
      );
    });
  }

  it('holds more pairs than a list begins with', () => {
    const pairs = Array.from({ length: 1000 }, (_, at): Pair => [at % 50, Math.floor(at / 50)]);
    assert.equal(edgeSet(pairs, 50).size, 1000);
  });
});
