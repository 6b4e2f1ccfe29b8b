import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { store, temporaryStore } from '../harness.ts';
import { tortureReading } from '../torture/reading.ts';

/** All of them once; the second store shows that it does not depend on the first. */
const kills = store === 'sqlite' ? 10 : 2;

describe('a server that is killed while it reads', () => {
  let folder: string;
  let killed: Awaited<ReturnType<typeof temporaryStore>>;
  let alone: Awaited<ReturnType<typeof temporaryStore>>;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kennel-files-'));
    killed = await temporaryStore();
    alone = await temporaryStore();
  });
  after(async () => {
    await killed.remove();
    await alone.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the same graph in the end as one that was left alone, and every file once', async (context) => {
    const seed = Math.floor(Math.random() * 1e9);
    context.diagnostic(`seed ${seed}`);
    const found = await tortureReading({
      env: killed.env,
      alone: alone.env,
      folder,
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
