import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adjacencyOf } from './adjacency.ts';
import { PairList } from './edge-set.ts';
import { Reach } from './reach.ts';

const people = 2000;
const parents = 60;

/** One large group of all people, in many others that have one more person each. */
function largeGroup(budgetBytes: number): Reach {
  const size = people + 1 + parents * 2;
  const pairs = new PairList();
  for (let person = 0; person < people; person++) pairs.add(person, people);
  for (let at = 0; at < parents; at++) {
    const parent = people + 1 + at;
    pairs.add(people, parent);
    pairs.add(parent + parents, parent);
  }
  return new Reach(adjacencyOf(size, [pairs.toEdgeSet(size)], 'to members'), budgetBytes);
}

describe('Reach', () => {
  // Enough for all, for a few, and for none.
  for (const budgetBytes of [10_000_000, 1000, 0]) {
    it(`answers the same with ${budgetBytes} bytes to remember in`, () => {
      const reach = largeGroup(budgetBytes);
      for (let round = 0; round < 2; round++) {
        for (let at = 0; at < parents; at++) {
          const parent = people + 1 + at;
          const reached = reach.from(parent);
          assert.equal(reached.size, people + 2);
          assert.equal(reached.toArray().at(-1), parent + parents);
          assert.equal(reached.has(parent + parents), true);
          assert.equal(reached.has(parent), false);
          assert.equal(reached.has(0), true);
        }
      }
    });
  }

  it('remembers a large group that others lead through, and drops nothing while there is room', () => {
    const reach = largeGroup(10_000_000);
    reach.from(people + 1);
    assert.equal(reach.known(people), undefined);
    reach.from(people + 2);
    assert.equal(reach.known(people)?.size, people);
    assert.equal(reach.known(people + 1)?.size, people + 2);
  });

  it('drops what was asked for longest ago', () => {
    // Each answer takes some 470 bytes here.
    const reach = largeGroup(1200);
    reach.from(people + 1);
    reach.from(people + 1);
    for (let at = 1; at < parents; at++) reach.from(people + 1 + at);
    assert.equal(reach.known(people + 1), undefined);
    assert.notEqual(reach.known(people + parents), undefined);
  });

  it('reaches nothing from where nothing follows', () => {
    const reach = largeGroup(0);
    assert.equal(reach.from(0).size, 0);
    assert.equal(reach.known(0)?.size, 0);
  });
});
