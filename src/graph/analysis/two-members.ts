import type { Adjacency } from './adjacency.ts';
import type { BitSet } from './bits.ts';

/**
 * Of each component, up to two of the wanted nodes that follow it: enough to know whether there is another one than a
 * given node, for all nodes in one pass. `component` numbers components after those that follow them.
 */
export function twoThatFollow(
  { offsets, next }: Adjacency,
  component: Int32Array,
  wanted: BitSet,
): (node: number) => readonly number[] {
  const found = new Map<number, readonly number[]>();
  const put = (at: number, node: number) => {
    const known = found.get(at);
    if (known === undefined) found.set(at, [node]);
    else if (known.length === 1 && known[0] !== node) found.set(at, [known[0] as number, node]);
  };
  for (const node of byComponent(component)) {
    const at = component[node] as number;
    for (let place = offsets[node] as number; place < (offsets[node + 1] as number); place++) {
      const follower = next[place] as number;
      if (wanted.has(follower)) put(at, follower);
      const further = component[follower] as number;
      if (further !== at) for (const other of found.get(further) ?? []) put(at, other);
    }
  }
  return (node) => found.get(component[node] as number) ?? [];
}

/** Sorted by counting. */
function byComponent(component: Int32Array): Int32Array {
  const places = new Int32Array(component.length + 1);
  for (const at of component) places[at + 1] = (places[at + 1] as number) + 1;
  for (let at = 0; at < component.length; at++)
    places[at + 1] = (places[at + 1] as number) + (places[at] as number);
  const nodes = new Int32Array(component.length);
  component.forEach((at, node) => {
    const place = places[at] as number;
    nodes[place] = node;
    places[at] = place + 1;
  });
  return nodes;
}
