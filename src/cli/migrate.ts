import type { Command } from 'commander';
import { prepareStores } from '../bootstrap.ts';
import { isMigrated, openStores } from '../db/open.ts';
import { lockDataDir } from '../db/server-lock.ts';
import { printResult } from './output.ts';
import { commandSettings, withSettings } from './settings.ts';

export function define(command: Command): void {
  command.option('--json', 'print one JSON line');
  withSettings(command).action(async (options: { json?: boolean }) => {
    const settings = commandSettings(command);
    const stores = openStores(settings);
    try {
      const upToDate = await isMigrated(stores);
      // A running server of another version must not have its tables changed underneath it.
      const lock =
        upToDate || settings.databaseUrl !== undefined
          ? undefined
          : lockDataDir(settings.dataDir, `stop the server that uses ${settings.dataDir} before migrating`);
      const applied = await prepareStores(stores, settings, Date.now());
      lock?.release();
      printResult(
        { applied },
        applied.length === 0 ? 'the store is up to date' : applied.join('\n'),
        options.json,
      );
    } finally {
      await stores.close();
    }
  });
}
