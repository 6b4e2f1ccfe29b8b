import fc from 'fast-check';
import type { Adjacency } from '../../src/graph/analysis/adjacency.ts';

export type NodePair = readonly [from: number, to: number];

/** At most so many random edges between so many nodes. */
export function pairsBetween(size: number, maxLength: number): fc.Arbitrary<[number, number][]> {
  const node = fc.nat(size - 1);
  return fc.array(fc.tuple(node, node), { maxLength });
}

export function toAdjacency(size: number, pairs: readonly NodePair[]): Adjacency {
  const sorted = [...pairs].sort(([one], [two]) => one - two);
  const offsets = new Int32Array(size + 1);
  for (const [from] of sorted) offsets[from + 1] = (offsets[from + 1] as number) + 1;
  for (let node = 0; node < size; node++)
    offsets[node + 1] = (offsets[node + 1] as number) + (offsets[node] as number);
  return { offsets, next: Int32Array.from(sorted, ([, to]) => to) };
}

/** What each node reaches, itself included, by adding until nothing changes. */
export function naiveReach(size: number, pairs: readonly NodePair[]): ReadonlySet<number>[] {
  const reach = Array.from({ length: size }, (_, node) => new Set([node]));
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const [from, to] of pairs) {
      const before = reach[from]?.size;
      for (const node of reach[to] ?? []) reach[from]?.add(node);
      isChanged ||= reach[from]?.size !== before;
    }
  }
  return reach;
}
