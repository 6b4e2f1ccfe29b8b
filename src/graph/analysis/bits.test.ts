import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BitSet } from './bits.ts';

const limit = 100;
const members = fc.uniqueArray(fc.nat(limit - 1), { maxLength: 40 });
const ascending = (numbers: Iterable<number>) => [...numbers].sort((one, two) => one - two);

describe('BitSet', () => {
  it('has what was added, in order, up to the last bit of a word and of the set', () => {
    const set = BitSet.of(limit, [99, 31, 0, 32, 63, 31]);
    assert.deepEqual([...set.toArray()], [0, 31, 32, 63, 99]);
    assert.equal(set.size, 5);
    assert.deepEqual(
      [0, 1, 31, 33, 99].map((member) => set.has(member)),
      [true, false, true, false, true],
    );
  });

  it('gives back what was taken out', () => {
    const set = BitSet.of(limit, [31, 32]);
    set.delete(31);
    set.delete(50);
    assert.deepEqual([...set.toArray()], [32]);
    set.clear();
    assert.equal(set.size, 0);
  });

  it('is not changed by a change to its copy', () => {
    const set = BitSet.of(limit, [1]);
    const copy = set.clone();
    copy.add(2);
    assert.deepEqual([...set.toArray()], [1]);
    assert.deepEqual([...copy.toArray()], [1, 2]);
  });

  it('joins, cuts and subtracts as sets do', () => {
    fc.assert(
      fc.property(members, members, (one, two) => {
        const result = (change: (set: BitSet, other: BitSet) => void) => {
          const set = BitSet.of(limit, one);
          change(set, BitSet.of(limit, two));
          assert.equal(set.size, set.toArray().length);
          return [...set.toArray()];
        };
        assert.deepEqual(
          result((set, other) => set.addAll(other)),
          ascending(new Set([...one, ...two])),
        );
        assert.deepEqual(
          result((set, other) => set.keepOnly(other)),
          ascending(one.filter((member) => two.includes(member))),
        );
        assert.deepEqual(
          result((set, other) => set.deleteAll(other)),
          ascending(one.filter((member) => !two.includes(member))),
        );
      }),
      { numRuns: 200 },
    );
  });
});
