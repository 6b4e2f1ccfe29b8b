import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../../test/graph/drawings.ts';
import { stepsOf } from './steps.ts';

const [drawing] = readDrawings(`== drawn
  a: User
  b: User
  c: Group
  alone: User
  a -MemberOf,GenericAll-> c
  b -MemberOf-> c
  b -Enroll-> a
  c -GenericAll-> c
  c -AddMember-> a`);
assert.ok(drawing !== undefined);
const { estate, nameOf } = drawing;

function neighbours(kinds: readonly string[], counts?: (node: number) => boolean) {
  const { offsets, next } = stepsOf(estate, kinds, counts);
  assert.equal(offsets.length, estate.size + 1);
  const of = (node: number) => [...next.subarray(offsets[node], offsets[node + 1])].map(nameOf).sort();
  return Object.fromEntries(Array.from({ length: estate.size }, (_, node) => [nameOf(node), of(node)]));
}

describe('stepsOf', () => {
  it('has the ends of all edges of these kinds, and no edge from a node to itself', () => {
    const found = neighbours(['MemberOf', 'GenericAll', 'AddMember', 'Owns']);
    assert.deepEqual(found, { a: ['c', 'c'], b: ['c'], c: ['a'], alone: [] });
  });

  it('leaves out edges at either end of which is a node that does not count', () => {
    const found = neighbours(['MemberOf', 'AddMember'], (node) => nameOf(node) !== 'a');
    assert.deepEqual(found, { a: [], b: ['c'], c: [], alone: [] });
  });

  it('is empty without kinds', () => {
    assert.deepEqual(neighbours([]), { a: [], b: [], c: [], alone: [] });
  });
});
