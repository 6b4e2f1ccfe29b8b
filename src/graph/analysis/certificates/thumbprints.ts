import type { Estate } from '../estate.ts';

/** Finds certificates by their thumbprint among nodes of these kinds. */
export function byThumbprint(
  estate: Estate,
  ...kinds: readonly string[]
): (thumbprint: unknown) => readonly number[] {
  const found = new Map<unknown, number[]>();
  for (const kind of kinds) {
    for (const node of estate.nodesOf(kind)) {
      const thumbprint = estate.property(node, 'certthumbprint');
      if (typeof thumbprint !== 'string' || thumbprint === '') continue;
      const others = found.get(thumbprint);
      if (others === undefined) found.set(thumbprint, [node]);
      else others.push(node);
    }
  }
  return (thumbprint) => found.get(thumbprint) ?? [];
}

export function listOf(estate: Estate, node: number, name: string): readonly unknown[] {
  const value = estate.property(node, name);
  return Array.isArray(value) ? value : [];
}
