import { afterEach, beforeEach, mock } from 'node:test';

/**
 * Lets `performance.now()` run ahead by the milliseconds given to the function that this answers with; each test
 * of the file begins anew. To be called at the top of a file: hooks belong to whoever registers them.
 */
export function passingTime(): (ms: number) => void {
  let passedMs = 0;
  beforeEach(() => {
    passedMs = 0;
    const now = performance.now.bind(performance);
    mock.method(performance, 'now', () => now() + passedMs);
  });
  afterEach(() => mock.restoreAll());
  return (ms) => {
    passedMs += ms;
  };
}
