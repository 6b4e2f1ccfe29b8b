import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeAt, newSeed, stepOfCode } from './totp.ts';

/** The seed of RFC 6238, "12345678901234567890", in base32. */
const seed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('a one-time password', () => {
  it('is that of RFC 6238, appendix B', () => {
    const vectors: [number, string][] = [
      [59, '287082'],
      [1111111109, '081804'],
      [1111111111, '050471'],
      [1234567890, '005924'],
      [2000000000, '279037'],
      [20000000000, '353130'],
    ];
    for (const [seconds, code] of vectors) {
      assert.equal(codeAt(seed, Math.floor(seconds / 30)), code);
      assert.equal(stepOfCode(seed, code, seconds * 1000), Math.floor(seconds / 30));
    }
  });

  it('is six digits and nothing else', () => {
    for (const code of ['', '28708', '2870820', '28708a', ' 287082', '２８７０８２'])
      assert.equal(stepOfCode(seed, code, 59_000), undefined, code);
  });

  it('has a seed of 160 bits, never the same', () => {
    const seeds = new Set(Array.from({ length: 50 }, newSeed));
    assert.equal(seeds.size, 50);
    for (const one of seeds) assert.match(one, /^[A-Z2-7]{32}$/);
  });
});
