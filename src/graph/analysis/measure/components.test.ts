import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { naiveReach, pairsBetween, toAdjacency } from '../../../../test/graph/naive-reach.ts';
import type { Adjacency } from '../adjacency.ts';
import { condensed, reversed } from './components.ts';

const size = 10;

function listed({ offsets, next }: Adjacency): number[][] {
  return Array.from({ length: offsets.length - 1 }, (_, at) => [
    ...next.subarray(offsets[at], offsets[at + 1]),
  ]);
}

describe('condensed', () => {
  it('puts together exactly the nodes that reach each other', () => {
    fc.assert(
      fc.property(pairsBetween(size, 25), (pairs) => {
        const { of, count } = condensed(toAdjacency(size, pairs));
        const reach = naiveReach(size, pairs);
        for (let one = 0; one < size; one++)
          for (let two = 0; two < size; two++)
            assert.equal(of[one] === of[two], reach[one]?.has(two) && reach[two]?.has(one));
        assert.deepEqual(
          [...new Set(of)].sort((one, two) => one - two),
          [...Array(count).keys()],
        );
      }),
    );
  });

  it('leads from each component once to every other that an edge leads to, with a smaller number', () => {
    fc.assert(
      fc.property(pairsBetween(size, 25), (pairs) => {
        const { of, count, adjacency } = condensed(toAdjacency(size, pairs));
        const expected = Array.from({ length: count }, () => new Set<number>());
        for (const [from, to] of pairs)
          if (of[from] !== of[to]) expected[of[from] as number]?.add(of[to] as number);
        const found = listed(adjacency);
        for (const [component, targets] of found.entries()) {
          assert.deepEqual([...targets].sort(), [...(expected[component] ?? [])].sort());
          assert.ok(targets.every((target) => target < component));
        }
      }),
    );
  });

  it('does not care how long a path is', () => {
    const length = 200_000;
    const line = Array.from({ length: length - 1 }, (_, node): [number, number] => [node, node + 1]);
    assert.equal(condensed(toAdjacency(length, line)).count, length);
    assert.equal(condensed(toAdjacency(length, [...line, [length - 1, 0]])).count, 1);
  });

  it('has nothing to say about no nodes', () => {
    assert.equal(condensed(toAdjacency(0, [])).count, 0);
  });
});

describe('reversed', () => {
  it('turns every edge between components around', () => {
    fc.assert(
      fc.property(pairsBetween(size, 25), (pairs) => {
        const components = condensed(toAdjacency(size, pairs));
        const edges = listed(components.adjacency).flatMap((targets, from) =>
          targets.map((to) => `${to} to ${from}`),
        );
        const back = reversed(components);
        const turned = listed(back.adjacency).flatMap((targets, from) =>
          targets.map((to) => `${from} to ${to}`),
        );
        assert.deepEqual(turned.sort(), edges.sort());
        assert.deepEqual(back.of, components.of);
      }),
    );
  });
});
