import type { Estate } from '../estate.ts';
import { completenessOf } from './completeness.ts';
import { type Environments, environmentsOf } from './environments.ts';
import { exposedPrincipals } from './exposure.ts';
import {
  type Finding,
  hygieneFindings,
  hygieneTag,
  isRatedByImpact,
  Paths,
  tierZeroLists,
  type ZoneView,
  zoneFindings,
} from './findings.ts';
import { type CheckedType, tierZeroQuestions } from './lists.ts';

export interface Measured {
  readonly environments: Environments;
  readonly findings: readonly Finding[];
  readonly points: readonly Point[];
}

/** One number of posture, as a fraction where it is one. */
export interface Point {
  readonly dataType:
    | 'findings'
    | 'exposure'
    | 'assets'
    | 'attack-paths'
    | 'session-completeness'
    | 'group-completeness'
    // Not series of their own: for the rows of posture-stats,
    | 'critical-findings'
    | 'archived-findings'
    // and of how many nodes of Tier Zero it is known whether such a finding is there.
    | `checked ${CheckedType}`;
  readonly tagId: number;
  readonly environmentId: string;
  readonly numerator: number;
  readonly denominator: number;
}

/** A zone and how privileged it is: 1 is the most privileged one. */
export interface RankedZone {
  readonly id: number;
  readonly position: number;
}

const tierZero = 1;

/** What a run finds and measures, from a graph that has all derived edges; `tags` is each node's zone, 0 for none. */
export function measure(estate: Estate, zones: readonly RankedZone[], tags: Int32Array): Measured {
  const environments = environmentsOf(estate);
  const paths = new Paths(estate, environments);
  const isTierZero = (node: number) => tags[node] === tierZero;
  const findings: Finding[] = [
    ...hygieneFindings(paths, isTierZero),
    ...tierZeroLists(paths, tierZero, isTierZero),
  ];
  const points = [
    ...completenessPoints(estate, environments),
    ...checkedPoints(estate, environments, isTierZero),
  ];
  const measures = new Tally(environments.ids);
  measures.begin(hygieneTag);
  for (const zone of zones) {
    const view = viewOf(zone, zones, tags);
    const outside = paths.outside(view);
    for (const finding of zoneFindings(paths, view, outside)) findings.push(finding);
    measures.begin(zone.id);
    const exposed = exposedPrincipals(paths, view, outside);
    const assets = assetsOf(environments, view);
    environments.ids.forEach((environmentId, number) => {
      const at = { tagId: zone.id, environmentId };
      const principals = environments.principals[number] as number;
      points.push({ ...at, dataType: 'assets', numerator: assets[number] as number, denominator: 0 });
      points.push({
        ...at,
        dataType: 'exposure',
        numerator: exposed[number] as number,
        denominator: principals,
      });
    });
  }
  for (const finding of findings) measures.count(finding);
  return { environments, findings, points: [...points, ...measures.points()] };
}

function viewOf(zone: RankedZone, zones: readonly RankedZone[], tags: Int32Array): ZoneView {
  const above = new Set(zones.filter(({ position }) => position <= zone.position).map(({ id }) => id));
  return {
    tagId: zone.id,
    isInZone: (node) => tags[node] === zone.id,
    isInOrAbove: (node) => above.has(tags[node] as number),
  };
}

function assetsOf({ ids, of }: Environments, { isInZone }: ZoneView): Int32Array {
  const assets = new Int32Array(ids.length);
  of.forEach((environment, node) => {
    if (environment !== -1 && isInZone(node)) assets[environment] = (assets[environment] as number) + 1;
  });
  return assets;
}

function completenessPoints(estate: Estate, environments: Environments): Point[] {
  const { active, withSessions, withLocalGroups } = completenessOf(estate, environments);
  return environments.ids.flatMap((environmentId, number): Point[] => {
    // Tenants have no computers that could be asked.
    if (!environments.isDomain[number]) return [];
    const at = { tagId: hygieneTag, environmentId, denominator: active[number] as number };
    return [
      { ...at, dataType: 'session-completeness', numerator: withSessions[number] as number },
      { ...at, dataType: 'group-completeness', numerator: withLocalGroups[number] as number },
    ];
  });
}

/** Of how many of those that are asked about something the answer is known. */
function checkedPoints(
  estate: Estate,
  environments: Environments,
  isTierZero: (node: number) => boolean,
): Point[] {
  return tierZeroQuestions.flatMap(({ type, isOfDomains, nodes, isWrong }) => {
    const [known, all] = [new Int32Array(environments.ids.length), new Int32Array(environments.ids.length)];
    for (const node of nodes(estate)) {
      const environment = environments.of[node] as number;
      if (environment === -1 || !isTierZero(node)) continue;
      all[environment] = (all[environment] as number) + 1;
      if (isWrong(estate, node) !== undefined) known[environment] = (known[environment] as number) + 1;
    }
    return environments.ids.flatMap((environmentId, number): Point[] => {
      if (environments.isDomain[number] !== isOfDomains) return [];
      const [numerator, denominator] = [known[number] as number, all[number] as number];
      return [{ dataType: `checked ${type}`, tagId: tierZero, environmentId, numerator, denominator }];
    });
  });
}

/** Findings and attack paths, tag by tag; an environment without any has a point that says 0. */
class Tally {
  readonly #ids: readonly string[];
  readonly #byTag = new Map<number, { findings: Float64Array; paths: Float64Array }>();

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  begin(tagId: number): void {
    const zeros = () => new Float64Array(this.#ids.length);
    this.#byTag.set(tagId, { findings: zeros(), paths: zeros() });
  }

  count(finding: Finding): void {
    const { tagId, environment, exposureCount, impactCount } = finding;
    const tally = this.#byTag.get(tagId);
    if (tally === undefined) throw new Error(`tag ${tagId} was not begun`);
    const paths = isRatedByImpact(finding) ? impactCount : exposureCount;
    tally.findings[environment] = (tally.findings[environment] as number) + 1;
    tally.paths[environment] = (tally.paths[environment] as number) + paths;
  }

  *points(): Generator<Point> {
    for (const [tagId, { findings, paths }] of this.#byTag) {
      for (const [number, environmentId] of this.#ids.entries()) {
        const at = { tagId, environmentId, denominator: 0 };
        yield { ...at, dataType: 'findings', numerator: findings[number] as number };
        yield { ...at, dataType: 'attack-paths', numerator: paths[number] as number };
      }
    }
  }
}
