import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compare, explain } from '../../../test/reference/compare.ts';
import { randomTenants } from '../../../test/reference/random-tenants.ts';
import { azureRules } from './rules/azure/rules.ts';

const estates = 500;
/** Of how many estates each kind must be found in, so that agreement says something about it. */
const least = 40;

describe('analysis of tenants and its slow reference', () => {
  const followed = new Map<string, number>();

  it('agree on random tenants, edge by edge and zone by zone', () => {
    const explained = new Map<string, string>();
    for (let seed = 1; seed <= estates; seed++) {
      const estate = randomTenants(seed);
      const { differing, counts } = compare(estate);
      for (const [kind, count] of counts) if (count > 0) followed.set(kind, (followed.get(kind) ?? 0) + 1);
      for (const kind of differing)
        if (!explained.has(kind)) explained.set(kind, explain(seed, estate, kind));
    }
    assert.equal([...explained.values()].join('\n\n'), '');
  });

  it('meet every kind of edge among them', () => {
    const seldom = azureRules.map(([kind]) => [kind, followed.get(kind) ?? 0] as const);
    assert.deepEqual(
      seldom.filter(([, count]) => count < least),
      [],
    );
  });

  it('draw the same tenants again with the same seed', () => {
    assert.deepEqual(randomTenants(7), randomTenants(7));
    assert.notDeepEqual(randomTenants(7), randomTenants(8));
  });
});
