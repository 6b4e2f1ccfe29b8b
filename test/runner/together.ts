import { AsyncResource } from 'node:async_hooks';
import { after, describe } from 'node:test';

/** Leaves room for the longest file on a slow machine. */
export const fileTimeoutMs = 300_000;
const endWithinMs = 30_000;

/** Never lets go of what it refers to. */
class StrongReference<T extends WeakKey> {
  readonly #target: T;

  constructor(target: T) {
    this.#target = target;
  }

  deref(): T {
    return this.#target;
  }
}

/**
 * Runs test files, given as addresses by name, one after the other in this process: loading the program takes
 * longer than most of them. Each is a suite named after the file, and what it registers stays in there.
 */
export function runTogether(files: Readonly<Record<string, string>>): void {
  // A connection that broke off leaves fetch of Node 20 a timer with a weak reference, and the timer throws if the
  // reference is empty by then. A process that ends with its one file never gets there; this one goes on.
  Object.assign(globalThis, { WeakRef: StrongReference });
  let loaded: Promise<unknown> = Promise.resolve();
  for (const [name, address] of Object.entries(files)) {
    describe(name, { timeout: fileTimeoutMs }, () => {
      // Bound: node:test takes whoever registers a test for a part of the suite that this code runs for.
      const loading = loaded.then(AsyncResource.bind(() => import(address)));
      loaded = loading.catch(() => {});
      return loading;
    });
  }
  after(() => {
    // Without a hold on the process: it fires only where something else has one.
    setTimeout(() => {
      console.error(`a server, a process or a timer was left behind by ${Object.keys(files).join(', ')}`);
      process.exit(1);
    }, endWithinMs).unref();
  });
}
