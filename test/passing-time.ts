import { afterEach, beforeEach, mock } from 'node:test';

let passedMs = 0;

/** Lets `performance.now()` run ahead in the tests of the file that imports this; each test begins anew. */
export function pass(ms: number): void {
  passedMs += ms;
}

beforeEach(() => {
  passedMs = 0;
  const now = performance.now.bind(performance);
  mock.method(performance, 'now', () => now() + passedMs);
});

afterEach(() => mock.restoreAll());
