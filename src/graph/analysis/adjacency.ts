import type { EdgeSet } from './edge-set.ts';

/** Which nodes follow which, over edges of several kinds taken together: one array, cut into one piece a node. */
export interface Adjacency {
  /** The piece of node n is `next[offsets[n]]` up to `next[offsets[n + 1]]`; a node may come twice in it. */
  readonly offsets: Int32Array;
  readonly next: Int32Array;
}

/** From pairs that `each` tells, the same ones each time it is called. */
export function adjacencyFrom(
  nodeCount: number,
  each: (visit: (from: number, to: number) => void) => void,
): Adjacency {
  const offsets = new Int32Array(nodeCount + 1);
  each((from) => {
    offsets[from + 1] = (offsets[from + 1] as number) + 1;
  });
  for (let node = 0; node < nodeCount; node++)
    offsets[node + 1] = (offsets[node + 1] as number) + (offsets[node] as number);
  const places = offsets.slice(0, nodeCount);
  const next = new Int32Array(offsets[nodeCount] as number);
  each((from, to) => {
    const place = places[from] as number;
    next[place] = to;
    places[from] = place + 1;
  });
  return { offsets, next };
}

export function adjacencyOf(
  nodeCount: number,
  edges: readonly EdgeSet[],
  direction: 'to members' | 'to groups',
): Adjacency {
  return adjacencyFrom(nodeCount, (visit) => {
    for (const set of edges)
      set.each((start, end) => (direction === 'to members' ? visit(end, start) : visit(start, end)));
  });
}

/**
 * The strongly connected component of each node, numbered so that whatever follows a component has a lower number.
 * Tarjan's way, with a stack of its own: groups may be nested deeper than calls can be.
 */
export function componentsOf({ offsets, next }: Adjacency): { of: Int32Array; count: number } {
  const nodeCount = offsets.length - 1;
  const of = new Int32Array(nodeCount).fill(-1);
  const entered = new Int32Array(nodeCount).fill(-1);
  const lowest = new Int32Array(nodeCount);
  const at = new Int32Array(nodeCount);
  const [path, open]: [number[], number[]] = [[], []];
  let [entries, count] = [0, 0];

  const enter = (node: number) => {
    entered[node] = lowest[node] = entries;
    entries += 1;
    at[node] = offsets[node] as number;
    path.push(node);
    open.push(node);
  };
  const lower = (node: number, value: number) => {
    if (value < (lowest[node] as number)) lowest[node] = value;
  };
  const leave = (node: number) => {
    path.pop();
    const before = path.at(-1);
    if (before !== undefined) lower(before, lowest[node] as number);
    if (lowest[node] !== entered[node]) return;
    let member: number;
    do {
      member = open.pop() as number;
      of[member] = count;
    } while (member !== node);
    count += 1;
  };

  for (let first = 0; first < nodeCount; first++) {
    if (entered[first] !== -1) continue;
    enter(first);
    while (path.length > 0) {
      const node = path.at(-1) as number;
      const place = at[node] as number;
      if (place === offsets[node + 1]) {
        leave(node);
        continue;
      }
      at[node] = place + 1;
      const follower = next[place] as number;
      if (entered[follower] === -1) enter(follower);
      else if (of[follower] === -1) lower(node, entered[follower] as number);
    }
  }
  return { of, count };
}
