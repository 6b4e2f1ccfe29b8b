import type { Add } from '../facts.ts';

/** Adds an edge from each source to each target. Templates often give the same lists again: those are passed over. */
export function spreading(add: Add): (sources: readonly number[], targets: readonly number[]) => void {
  const done = new Map<readonly number[], Set<readonly number[]>>();
  return (sources, targets) => {
    const before = done.get(sources);
    if (before?.has(targets)) return;
    if (before === undefined) done.set(sources, new Set([targets]));
    else before.add(targets);
    for (const source of sources) for (const target of targets) add(source, target);
  };
}
