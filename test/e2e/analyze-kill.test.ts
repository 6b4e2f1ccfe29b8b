import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { store, temporaryStore } from '../harness.ts';
import { tortureAnalysis } from '../torture/analysis.ts';

/** All of them once; the second store shows that it does not depend on the first. */
const kills = store === 'sqlite' ? 10 : 2;

describe('a server that is killed while it analyses', () => {
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

  it('shows the results of before, whole, and in the end those of one that was left alone', async (context) => {
    const seed = Math.floor(Math.random() * 1e9);
    context.diagnostic(`seed ${seed}`);
    const found = await tortureAnalysis({
      env: killed.env,
      alone: alone.env,
      folder,
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
