import type { Estate } from '../estate.ts';
import { type Components, condensed, reversed } from './components.ts';
import type { Environments } from './environments.ts';
import { largeGroupTypes, zoneTypes } from './finding-types.ts';
import { roastable, tierZeroQuestions } from './lists.ts';
import { type Counts, ReachCounts } from './reach-counts.ts';
import { stepsOf } from './steps.ts';
import { traversableKinds } from './traversable.ts';

/** Somebody who should not can get at something that matters. */
export interface Finding {
  readonly tagId: number;
  readonly type: string;
  /** The number of the environment that it endangers: the target's. */
  readonly environment: number;
  /** Nodes; a finding about one principal has that one twice. */
  readonly source: number;
  readonly target: number;
  /** Principals that can use it, the source included; none for a finding about one principal. */
  readonly exposureCount: number;
  /** Those of them that live in the environment. */
  readonly exposureInside: number;
  /** Principals that fall with the target, itself included. */
  readonly impactCount: number;
  readonly impactInside: number;
}

/** The zone, and everything that is more privileged. */
export interface ZoneView {
  readonly tagId: number;
  readonly isInZone: (node: number) => boolean;
  readonly isInOrAbove: (node: number) => boolean;
}

export const hygieneTag = 0;
const largeDefaultGroups = ['-513', '-515', '-S-1-5-11', '-S-1-1-0', '-S-1-5-32-545'];

/** What the whole graph and the part outside of a zone look like to somebody who moves through them. */
export class Paths {
  readonly estate: Estate;
  readonly environments: Environments;
  readonly #downstream: ReachCounts;
  readonly #upstream: ReachCounts;

  constructor(estate: Estate, environments: Environments) {
    this.estate = estate;
    this.environments = environments;
    const components = condensed(stepsOf(estate, traversableKinds));
    this.#downstream = new ReachCounts(components, environments.ofPrincipals);
    this.#upstream = new ReachCounts(reversed(components), environments.ofPrincipals);
  }

  /** Principals that come to this node, zones or not. */
  exposureOf(node: number): Counts {
    return this.#upstream.counts(node);
  }

  /** Principals that fall with this node, zones or not. */
  impactOf(node: number): Counts {
    return this.#downstream.counts(node);
  }

  /** Components of what is neither in the zone nor above it. */
  outside({ isInOrAbove }: ZoneView): Components {
    return condensed(stepsOf(this.estate, traversableKinds, (node) => !isInOrAbove(node)));
  }
}

/** Edges that cross into the zone. */
export function zoneFindings(paths: Paths, zone: ZoneView, outside: Components): Finding[] {
  const { estate, environments } = paths;
  const upstream = new ReachCounts(reversed(outside), environments.ofPrincipals);
  const findings: Finding[] = [];
  for (const [kind, type] of zoneTypes) {
    estate.edges(kind).each((source, target) => {
      const environment = environments.of[target] as number;
      if (environment === -1 || !zone.isInZone(target) || zone.isInOrAbove(source)) return;
      const exposure = countsIn(upstream.counts(source), environment);
      const impact = countsIn(paths.impactOf(target), environment);
      findings.push(newFinding(zone.tagId, type, source, target, environment, exposure, impact));
    });
  }
  return findings;
}

/** What is wrong wherever it is: accounts that can be roasted, and rights of everybody. */
export function hygieneFindings(paths: Paths, isTierZero: (node: number) => boolean): Finding[] {
  const { estate, environments } = paths;
  const findings: Finding[] = [];
  const add = (type: string, source: number, target: number) => {
    const environment = environments.of[target] as number;
    if (environment === -1) return;
    const impact = countsIn(paths.impactOf(target), environment);
    const exposure: readonly [number, number] =
      source === target ? [0, 0] : countsIn(paths.exposureOf(source), environment);
    findings.push(newFinding(hygieneTag, type, source, target, environment, exposure, impact));
  };
  for (const { type, node } of roastable(estate)) add(type, node, node);
  const isLarge = (node: number) => largeDefaultGroups.some((end) => estate.objectId(node).endsWith(end));
  const groups = estate.nodesOf('Group').filter(isLarge);
  for (const [kind, type] of largeGroupTypes) {
    for (const group of groups)
      for (const target of estate.targets(group, kind)) if (!isTierZero(target)) add(type, group, target);
  }
  return findings;
}

/** What is wrong with something of Tier Zero by itself. */
export function tierZeroLists(paths: Paths, tagId: number, isTierZero: (node: number) => boolean): Finding[] {
  const { estate, environments } = paths;
  return tierZeroQuestions.flatMap(({ type, nodes, isWrong }) =>
    nodes(estate).flatMap((node) => {
      const environment = environments.of[node] as number;
      if (environment === -1 || !isTierZero(node) || isWrong(estate, node) !== true) return [];
      const impact = countsIn(paths.impactOf(node), environment);
      return [newFinding(tagId, type, node, node, environment, [0, 0], impact)];
    }),
  );
}

/** Whether it is rated by who falls with it, not by who can use it: in Hygiene, and where it is about one node. */
export function isRatedByImpact({ tagId, source, target }: Finding): boolean {
  return tagId === hygieneTag || source === target;
}

function newFinding(
  tagId: number,
  type: string,
  source: number,
  target: number,
  environment: number,
  [exposureCount, exposureInside]: readonly [number, number],
  [impactCount, impactInside]: readonly [number, number],
): Finding {
  const ends = { environment, source, target };
  return { tagId, type, ...ends, exposureCount, exposureInside, impactCount, impactInside };
}

/** All of them, and those of one environment. */
function countsIn(counts: Counts, environment: number): readonly [total: number, inside: number] {
  let total = 0;
  for (const count of counts.values()) total += count;
  return [total, counts.get(environment) ?? 0];
}
