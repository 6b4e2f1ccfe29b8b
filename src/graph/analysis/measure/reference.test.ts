import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparePosture } from '../../../../test/reference/compare-posture.ts';
import { findingKinds } from '../../../../test/reference/finding-kinds.ts';
import { randomPosture } from '../../../../test/reference/random-posture.ts';

const estates = 1000;

describe('posture and its slow reference', () => {
  /** In how many estates each thing was met. */
  const met = new Map<string, number>();
  const meet = (things: Iterable<string>) => {
    for (const thing of new Set(things)) met.set(thing, (met.get(thing) ?? 0) + 1);
  };

  it('agree on random estates, finding by finding and point by point', () => {
    const differences: string[] = [];
    for (let seed = 1; seed <= estates && differences.length < 3; seed++) {
      const { findings, points, difference } = comparePosture(seed, randomPosture(seed));
      if (difference !== '') differences.push(difference);
      meet(findings.flatMap(seenInFinding));
      meet(points.flatMap(seenInPoint));
      const environments = new Set(points.map((line) => line.split(' ')[2]));
      meet([`${environments.size} environments`]);
    }
    assert.equal(differences.join('\n\n'), '');
  });

  it('meet every type of finding among them', () => {
    assert.deepEqual(
      findingKinds.map(({ id }) => id).filter((id) => (met.get(id) ?? 0) < 5),
      [],
    );
  });

  it('meet everything that a measure can be among them', () => {
    const wanted = [
      ...['2 environments', '3 environments', '4 environments'],
      ...['1', '2', '3'].flatMap((tag) => [`findings ${tag} some`, `assets ${tag} some`]),
      ...['1', '2', '3'].flatMap((tag) => ['none', 'part', 'all'].map((share) => `exposure ${tag} ${share}`)),
      ...['session-completeness', 'group-completeness'].flatMap((type) =>
        ['nothing', 'none', 'part', 'all'].map((share) => `${type} 0 ${share}`),
      ),
      ...['findings 0 some', 'attack-paths 0 some', 'attack-paths 2 some'],
      ...['exposure from elsewhere', 'impact elsewhere', 'nobody exposed', 'nobody falls'],
    ];
    const often = wanted.map((thing) => `${thing}: ${met.get(thing) ?? 0}`).join('\n');
    assert.deepEqual(
      wanted.filter((thing) => (met.get(thing) ?? 0) < 5),
      [],
      often,
    );
  });
});

function seenInFinding(line: string): string[] {
  const [tag, type = ''] = line.split(' ');
  const numbers = /exposure (\d+)\/(\d+) impact (\d+)\/(\d+)$/.exec(line)?.slice(1).map(Number) ?? [];
  const [exposed = 0, exposedInside = 0, fallen = 0, fallenInside = 0] = numbers;
  return [
    type,
    exposed > exposedInside ? 'exposure from elsewhere' : '',
    fallen > fallenInside ? 'impact elsewhere' : '',
    tag !== '0' && exposed === 0 ? 'nobody exposed' : '',
    fallen === 0 ? 'nobody falls' : '',
  ];
}

function seenInPoint(line: string): string[] {
  const [type, tag, , value = ''] = line.split(' ');
  const [numerator = 0, denominator = 0] = value.split('/').map(Number);
  if (!['exposure', 'session-completeness', 'group-completeness'].includes(type ?? ''))
    return numerator > 0 ? [`${type} ${tag} some`] : [];
  const share =
    denominator === 0 ? 'nothing' : numerator === 0 ? 'none' : numerator < denominator ? 'part' : 'all';
  return [`${type} ${tag} ${share}`];
}
