import { type Estate, EstateBuilder } from '../../src/graph/analysis/estate.ts';
import { type Measured, measure } from '../../src/graph/analysis/measure/measure.ts';
import { drawingOf } from './drawing.ts';
import { measureSlowly } from './posture.ts';
import type { PostureEstate } from './random-posture.ts';
import { shrink } from './shrink.ts';

export interface Lines {
  readonly findings: readonly string[];
  readonly points: readonly string[];
}

/** What the program measures. */
export function measured({ nodes, edges, zones, tags }: PostureEstate): { estate: Estate; result: Measured } {
  const builder = new EstateBuilder();
  const numbers = new Map(nodes.map((node) => [node.objectId, builder.node(node)]));
  for (const { start, kind, end } of edges)
    builder.edge(numbers.get(start) as number, kind, numbers.get(end) as number);
  const estate = builder.build();
  const zoneOf = Int32Array.from(nodes, ({ objectId }) => tags.get(objectId) ?? 0);
  return { estate, result: measure(estate, zones, zoneOf) };
}

/** The same, in the words of the reference. */
export function linesOf(of: PostureEstate): Lines {
  const { estate, result } = measured(of);
  const findings = result.findings.map((finding) => {
    const { tagId, type, environment, source, target } = finding;
    const ends = `${estate.objectId(source)} -> ${estate.objectId(target)}`;
    const exposure = `exposure ${finding.exposureCount}/${finding.exposureInside}`;
    const impact = `impact ${finding.impactCount}/${finding.impactInside}`;
    return `${tagId} ${type} ${result.environments.ids[environment]} ${ends} ${exposure} ${impact}`;
  });
  const points = result.points.map(
    ({ dataType, tagId, environmentId, numerator, denominator }) =>
      `${dataType} ${tagId} ${environmentId} ${numerator}/${denominator}`,
  );
  return { findings: findings.sort(), points: points.sort() };
}

/** What both say; `difference` is empty when it is the same. */
export function comparePosture(seed: number, estate: PostureEstate): Lines & { difference: string } {
  const slow = measureSlowly(estate);
  const difference = isSame(linesOf(estate), slow) ? '' : explain(seed, estate);
  return { ...slow, difference };
}

function isSame(fast: Lines, slow: Lines): boolean {
  return sorted(fast) === sorted(slow);
}

function sorted({ findings, points }: Lines): string {
  return [...[...findings].sort(), ...[...points].sort()].join('\n');
}

function explain(seed: number, estate: PostureEstate): string {
  const { nodes, edges } = shrink(estate, (parts) => {
    const tried = { ...estate, ...parts };
    return !isSame(linesOf(tried), measureSlowly(tried));
  });
  const smallest = { ...estate, nodes, edges };
  const [fast, slow] = [linesOf(smallest), measureSlowly(smallest)].map((lines) => [
    ...lines.findings,
    ...lines.points,
  ]) as [string[], string[]];
  return [
    `posture differs with seed ${seed}`,
    `zones ${JSON.stringify(estate.zones)}, tags ${JSON.stringify([...estate.tags])}`,
    `only the program has: ${fast.filter((line) => !slow.includes(line)).join(', ')}`,
    `only the reference has: ${slow.filter((line) => !fast.includes(line)).join(', ')}`,
    drawingOf(`seed ${seed}`, nodes, edges, '', []),
  ].join('\n');
}
