import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareMany } from '../../../test/reference/compare.ts';
import { randomTenants } from '../../../test/reference/random-tenants.ts';
import { azureRules } from './rules/azure/rules.ts';

const estates = 500;
/** Of how many estates each kind must be found in, so that agreement says something about it. */
const least = 40;

describe('analysis of tenants and its slow reference', () => {
  let followed: ReadonlyMap<string, number> = new Map();

  it('agree on random tenants, edge by edge and zone by zone', () => {
    const compared = compareMany(estates, randomTenants);
    followed = compared.followed;
    assert.equal(compared.explained, '');
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
