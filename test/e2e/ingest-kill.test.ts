import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createDeps } from '../../src/bootstrap.ts';
import { readSettings } from '../../src/config.ts';
import { openStores } from '../../src/db/open.ts';
import type { Deps } from '../../src/deps.ts';
import { jobStatus } from '../../src/features/jobs/index.ts';
import { sweepSpool } from '../../src/features/spool/index.ts';
import { createLog } from '../../src/log.ts';
import { keptFiles, spooled } from '../collectors/ingest.ts';
import { makeClient, makeJob, sharedPassword } from '../server/builders.ts';
import { call, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, serveKennel, within } from '../server/processes.ts';

const kills = 3;
const collectors = 4;
const hour = 3_600_000;

describe('a server that is killed while collectors send', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let env: Record<string, string>;
  let server: KennelProcess;
  const tokens: string[] = [];
  const sent = new Set<string>();
  const acknowledged = new Set<string>();

  before(async () => {
    temporary = await temporaryStore();
    // What arrives is looked at here as it lies: nobody reads it meanwhile.
    env = { ...temporary.env, KENNEL_ADMIN_PASSWORD: sharedPassword, KENNEL_READ_FILES: 'off' };
    server = await serveKennel(env);
    await withDeps(async (deps) => {
      for (let n = 0; n < collectors; n += 1) {
        const client = await makeClient(deps);
        await makeJob(deps, client, jobStatus.running);
        tokens.push(client.token);
      }
    });
  });
  after(async () => {
    await server.end('SIGKILL');
    await temporary.remove();
  });

  async function withDeps(use: (deps: Deps) => Promise<void>): Promise<void> {
    const settings = readSettings(env);
    const stores = openStores(settings);
    try {
      await use(await createDeps(stores, settings, createLog(settings), () => ''));
    } finally {
      await stores.close();
    }
  }

  /** Small and large in turn: some are cut in the middle of their bytes, some while they are made to count. */
  async function sendUntilGone(token: string): Promise<void> {
    for (let n = 0; n < 10_000; n += 1) {
      const size = n % 4 === 3 ? 1_500_000 : 2000;
      const body = gzipSync(`{"data":"${randomBytes(size).toString('base64')}"}`, { level: 1 });
      const digest = createHash('sha256').update(body).digest('hex');
      sent.add(digest);
      try {
        const headers = { 'content-encoding': 'gzip' };
        const answer = await call(server.url, 'POST', '/api/v2/ingest', { token, body, headers });
        assert.equal(answer.status, 202, answer.text);
        acknowledged.add(digest);
      } catch (error) {
        if (error instanceof TypeError) return; // fetch's word for a broken connection
        throw error;
      }
    }
  }

  it('comes up again each time', async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const earlier = acknowledged.size;
      const sending = Promise.all(tokens.map(sendUntilGone));
      await within(30_000, 'hardly anything was acknowledged', async () =>
        acknowledged.size >= earlier + 2 * collectors ? true : undefined,
      );
      await sleep(Math.random() * 300);
      await server.end('SIGKILL');
      await sending;
      server = await serveKennel(env);
    }
  });

  it('has all that was acknowledged, byte for byte, and nothing half', () =>
    withDeps(async (deps) => {
      const files = await keptFiles(deps);
      const kept = new Set(files.map((file) => file.sha256));
      assert.equal(kept.size, files.length);
      for (const digest of acknowledged) assert.ok(kept.has(digest), `${digest} was lost`);
      for (const { sha256, bytes, content } of files) {
        assert.ok(sent.has(sha256));
        assert.equal(content.length, bytes);
        assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
      }
      assert.ok(files.length <= acknowledged.size + kills * collectors);
    }));

  it('clears away what was left in the middle, an hour later, and only that', () =>
    withDeps(async (deps) => {
      const files = await keptFiles(deps);
      await sweepSpool({ ...deps, clock: () => Date.now() + 2 * hour });
      assert.deepEqual((await spooled(deps)).sort(), files.map((file) => file.spool_id).sort());
      assert.deepEqual(await keptFiles(deps), files);
    }));
});
