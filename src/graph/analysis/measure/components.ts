import type { Adjacency } from './adjacency.ts';

/**
 * Nodes that reach each other are one component; between components there are no cycles. A component leads only to
 * components with smaller numbers.
 */
export interface Components {
  readonly count: number;
  /** The component of each node. */
  readonly of: Int32Array;
  /** Which components each one leads to, each once, without itself. */
  readonly adjacency: Adjacency;
}

/** Tarjan's algorithm, with a stack of its own: paths are longer than the stack of the machine. */
export function componentsOf({ offsets, neighbours }: Adjacency): Components {
  const nodeCount = offsets.length - 1;
  const of = new Int32Array(nodeCount).fill(-1);
  const entered = new Int32Array(nodeCount).fill(-1);
  const lowest = new Int32Array(nodeCount);
  const nextEdge = new Int32Array(nodeCount);
  const path = new Int32Array(nodeCount);
  const open = new Int32Array(nodeCount);
  let [pathLength, openLength, time, count] = [0, 0, 0, 0];

  const enter = (node: number) => {
    entered[node] = time;
    lowest[node] = time;
    time += 1;
    nextEdge[node] = offsets[node] as number;
    path[pathLength++] = node;
    open[openLength++] = node;
  };
  const leave = (node: number) => {
    pathLength -= 1;
    if (lowest[node] === entered[node]) {
      let member: number;
      do {
        member = open[--openLength] as number;
        of[member] = count;
      } while (member !== node);
      count += 1;
    }
    if (pathLength === 0) return;
    const above = path[pathLength - 1] as number;
    lowest[above] = Math.min(lowest[above] as number, lowest[node] as number);
  };

  for (let root = 0; root < nodeCount; root++) {
    if (entered[root] !== -1) continue;
    enter(root);
    while (pathLength > 0) {
      const node = path[pathLength - 1] as number;
      const edge = nextEdge[node] as number;
      if (edge === offsets[node + 1]) {
        leave(node);
        continue;
      }
      nextEdge[node] = edge + 1;
      const to = neighbours[edge] as number;
      if (entered[to] === -1) enter(to);
      // A component that is closed already can't lead back here.
      else if (of[to] === -1) lowest[node] = Math.min(lowest[node] as number, entered[to] as number);
    }
  }
  return { count, of, adjacency: between(offsets, neighbours, of, count) };
}

/** The same components, looked at from the other end. */
export function reversed({ count, of, adjacency: { offsets, neighbours } }: Components): Components {
  const back = new Int32Array(count + 1);
  for (const to of neighbours) back[to + 1] = (back[to + 1] as number) + 1;
  for (let at = 0; at < count; at++) back[at + 1] = (back[at + 1] as number) + (back[at] as number);
  const next = back.slice(0, count);
  const sources = new Int32Array(neighbours.length);
  for (let from = 0; from < count; from++) {
    for (let edge = offsets[from] as number; edge < (offsets[from + 1] as number); edge++) {
      const to = neighbours[edge] as number;
      const place = next[to] as number;
      sources[place] = from;
      next[to] = place + 1;
    }
  }
  return { count, of, adjacency: { offsets: back, neighbours: sources } };
}

function between(offsets: Int32Array, neighbours: Int32Array, of: Int32Array, count: number): Adjacency {
  const nodeCount = of.length;
  const membersAt = new Int32Array(count + 1);
  for (const component of of) membersAt[component + 1] = (membersAt[component + 1] as number) + 1;
  for (let at = 0; at < count; at++)
    membersAt[at + 1] = (membersAt[at + 1] as number) + (membersAt[at] as number);
  const members = new Int32Array(nodeCount);
  const next = membersAt.slice(0, count);
  for (let node = 0; node < nodeCount; node++) {
    const component = of[node] as number;
    const place = next[component] as number;
    members[place] = node;
    next[component] = place + 1;
  }
  const found = new Int32Array(neighbours.length);
  const starts = new Int32Array(count + 1);
  const seenBy = new Int32Array(count).fill(-1);
  let length = 0;
  for (let component = 0; component < count; component++) {
    starts[component] = length;
    seenBy[component] = component;
    for (let at = membersAt[component] as number; at < (membersAt[component + 1] as number); at++) {
      const node = members[at] as number;
      for (let edge = offsets[node] as number; edge < (offsets[node + 1] as number); edge++) {
        const to = of[neighbours[edge] as number] as number;
        if (seenBy[to] === component) continue;
        seenBy[to] = component;
        found[length++] = to;
      }
    }
  }
  starts[count] = length;
  return { offsets: starts, neighbours: found.slice(0, length) };
}
