import type { Measured, Point } from './measure.ts';
import { ratingOf } from './record.ts';

const critical = 3;

/** How many critical findings each environment has, tag by tag; nothing where there is none. */
export function criticalPoints({ environments, findings }: Measured): Point[] {
  const counts = new Map<string, Point>();
  for (const finding of findings) {
    if (ratingOf(environments, finding).severity !== critical) continue;
    const { tagId } = finding;
    const environmentId = environments.ids[finding.environment] as string;
    const key = `${tagId} ${environmentId}`;
    const numerator = (counts.get(key)?.numerator ?? 0) + 1;
    counts.set(key, { dataType: 'critical-findings', tagId, environmentId, numerator, denominator: 0 });
  }
  return [...counts.values()];
}
