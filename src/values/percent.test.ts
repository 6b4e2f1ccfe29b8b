import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { wholePercent } from './percent.ts';

describe('wholePercent', () => {
  it('rounds half up', () => {
    assert.equal(wholePercent(0, 7), 0);
    assert.equal(wholePercent(7, 7), 100);
    assert.equal(wholePercent(1, 3), 33);
    assert.equal(wholePercent(2, 3), 67);
    assert.equal(wholePercent(1, 200), 1);
    assert.equal(wholePercent(1, 201), 0);
    assert.equal(wholePercent(199, 200), 100);
    assert.equal(wholePercent(198, 200), 99);
    assert.equal(wholePercent(1_989, 2_000), 99);
    assert.equal(wholePercent(1_990, 2_000), 100);
  });

  it('does not drift where a binary fraction would', () => {
    // 29 / 200 * 100 is 14.499999999999998 as a double, 57 / 200 * 100 is 28.499999999999996.
    assert.equal(wholePercent(29, 200), 15);
    assert.equal(wholePercent(57, 200), 29);
  });

  it('never exceeds 100', () => {
    assert.equal(wholePercent(11, 10), 100);
  });

  it('passes a half-percent step for each whole percent, for any counts', () => {
    const count = fc.oneof(fc.nat({ max: 2000 }), fc.maxSafeNat());
    fc.assert(
      fc.property(count, count, (a, b) => {
        const [numerator, denominator] = [Math.min(a, b), Math.max(a, b, 1)];
        // The steps are at 0.5 %, 1.5 %, …, 99.5 %; one that is reached exactly is passed.
        let steps = 0;
        for (let percent = 1n; percent <= 100n; percent++) {
          if (BigInt(numerator) * 200n >= (2n * percent - 1n) * BigInt(denominator)) steps++;
        }
        assert.equal(wholePercent(numerator, denominator), steps);
      }),
    );
  });
});
