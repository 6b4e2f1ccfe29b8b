import { type Adjacency, adjacencyFrom } from '../adjacency.ts';
import type { Estate } from '../estate.ts';

/** Edges of these kinds, whatever the kind, between nodes that both count. */
export function stepsOf(
  estate: Estate,
  kinds: readonly string[],
  counts: (node: number) => boolean = () => true,
): Adjacency {
  return adjacencyFrom(estate.size, (visit) => {
    for (const kind of kinds) {
      estate.edges(kind).each((start, end) => {
        if (start !== end && counts(start) && counts(end)) visit(start, end);
      });
    }
  });
}
