import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rules as slowRules } from '../../../test/reference/analysis.ts';
import { compare, derivedKinds, explain } from '../../../test/reference/compare.ts';
import { randomEstate } from '../../../test/reference/random-estate.ts';

const estates = 1000;

describe('analysis and its slow reference', () => {
  const followed = new Map<string, number>();

  it('derive the same kinds', () => {
    assert.deepEqual([...new Set(derivedKinds)].sort(), slowRules.map(([kind]) => kind).sort());
  });

  it('agree on random estates, edge by edge and zone by zone', () => {
    const explained = new Map<string, string>();
    for (let seed = 1; seed <= estates; seed++) {
      const estate = randomEstate(seed);
      const { differing, counts } = compare(estate);
      for (const [kind, count] of counts) if (count > 0) followed.set(kind, (followed.get(kind) ?? 0) + 1);
      for (const kind of differing)
        if (!explained.has(kind)) explained.set(kind, explain(seed, estate, kind));
    }
    assert.equal([...explained.values()].join('\n\n'), '');
  });

  it('meet every kind of edge among them', () => {
    const never = derivedKinds.filter((kind) => !followed.has(kind));
    const often = derivedKinds.map((kind) => `${kind} ${followed.get(kind) ?? 0}`).join(', ');
    assert.deepEqual(never, [], `estates with each kind: ${often}`);
  });
});
