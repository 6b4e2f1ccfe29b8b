import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../errors.ts';
import { canMove, checkMove, type JobStatus, jobStatus, statusWords } from './states.ts';

const states = Object.values(jobStatus);

/** gap 3.1, written out once more in plain numbers. */
const documented: Readonly<Record<number, readonly number[]>> = {
  0: [1, 3],
  1: [2, 3, 4, 5, 6],
  6: [-1, 5, 7],
  7: [2, 5, 8],
};

function isDocumented(from: JobStatus, to: JobStatus): boolean {
  return documented[from]?.includes(to) ?? false;
}

describe('jobStatus', () => {
  it('numbers the ten states as the contract of collectors does', () => {
    assert.deepEqual(jobStatus, {
      invalid: -1,
      ready: 0,
      running: 1,
      complete: 2,
      canceled: 3,
      timedOut: 4,
      failed: 5,
      ingesting: 6,
      analyzing: 7,
      partiallyComplete: 8,
    });
  });

  it('has words of its own for every state', () => {
    const words = states.map((state) => statusWords[state]);
    assert.equal(new Set(words).size, 10);
    assert.equal(statusWords[jobStatus.timedOut], 'Timed Out');
    assert.equal(statusWords[jobStatus.partiallyComplete], 'Partially Complete');
  });
});

describe('canMove', () => {
  for (const from of states) {
    it(`allows from ${statusWords[from].toLowerCase()} only what is documented`, () => {
      for (const to of states) {
        assert.equal(canMove(from, to), isDocumented(from, to), `${from} to ${to}`);
      }
    });
  }

  it('allows 13 of the 100 pairs', () => {
    const pairs = states.flatMap((from) => states.map((to) => canMove(from, to)));
    assert.equal(pairs.length, 100);
    assert.equal(pairs.filter(Boolean).length, 13);
  });
});

describe('checkMove', () => {
  it('throws a conflict that names both states, for every pair that is not allowed', () => {
    for (const from of states) {
      for (const to of states) {
        const move = () => checkMove('task 7', from, to);
        if (isDocumented(from, to)) {
          assert.doesNotThrow(move, `${from} to ${to}`);
          continue;
        }
        const [now, then] = [statusWords[from].toLowerCase(), statusWords[to].toLowerCase()];
        assert.throws(
          move,
          (error) =>
            error instanceof AppError &&
            error.code === 'conflict' &&
            error.message === `task 7 is ${now} and can't become ${then}`,
          `${from} to ${to}`,
        );
      }
    }
  });
});
