import { defaultSelectors } from './default-selectors.ts';
import type { Estate } from './estate.ts';
import { Expansion } from './zone-expansion.ts';

/** What puts nodes into a zone; only those that are enabled. */
export type Selector = { readonly rule: string } | { readonly objectIds: readonly string[] };

export interface Zone {
  readonly id: number;
  /** A node that belongs to several is in the one with the lowest. */
  readonly position: number;
  /** What its nodes show among their kinds: `Tag_Tier_Zero`. */
  readonly kind: string;
  readonly selectors: readonly Selector[];
}

/** How a node came into its zone. */
export const zoneSource = { selected: 1, below: 2, above: 3 } as const;

export interface ZoneAssignment {
  /** Of each node the id of its zone, 0 for none. */
  readonly tag: Int32Array;
  /** Of each node in a zone, one of `zoneSource`. */
  readonly source: Uint8Array;
}

const rules = new Map(defaultSelectors.map((selector) => [selector.key, selector.select]));

/** The zone of every node. Each zone grows by itself; where several meet, the lowest position has the node. */
export function assignZones(estate: Estate, zones: readonly Zone[]): ZoneAssignment {
  const tag = new Int32Array(estate.size);
  const source = new Uint8Array(estate.size);
  const expansion = new Expansion(estate);
  for (const zone of [...zones].sort((one, two) => one.position - two.position)) {
    const members = expansion.of(seedsOf(estate, zone));
    for (let node = 0; node < estate.size; node++) {
      const how = members[node] as number;
      if (how === 0 || tag[node] !== 0) continue;
      tag[node] = zone.id;
      source[node] = how;
    }
  }
  return { tag, source };
}

function* seedsOf(estate: Estate, zone: Zone): Iterable<number> {
  for (const selector of zone.selectors) {
    if ('rule' in selector) yield* rules.get(selector.rule)?.(estate) ?? [];
    else {
      for (const objectId of selector.objectIds) {
        const node = estate.find(objectId.toUpperCase());
        if (node !== undefined) yield node;
      }
    }
  }
}
