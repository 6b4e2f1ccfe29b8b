import { type Adjacency, adjacencyFrom, componentsOf } from '../adjacency.ts';

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

/** Each circle as one. */
export function condensed({ offsets, next }: Adjacency): Components {
  const { of, count } = componentsOf({ offsets, next });
  return { count, of, adjacency: between(offsets, next, of, count) };
}

/** The same components, looked at from the other end. */
export function reversed({ count, of, adjacency: { offsets, next } }: Components): Components {
  const adjacency = adjacencyFrom(count, (visit) => {
    for (let from = 0; from < count; from++)
      for (let edge = offsets[from] as number; edge < (offsets[from + 1] as number); edge++)
        visit(next[edge] as number, from);
  });
  return { count, of, adjacency };
}

function between(offsets: Int32Array, next: Int32Array, of: Int32Array, count: number): Adjacency {
  const nodeCount = of.length;
  const membersAt = new Int32Array(count + 1);
  for (const component of of) membersAt[component + 1] = (membersAt[component + 1] as number) + 1;
  for (let at = 0; at < count; at++)
    membersAt[at + 1] = (membersAt[at + 1] as number) + (membersAt[at] as number);
  const members = new Int32Array(nodeCount);
  const places = membersAt.slice(0, count);
  for (let node = 0; node < nodeCount; node++) {
    const component = of[node] as number;
    const place = places[component] as number;
    members[place] = node;
    places[component] = place + 1;
  }
  const found = new Int32Array(next.length);
  const starts = new Int32Array(count + 1);
  const seenBy = new Int32Array(count).fill(-1);
  let length = 0;
  for (let component = 0; component < count; component++) {
    starts[component] = length;
    seenBy[component] = component;
    for (let at = membersAt[component] as number; at < (membersAt[component + 1] as number); at++) {
      const node = members[at] as number;
      for (let edge = offsets[node] as number; edge < (offsets[node + 1] as number); edge++) {
        const to = of[next[edge] as number] as number;
        if (seenBy[to] === component) continue;
        seenBy[to] = component;
        found[length++] = to;
      }
    }
  }
  starts[count] = length;
  return { offsets: starts, next: found.slice(0, length) };
}
