import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../src/app.ts';
import { createDeps, prepareStores } from '../../src/bootstrap.ts';
import { readSettings } from '../../src/config.ts';
import { openStores } from '../../src/db/open.ts';
import type { Deps } from '../../src/deps.ts';
import { createLog } from '../../src/log.ts';
import { createDatabase, dropDatabase } from '../runner/postgres-server.ts';
import { type Answer, type CallOptions, call } from './call.ts';

export { type Answer, type CallOptions, call } from './call.ts';

export interface TestServer {
  readonly url: string;
  readonly deps: Deps;
  /** Epoch milliseconds that the server believes it is; `advance` moves it. */
  readonly now: () => number;
  advance(ms: number): void;
  /** Sends a request and checks the answer against the committed API document. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export const store: 'sqlite' | 'postgres' = process.env.TEST_STORE === 'postgres' ? 'postgres' : 'sqlite';

interface TemporaryStore {
  readonly env: Record<string, string>;
  remove(): Promise<void>;
}

/** Settings of an empty store of its own, on the store that this run is about. */
export function temporaryStore(): Promise<TemporaryStore> {
  return storeCopiedFrom(undefined);
}

async function storeCopiedFrom(template: string | undefined): Promise<TemporaryStore> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kennel-test-'));
  const env: Record<string, string> = {
    KENNEL_DATA_DIR: dataDir,
    KENNEL_PORT: '0',
    KENNEL_LOG_LEVEL: 'silent',
  };
  const removeDir = () => rmSync(dataDir, { recursive: true, force: true });
  if (store === 'sqlite') return { env, remove: async () => removeDir() };

  const adminUrl = process.env.TEST_DATABASE_URL;
  if (adminUrl === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test`');
  const name = `kennel_${randomUUID().replaceAll('-', '')}`;
  await createDatabase(adminUrl, name, template);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    env: { ...env, DATABASE_URL: url.href, KENNEL_DATABASE_POOL: '4' },
    remove: async () => {
      await dropDatabase(adminUrl, name);
      removeDir();
    },
  };
}

/** A real server on a store of its own, to be stopped in the suite's `after`. */
export async function startTestServer(env: Record<string, string> = {}): Promise<TestServer> {
  // The runner migrates once, because PostgreSQL takes longer for that than for all else a server needs.
  const temporary = await storeCopiedFrom(process.env.TEST_DATABASE_TEMPLATE);
  const settings = readSettings({ ...temporary.env, ...env });
  const stores = openStores(settings);
  let offset = 0;
  const now = () => Date.now() + offset;
  await prepareStores(stores, settings, now());
  let url = '';
  const deps = await createDeps(stores, settings, createLog(settings), () => settings.publicUrl ?? url, now);
  const { server } = await buildApp(deps);
  url = await server.app.listen({ host: settings.host, port: 0 });
  return {
    url,
    deps,
    now,
    advance: (ms) => {
      offset += ms;
    },
    call: (method, path, options) => call(url, method, path, options),
    stop: async () => {
      await server.app.close();
      await stores.close();
      await temporary.remove();
    },
  };
}
