import { AsyncResource } from 'node:async_hooks';
import { describe } from 'node:test';

/**
 * Runs test files, given as addresses by name, one after the other in this process: loading the program takes
 * longer than most of them. Each is a suite named after the file, and what it registers stays in there.
 */
export function runTogether(files: Readonly<Record<string, string>>): void {
  let loaded: Promise<unknown> = Promise.resolve();
  for (const [name, address] of Object.entries(files)) {
    describe(name, () => {
      // Bound: node:test takes whoever registers a test for a part of the suite that this code runs for.
      const loading = loaded.then(AsyncResource.bind(() => import(address)));
      loaded = loading.catch(() => {});
      return loading;
    });
  }
}
