import type { Components } from './components.ts';
import type { Paths, ZoneView } from './findings.ts';
import { traversableKinds } from './traversable.ts';

/** As many as an integer has bits. */
const atOnce = 32;

/**
 * Of each environment, how many of its principals outside the zone can get to something of the zone that is in the
 * same environment. Environments go through the graph together, one bit each.
 */
export function exposedPrincipals(paths: Paths, zone: ZoneView, outside: Components): Int32Array {
  const { estate, environments } = paths;
  const exposed = new Int32Array(environments.ids.length);
  const { offsets, next } = outside.adjacency;
  for (let first = 0; first < environments.ids.length; first += atOnce) {
    const reached = new Int32Array(outside.count);
    const bitOf = (environment: number) =>
      environment >= first && environment < first + atOnce ? 1 << (environment - first) : 0;
    for (const kind of traversableKinds) {
      estate.edges(kind).each((source, target) => {
        if (!zone.isInZone(target) || zone.isInOrAbove(source)) return;
        const component = outside.of[source] as number;
        reached[component] = (reached[component] as number) | bitOf(environments.of[target] as number);
      });
    }
    // What a component leads to has a smaller number, and is complete already.
    for (let component = 0; component < outside.count; component++) {
      let bits = reached[component] as number;
      for (let edge = offsets[component] as number; edge < (offsets[component + 1] as number); edge++)
        bits |= reached[next[edge] as number] as number;
      reached[component] = bits;
    }
    environments.ofPrincipals.forEach((environment, node) => {
      if (environment < 0 || zone.isInOrAbove(node)) return;
      if (((reached[outside.of[node] as number] as number) & bitOf(environment)) !== 0)
        exposed[environment] = (exposed[environment] as number) + 1;
    });
  }
  return exposed;
}
