import type { Estate } from '../estate.ts';

/** Neighbours of every node, whatever the kind of edge, in two flat arrays. */
export interface Adjacency {
  /** Where each node's neighbours begin; one entry more than there are nodes. */
  readonly offsets: Int32Array;
  readonly neighbours: Int32Array;
}

/** Edges of these kinds between nodes that both count. */
export function adjacencyOf(
  estate: Estate,
  kinds: readonly string[],
  counts: (node: number) => boolean = () => true,
): Adjacency {
  const offsets = new Int32Array(estate.size + 1);
  const each = (visit: (from: number, to: number) => void) => {
    for (const kind of kinds) {
      estate.edges(kind).each((start, end) => {
        if (start !== end && counts(start) && counts(end)) visit(start, end);
      });
    }
  };
  each((from) => {
    offsets[from + 1] = (offsets[from + 1] as number) + 1;
  });
  for (let node = 0; node < estate.size; node++)
    offsets[node + 1] = (offsets[node + 1] as number) + (offsets[node] as number);
  const neighbours = new Int32Array(offsets[estate.size] as number);
  const next = offsets.slice(0, estate.size);
  each((from, to) => {
    const place = next[from] as number;
    neighbours[place] = to;
    next[from] = place + 1;
  });
  return { offsets, neighbours };
}
