import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findingKinds, traversable } from '../../../../test/reference/finding-kinds.ts';
import { findingTypes, largeGroupTypes, zoneTypes } from './finding-types.ts';
import { traversableKinds } from './traversable.ts';

describe('finding types', () => {
  it('have ids of their own', () => {
    const ids = findingTypes.map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
    );
  });

  it('are about edges that somebody can move along, each kind once in a category', () => {
    for (const { id, category, kind } of findingTypes) {
      if (category === 'list') assert.equal(kind, undefined, id);
      else assert.ok(traversableKinds.includes(kind ?? ''), `${id}: ${kind}`);
    }
    const ofCategory = (name: string) => findingTypes.filter(({ category }) => category === name).length;
    assert.equal(zoneTypes.size, ofCategory('zone'));
    assert.equal(largeGroupTypes.size, ofCategory('large-default-group'));
  });

  it('are those that the reference knows, under the same names', () => {
    const known = findingTypes.map(({ id, category, kind }) => `${category} ${id} ${kind}`);
    const expected = findingKinds.map(({ id, category, kind }) => `${category} ${id} ${kind}`);
    assert.deepEqual(known.sort(), expected.sort());
  });

  it('leave out edges that only lead on', () => {
    for (const kind of ['Contains', 'MemberOf', 'GPLink', 'DCFor', 'SameForestTrust', 'ClaimSpecialIdentity'])
      assert.ok(!zoneTypes.has(kind) && !largeGroupTypes.has(kind), kind);
  });
});

describe('traversable kinds', () => {
  it('are those that the reference knows, each once', () => {
    assert.deepEqual([...traversableKinds].sort(), [...traversable].sort());
    assert.equal(new Set(traversableKinds).size, traversableKinds.length);
  });
});
