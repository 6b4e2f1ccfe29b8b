import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { combined } from '../../../../test/graph/posture-points.ts';
import { linesOf, measured } from '../../../../test/reference/compare-posture.ts';
import { traversable } from '../../../../test/reference/finding-kinds.ts';
import { type PostureEstate, randomPosture } from '../../../../test/reference/random-posture.ts';
import type { Point } from './measure.ts';

const estates = fc.integer({ min: 2000, max: 1_000_000 }).map(randomPosture);
const runs = { numRuns: 150 };
const counts = ['findings', 'assets', 'attack-paths'] as const;
const percents = ['exposure', 'session-completeness', 'group-completeness'] as const;

const keyOf = ({ dataType, tagId, environmentId }: Point) => `${dataType} ${tagId} ${environmentId}`;
const pointsOf = (estate: PostureEstate) => measured(estate).result.points;

describe('measure', () => {
  it('measures nothing outside of its range', () => {
    fc.assert(
      fc.property(estates, (of) => {
        const { estate, result } = measured(of);
        const { environments, findings, points } = result;
        for (const { dataType, numerator, denominator } of points) {
          assert.ok(Number.isInteger(numerator) && numerator >= 0);
          if (dataType.match(/exposure|completeness|checked/)) assert.ok(numerator <= denominator);
          else assert.equal(denominator, 0);
        }
        for (const finding of findings) {
          const principals = environments.principals[finding.environment] as number;
          for (const [count, inside] of [
            [finding.exposureCount, finding.exposureInside],
            [finding.impactCount, finding.impactInside],
          ] as const) {
            assert.ok(inside >= 0 && inside <= count && inside <= principals);
            assert.ok(count <= estate.size);
          }
        }
        for (const dataType of percents) {
          const value = combined(points, dataType, environments.ids) ?? 0;
          assert.ok(value >= 0 && value <= 100);
        }
      }),
      runs,
    );
  });

  it('has one point for each environment, tag and measure, and no finding twice', () => {
    fc.assert(
      fc.property(estates, (estate) => {
        const { environments, points } = measured(estate).result;
        const keys = points.map(keyOf);
        assert.equal(new Set(keys).size, keys.length);
        const perEnvironment = 2 + estate.zones.length * 4;
        const domains = environments.isDomain.filter(Boolean).length;
        const checked = environments.ids.length;
        assert.equal(keys.length, environments.ids.length * perEnvironment + checked + domains * 2);
        const { findings } = linesOf(estate);
        assert.equal(new Set(findings.map((line) => line.split(' exposure ')[0])).size, findings.length);
      }),
      runs,
    );
  });

  it('never lowers exposure or attack paths of a zone by another edge', () => {
    let higher = 0;
    fc.assert(
      fc.property(estates, fc.nat(), fc.nat(), fc.constantFrom(...traversable), (estate, from, to, kind) => {
        const [start, end] = [from, to].map((at) => estate.nodes[at % estate.nodes.length]?.objectId ?? '');
        const edge = { start: start as string, kind, end: end as string };
        const before = new Map(pointsOf(estate).map((point) => [keyOf(point), point.numerator]));
        for (const point of pointsOf({ ...estate, edges: [...estate.edges, edge] })) {
          const least = before.get(keyOf(point)) as number;
          assert.ok(point.numerator >= least, keyOf(point));
          if (point.dataType === 'exposure' && point.numerator > least) higher += 1;
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(higher > 0);
  });

  it('counts of all environments together what it counts of each', () => {
    fc.assert(
      fc.property(estates, (estate) => {
        const { environments, findings, points } = measured(estate).result;
        for (const dataType of counts)
          for (const tag of [undefined, 0, ...estate.zones.map(({ id }) => id)]) {
            const each = environments.ids.map((id) => combined(points, dataType, [id], tag) ?? 0);
            const together = combined(points, dataType, environments.ids, tag) ?? 0;
            assert.equal(
              together,
              each.reduce((sum, value) => sum + value, 0),
            );
          }
        const tagged = points.filter(({ dataType }) => dataType === 'findings');
        assert.equal(
          tagged.reduce((sum, { numerator }) => sum + numerator, 0),
          findings.length,
        );
      }),
      runs,
    );
  });

  it('does not care in which order nodes, edges and zones come', () => {
    const shuffled = estates.chain((estate) =>
      fc.record({
        estate: fc.constant(estate),
        nodes: fc.shuffledSubarray([...estate.nodes], { minLength: estate.nodes.length }),
        edges: fc.shuffledSubarray([...estate.edges], { minLength: estate.edges.length }),
        zones: fc.shuffledSubarray([...estate.zones], { minLength: estate.zones.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ estate, ...others }) => {
        assert.deepEqual(linesOf({ ...estate, ...others }), linesOf(estate));
      }),
      runs,
    );
  });
});
