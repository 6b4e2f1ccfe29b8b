import { defaultSelectors } from '../../src/graph/analysis/default-selectors.ts';
import { derive, rules } from '../../src/graph/analysis/derive.ts';
import { type Estate, EstateBuilder } from '../../src/graph/analysis/estate.ts';
import { keptProperties } from '../../src/graph/analysis/kept-properties.ts';
import { Wants } from '../../src/graph/analysis/prepare.ts';
import { assignZones } from '../../src/graph/analysis/zones.ts';
import { putTogether } from '../../src/graph/ingest/write/made-up.ts';
import { amended } from './amendments.ts';
import { derive as deriveSlowly } from './analysis.ts';
import { drawingOf } from './drawing.ts';
import { type Edge, Graph, type Node, type Pair } from './graph.ts';
import type { RandomEstate } from './random-estate.ts';
import { shrink } from './shrink.ts';
import { zonesOf } from './zones.ts';

export interface Comparison {
  /** How many edges of each kind follow. */
  readonly counts: ReadonlyMap<string, number>;
  /** Kinds of edges, `nodes` or `zones`, on which the two do not agree. */
  readonly differing: readonly string[];
}

/** Runs the analysis and its reference on the same estate. */
export function compare(estate: RandomEstate): Comparison {
  const nodes = amendedByProgram(estate.nodes);
  const differing = sameLines(nodes.map(nodeLine), amended(estate.nodes).map(nodeLine)) ? [] : ['nodes'];
  const { fast, slow, slowPairs } = analyse({ ...estate, nodes });
  differing.push(
    ...[...slow.keys()].filter((kind) => !sameLines(fast.get(kind) ?? [], slow.get(kind) ?? [])),
  );
  return { differing, counts: new Map([...slowPairs].map(([kind, pairs]) => [kind, pairs.length])) };
}

/** Of many estates: what differs, each kind explained once, and in how many of them each kind follows. */
export function compareMany(
  count: number,
  make: (seed: number) => RandomEstate,
): { explained: string; followed: ReadonlyMap<string, number> } {
  const followed = new Map<string, number>();
  const explained = new Map<string, string>();
  for (let seed = 1; seed <= count; seed++) {
    const estate = make(seed);
    const { differing, counts } = compare(estate);
    for (const [kind, count] of counts) if (count > 0) followed.set(kind, (followed.get(kind) ?? 0) + 1);
    for (const kind of differing) if (!explained.has(kind)) explained.set(kind, explain(seed, estate, kind));
  }
  return { explained: [...explained.values()].join('\n\n'), followed };
}

/** The smallest part of the estate on which the two still differ, as a drawing, and what each of them says. */
export function explain(seed: number, estate: RandomEstate, kind: string): string {
  if (kind === 'nodes') return explainNodes(seed, estate);
  const differs = (parts: { nodes: readonly Node[]; edges: readonly Edge[] }) => {
    const { fast, slow } = analyse({ ...estate, ...parts });
    return !sameLines(fast.get(kind) ?? [], slow.get(kind) ?? []);
  };
  const smallest = shrink({ nodes: amendedByProgram(estate.nodes), edges: estate.edges }, differs);
  const { fast, slow, slowPairs } = analyse({ ...estate, ...smallest });
  const expected = slowPairs.get(kind) ?? [];
  const settings = kind === 'zones' ? JSON.stringify(estate.zones) : `citrixRdp ${estate.citrixRdp}`;
  return [
    `${kind} differs with seed ${seed} (${settings})`,
    `only the program has: ${onlyIn(fast.get(kind), slow.get(kind))}`,
    `only the reference has: ${onlyIn(slow.get(kind), fast.get(kind))}`,
    drawingOf(`seed ${seed}`, smallest.nodes, smallest.edges, kind, expected),
  ].join('\n');
}

function explainNodes(seed: number, estate: RandomEstate): string {
  const [fast, slow] = [amendedByProgram(estate.nodes).map(nodeLine), amended(estate.nodes).map(nodeLine)];
  return [
    `nodes differ with seed ${seed}`,
    `only the program has: ${onlyIn(fast, slow)}`,
    `only the reference has: ${onlyIn(slow, fast)}`,
  ].join('\n');
}

/** What both say, as lines that can be compared: one list for every kind of edge, and one for the zones. */
function analyse(estate: RandomEstate) {
  const built = build(estate);
  const fast = new Map<string, string[]>();
  for (const [kind, edges] of derive(built, { citrixRdp: estate.citrixRdp })) {
    const lines: string[] = [];
    edges.each((start, end) => lines.push(`${built.objectId(start)} -> ${built.objectId(end)}`));
    fast.set(kind, lines);
  }
  fast.set('zones', zoneLines(built, estate));

  const graph = new Graph(estate.nodes, estate.edges);
  const slowPairs = deriveSlowly(graph, { citrixRdp: estate.citrixRdp });
  const slow = new Map([...slowPairs].map(([kind, pairs]) => [kind, pairs.map(pairLine)]));
  const zones = zonesOf(graph, { tagId: 1, position: 1 }, estate.zones);
  slow.set(
    'zones',
    [...zones].map(([node, tag]) => `${node.objectId} in ${tag}`),
  );
  return { fast, slow, slowPairs };
}

function build({ nodes, edges }: RandomEstate): Estate {
  const builder = new EstateBuilder(keptProperties);
  const numbers = new Map(nodes.map((node) => [node.objectId, builder.node(node)]));
  for (const { start, kind, end } of edges)
    builder.edge(numbers.get(start) as number, kind, numbers.get(end) as number);
  return builder.build();
}

function zoneLines(estate: Estate, { zones }: RandomEstate): string[] {
  const { tag } = assignZones(estate, [
    {
      id: 1,
      position: 1,
      kind: 'Tag_Tier_Zero',
      selectors: defaultSelectors.map(({ key }) => ({ rule: key })),
    },
    ...zones.map(({ tagId, position, objectIds }) => ({
      id: tagId,
      position,
      kind: `Tag_${tagId}`,
      selectors: [{ objectIds }],
    })),
  ]);
  return [...tag].flatMap((id, node) => (id === 0 ? [] : [`${estate.objectId(node)} in ${id}`]));
}

function amendedByProgram(nodes: readonly Node[]): Node[] {
  const wants = new Wants(nodes);
  const ids = new Set(nodes.map(({ objectId }) => objectId));
  const missing = [...wants.groups].filter(([objectId]) => !ids.has(objectId));
  return [
    ...nodes.map(({ objectId, kinds, properties }) => {
      const stated = { kinds, properties: { ...properties } };
      const after = putTogether(stated, wants.of({ objectId, ...stated }));
      return { objectId, kinds: after.kinds, properties: after.properties };
    }),
    ...missing.map(([objectId, { kinds, properties }]) => ({ objectId, kinds, properties })),
  ];
}

function nodeLine({ objectId, kinds, properties }: Node): string {
  const { name, domain, domainsid } = properties;
  return JSON.stringify([objectId, [...kinds].sort(), name, domain, domainsid]);
}

function pairLine([start, end]: Pair): string {
  return `${start.objectId} -> ${end.objectId}`;
}

function sameLines(some: readonly string[], others: readonly string[]): boolean {
  return JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
}

function onlyIn(some: readonly string[] = [], others: readonly string[] = []): string {
  return some.filter((line) => !others.includes(line)).join(', ') || 'nothing';
}

/** Kinds of edges that the program derives. */
export const derivedKinds: readonly string[] = rules.map(([kind]) => kind);
