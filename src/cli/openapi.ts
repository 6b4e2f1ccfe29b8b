import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildApp } from '../app.ts';
import { createDeps, prepareStores } from '../bootstrap.ts';
import { readSettings } from '../config.ts';
import { openStores } from '../db/open.ts';
import { createLog } from '../log.ts';
import { tell } from './output.ts';

export function define(command: Command): void {
  command
    .option('--edition <edition>', 'enterprise or community', 'enterprise')
    .option('--out <file>', 'write it to a file instead')
    .action(async (options: { edition: string; out?: string }) => {
      const text = `${JSON.stringify(await openApiDocument(options.edition), null, 1)}\n`;
      if (options.out === undefined) process.stdout.write(text);
      else {
        writeFileSync(options.out, text);
        tell(`wrote ${options.out}`);
      }
    });
}

/** Builds the application on a throw-away store and asks it for its document. */
export async function openApiDocument(edition: string): Promise<Record<string, unknown>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kennel-openapi-'));
  const settings = readSettings({
    KENNEL_DATA_DIR: dataDir,
    KENNEL_EDITION: edition,
    KENNEL_LOG_LEVEL: 'silent',
  });
  const stores = openStores(settings);
  try {
    await prepareStores(stores, settings, 0);
    const app = await buildApp(await createDeps(stores, settings, createLog(settings), () => ''));
    await app.server.app.close();
    return app.openapi();
  } finally {
    await stores.close();
    rmSync(dataDir, { recursive: true });
  }
}
