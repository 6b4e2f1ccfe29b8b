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

function byComponent(component: Int32Array): Int32Array {
  const nodes = Int32Array.from(component.keys());
  return nodes.sort((one, two) => (component[one] as number) - (component[two] as number));
}
