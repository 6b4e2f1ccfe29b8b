import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { store } from '../server/harness.ts';
import { tortureAnalysis } from '../torture/analysis.ts';
import { makeTwoStores } from '../torture/two-stores.ts';

/** All of them once; the second store shows that it does not depend on the first. */
const kills = store === 'sqlite' ? 10 : 2;

describe('a server that is killed while it analyses', () => {
  let stores: Awaited<ReturnType<typeof makeTwoStores>>;

  before(async () => {
    stores = await makeTwoStores();
  });
  after(() => stores.remove());

  it('shows the results of before, whole, and in the end those of one that was left alone', async (context) => {
    const seed = Math.floor(Math.random() * 1e9);
    context.diagnostic(`seed ${seed}`);
    const found = await tortureAnalysis({
      ...stores,
      kills,
      seed,
      objects: 1500,
      mostMs: 240_000,
    });
    assert.deepEqual(found.differences, []);
    assert.ok(found.edges > 1000);
    assert.ok(found.kills >= kills / 2, `there was time for ${found.kills} kills only`);
    assert.ok(found.hits >= found.kills / 4, `only ${found.hits} kills came while a run was under way`);
  });
});
