import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryStore } from '../server/harness.ts';

/** What a test of kills works on: a store whose server is killed, one that is left alone, a folder for files. */
export async function makeTwoStores() {
  const folder = mkdtempSync(join(tmpdir(), 'kennel-files-'));
  const killed = await temporaryStore();
  const alone = await temporaryStore();
  return {
    env: killed.env,
    alone: alone.env,
    folder,
    remove: async () => {
      await killed.remove();
      await alone.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
