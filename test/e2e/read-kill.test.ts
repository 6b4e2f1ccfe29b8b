import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { store } from '../server/harness.ts';
import { tortureReading } from '../torture/reading.ts';
import { makeTwoStores } from '../torture/two-stores.ts';

/** All of them once; the second store shows that it does not depend on the first. */
const kills = store === 'sqlite' ? 10 : 2;

describe('a server that is killed while it reads', () => {
  let stores: Awaited<ReturnType<typeof makeTwoStores>>;

  before(async () => {
    stores = await makeTwoStores();
  });
  after(() => stores.remove());

  it('has the same graph in the end as one that was left alone, and every file once', async (context) => {
    const seed = Math.floor(Math.random() * 1e9);
    context.diagnostic(`seed ${seed}`);
    const found = await tortureReading({
      ...stores,
      kills,
      seed,
      objects: 1500,
      mostMs: 100_000,
    });
    assert.deepEqual(found.differences.slice(0, 20), [], `seed ${seed}`);
    // A slow machine has time for fewer.
    assert.ok(found.kills > 0);
    assert.ok(found.nodes >= 1500 && found.edges > 8 * found.nodes * 0.8);
  });
});
