import type { Point } from '../../src/graph/analysis/measure/measure.ts';

const percents = ['exposure', 'session-completeness', 'group-completeness'];

/**
 * What one run says of these environments together, as a person adds it up (gaps 6.1 and 6.4); undefined where there
 * is nothing to say.
 */
export function combined(
  points: readonly Point[],
  dataType: Point['dataType'],
  environments: readonly string[],
  tag?: number,
): number | undefined {
  const isZoneOnly = dataType === 'exposure' || dataType === 'assets';
  const tags = dataType.endsWith('completeness')
    ? [0]
    : tag !== undefined
      ? [tag]
      : isZoneOnly
        ? [1]
        : [0, 1];
  const chosen = points.filter(
    (point) =>
      point.dataType === dataType && tags.includes(point.tagId) && environments.includes(point.environmentId),
  );
  if (chosen.length === 0) return undefined;
  const numerator = chosen.reduce((sum, point) => sum + point.numerator, 0);
  if (!percents.includes(dataType)) return numerator;
  const denominator = chosen.reduce((sum, point) => sum + point.denominator, 0);
  return denominator === 0 ? undefined : Math.floor((100 * numerator) / denominator + 0.5);
}
