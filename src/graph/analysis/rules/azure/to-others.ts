import type { Add } from '../../facts.ts';

/** From each to each; nobody gains anything by doing it to himself. */
export function toOthers(starts: Iterable<number>, ends: readonly (readonly number[])[], add: Add): void {
  for (const start of starts)
    for (const some of ends) for (const end of some) if (end !== start) add(start, end);
}
