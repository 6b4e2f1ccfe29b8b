import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type NodePair, naiveReach, pairsBetween, toAdjacency } from '../../../../test/graph/naive-reach.ts';
import { condensed, reversed } from './components.ts';
import { type Limits, ReachCounts } from './reach-counts.ts';

const size = 12;

/** -1 for a node that does not count. */
const environments = fc.array(fc.integer({ min: -1, max: 2 }), { minLength: size, maxLength: size });

function counted(reached: ReadonlySet<number> | undefined, environmentOf: readonly number[]) {
  const counts: Record<number, number> = {};
  for (const node of reached ?? []) {
    const environment = environmentOf[node] as number;
    if (environment >= 0) counts[environment] = (counts[environment] ?? 0) + 1;
  }
  return counts;
}

function assertCounts(
  pairs: readonly NodePair[],
  environmentOf: readonly number[],
  asked: readonly number[],
  limits?: Limits,
) {
  const components = condensed(toAdjacency(size, pairs));
  const turned = pairs.map(([from, to]): NodePair => [to, from]);
  const sides = [
    { components, reach: naiveReach(size, pairs) },
    { components: reversed(components), reach: naiveReach(size, turned) },
  ];
  for (const { components, reach } of sides) {
    const found = new ReachCounts(components, Int32Array.from(environmentOf), limits);
    for (const node of asked)
      assert.deepEqual(Object.fromEntries(found.counts(node)), counted(reach[node], environmentOf));
  }
}

const asked = fc.array(fc.nat(size - 1), { maxLength: 3 * size });

describe('ReachCounts', () => {
  it('counts what a node reaches, and who reaches it, by environment', () => {
    fc.assert(
      fc.property(pairsBetween(size, 20), environments, asked, (pairs, environmentOf, asked) => {
        assertCounts(pairs, environmentOf, asked);
      }),
    );
  });

  it('counts the same when it remembers sets, however large and however many', () => {
    const limits = fc.record({ largeSet: fc.integer({ min: 1, max: 5 }), maxSets: fc.nat(4) });
    fc.assert(
      fc.property(
        pairsBetween(size, 20),
        environments,
        asked,
        limits,
        (pairs, environmentOf, asked, limits) => {
          assertCounts(pairs, environmentOf, asked, limits);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('does not walk a set again that it remembers', () => {
    // 5 is above a line of five nodes, 6 above that.
    const pairs: NodePair[] = [0, 1, 2, 3, 4, 5].map((node) => [node + 1, node]);
    const { of, count, adjacency } = condensed(toAdjacency(7, pairs));
    const looked: number[] = [];
    const offsets = new Proxy(adjacency.offsets, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looked.push(Number(key));
        return Reflect.get(target, key, target);
      },
    });
    const components = { of, count, adjacency: { offsets, next: adjacency.next } };
    const reach = new ReachCounts(components, new Int32Array(7), { largeSet: 3, maxSets: 1 });
    assert.deepEqual([...reach.counts(5)], [[0, 6]]);
    looked.length = 0;
    assert.deepEqual([...reach.counts(6)], [[0, 7]]);
    assert.deepEqual(new Set(looked), new Set([of[6], (of[6] as number) + 1]));
  });
});
