import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { percentText } from '../../src/cli/progress.ts';
import { readSettings } from '../../src/config.ts';
import { openStores } from '../../src/db/open.ts';
import { releaseRun, takeRun } from '../../src/features/analysis/store.ts';
import { jobStatus } from '../../src/features/jobs/index.ts';
import { sharedPassword } from '../server/builders.ts';
import { store, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, runKennel, serveKennel, startKennel, within } from '../server/processes.ts';

const domain = 'S-1-5-21-1-2-3';
const file = {
  graph: {
    nodes: [
      {
        id: domain,
        kinds: ['Domain', 'Base'],
        properties: { name: 'CORP.LOCAL', domainsid: domain, collected: true },
      },
      {
        id: `${domain}-1103`,
        kinds: ['User', 'Base'],
        properties: { name: 'ADA@CORP.LOCAL', domainsid: domain },
      },
    ],
    edges: ['GetChanges', 'GetChangesAll'].map((kind) => ({
      kind,
      start: { match_by: 'id', value: `${domain}-1103` },
      end: { match_by: 'id', value: domain },
    })),
  },
};

describe('kennel analyze', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let env: Record<string, string>;
  let directory: string;
  let server: KennelProcess | undefined;
  before(async () => {
    temporary = await temporaryStore();
    env = { ...temporary.env, KENNEL_ADMIN_PASSWORD: sharedPassword };
    directory = mkdtempSync(join(tmpdir(), 'kennel-files-'));
  });
  after(async () => {
    await server?.end('SIGKILL');
    await temporary.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  it('refuses a store that is not there', async () => {
    if (store === 'sqlite') {
      const { code, stderr } = await runKennel(['analyze', '--data-dir', join(directory, 'none')]);
      assert.deepEqual([code, /there is no store/.test(stderr)], [3, true], stderr);
    }
  });

  it('analyses without a server; what is ingested without one is analysed too', async () => {
    assert.equal((await runKennel(['migrate'], env)).code, 0);
    const path = join(directory, 'corp.json');
    writeFileSync(path, JSON.stringify(file));
    const ingested = await runKennel(['ingest', '--json', path], env);
    assert.deepEqual([ingested.code, JSON.parse(ingested.stdout).status], [0, 2], ingested.stderr);
    const { code, stdout, stderr } = await runKennel(['analyze', '--json'], env);
    assert.equal(code, 0, stderr);
    const told = JSON.parse(stdout);
    assert.equal(told.derived_by_kind.DCSync, 1);
    assert.ok(told.derived_edges > 1 && told.analysis_id > 1);
    const plain = await runKennel(['analyze'], env);
    assert.match(plain.stdout, /^ +1 {2}DCSync$/m);
    assert.match(plain.stdout, /^analysed: \d+ edges derived$/m);
  });

  it('leaves a file that is read to the next analysis when it is interrupted in this one', async () => {
    const stores = openStores(readSettings(env));
    const { db } = stores;
    const hour = 3_600_000;
    try {
      // Somebody is at it, and takes long.
      await db.transaction((db) => takeRun(db, 'somebody', 1, Date.now() + hour));
      const path = join(directory, 'corp.json');
      const interrupted = startKennel(['ingest', path], env);
      const state = async () =>
        db.one<{ id: number; status: number }>('select id, status from uploads order by id desc limit 1');
      const upload = await within(60_000, 'the file is not read', async () => {
        const upload = await state();
        return upload?.status === jobStatus.analyzing ? upload : undefined;
      });
      interrupted.kill('SIGINT');
      const { code, stderr } = await interrupted.ended;
      assert.equal(code, 3, stderr);
      assert.match(
        stderr,
        new RegExp(`stopped: upload ${upload.id} is read, and complete with the next analysis`),
      );
      await db.transaction((db) => releaseRun(db, 'somebody', { failures: 0, givenUp: 0 }));
      assert.equal((await runKennel(['analyze'], env)).code, 0);
      assert.deepEqual(await state(), { id: upload.id, status: jobStatus.complete });
    } finally {
      await stores.close();
    }
  });

  it('is answered by the server that runs on the store, in a process of its own', async () => {
    server = await serveKennel(env);
    const { code, stdout, stderr } = await runKennel(['analyze', '--json'], env);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).derived_by_kind.DCSync, 1);
    const token = (await runKennel(['token'], env)).stdout.trim();
    const call = (method: string, path: string) =>
      fetch(`${server?.url}/api/v2${path}`, { method, headers: { authorization: `Bearer ${token}` } });
    const status = async () =>
      ((await (await call('GET', '/datapipe/status')).json()) as { data: Record<string, unknown> }).data;
    const before = (await status()).last_complete_analysis_at;
    assert.equal((await call('PUT', '/analysis')).status, 202);
    await within(60_000, 'the analysis does not end', async () =>
      (await status()).last_complete_analysis_at === before ? undefined : true,
    );
    const ended = await server.end();
    assert.equal(ended.code, 0, ended.stderr);
    server = undefined;
  });

  it('does it itself beside a server that leaves analysis to others', async () => {
    server = await serveKennel({ ...env, KENNEL_ANALYZE: 'off' });
    const { code, stdout, stderr } = await runKennel(['analyze', '--json'], env);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).derived_by_kind.DCSync, 1);
    if (store === 'sqlite') assert.match(stderr, /the server analyses nothing \(KENNEL_ANALYZE\)/);
  });
});

describe('the line that tells the stage', () => {
  it('tells how far it is', () => {
    assert.equal(percentText('loading', 0), 'loading    [....................] 0 %');
    assert.equal(percentText('deriving', 44), 'deriving   [########............] 44 %');
    assert.equal(percentText('publishing', 100), 'publishing [####################] 100 %');
  });
});
