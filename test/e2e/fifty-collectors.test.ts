import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createDeps } from '../../src/bootstrap.ts';
import { readSettings } from '../../src/config.ts';
import { openStores, type Stores } from '../../src/db/open.ts';
import type { Deps } from '../../src/deps.ts';
import { jobStatus } from '../../src/features/jobs/index.ts';
import { createSpool } from '../../src/features/spool/index.ts';
import { createLog } from '../../src/log.ts';
import { type SigningToken, signedHeaders } from '../collectors/signing.ts';
import { type MadeUser, makeClient, makeJob, makeSigningToken } from '../server/builders.ts';
import { store, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, serveKennel } from '../server/processes.ts';

/** The whole of it where there are two processes. On SQLite there is one, and it is the one that is killed. */
const [collectors, processes] = store === 'postgres' ? [50, 2] : [10, 1];
const jobsEach = 20;
const kills = 2;
const patienceMs = 240_000;

describe(`${collectors} concurrent collectors with ${collectors * jobsEach} jobs, and a process that is killed twice`, () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let env: Record<string, string>;
  let servers: KennelProcess[] = [];
  let stores: Stores;
  let deps: Deps;
  const fleet: { client: MadeUser; token: SigningToken }[] = [];
  const jobs = new Set<number>();
  /** Hashes of what was answered with 202, by job. */
  const acknowledged = new Map<number, string[]>();
  const started = new Set<number>();
  const ended = new Set<number>();

  before(async () => {
    temporary = await temporaryStore();
    env = {
      ...temporary.env,
      KENNEL_SECRET: randomBytes(32).toString('base64'),
      KENNEL_ADMIN_PASSWORD: 'Correct-horse-battery-9',
      KENNEL_READ_FILES: 'off',
    };
    servers = [await serveKennel(env)];
    while (servers.length < processes) servers.push(await serveKennel(env));
    const settings = readSettings(env);
    stores = openStores(settings);
    deps = await createDeps(stores, settings, createLog(settings), () => '');
    for (let number = 0; number < collectors; number += 1) {
      const client = await makeClient(deps);
      fleet.push({ client, token: await makeSigningToken(deps, { clientId: client.id }) });
      for (let job = 0; job < jobsEach; job += 1) jobs.add(await makeJob(deps, client, jobStatus.ready));
    }
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.end('SIGKILL')));
    await stores.close();
    await temporary.remove();
  });

  /** Sends the same signed bytes until some process answers; a process may be down or die before its answer. */
  async function insist(
    token: SigningToken,
    method: string,
    path: string,
    body?: Uint8Array,
    more: Record<string, string> = {},
    turn = 0,
  ): Promise<{ status: number; body: { data?: unknown } }> {
    const target = `/api/v2/${path}`;
    const headers = { ...signedHeaders(token, method, target, body), ...more };
    const giveUpAt = performance.now() + patienceMs;
    for (let attempt = 0; performance.now() < giveUpAt; attempt += 1) {
      const { url } = servers[
        (attempt + turn + fleet.findIndex((one) => one.token === token)) % servers.length
      ] as KennelProcess;
      try {
        const answer = await fetch(url + target, {
          method,
          headers,
          ...(body === undefined ? {} : { body }),
        });
        const text = await answer.text();
        if (answer.status < 500) return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // `fetch failed`: nobody is there, or no longer
      }
      await sleep(50);
    }
    throw new Error(`${method} ${path} got no answer`);
  }

  const json = { 'content-type': 'application/json' };
  async function collect({ token }: { token: SigningToken }): Promise<void> {
    for (let done = 0; done < jobsEach; ) {
      const available = (await insist(token, 'GET', 'jobs/available')).body.data as { id: number }[];
      const id = available[0]?.id;
      if (id === undefined) throw new Error('a job is missing');
      // Twice at once, to different processes where there are two: it is still one start.
      const starts = await Promise.all(
        [0, 1].map((turn) => insist(token, 'POST', 'jobs/start', Buffer.from(`{"id":${id}}\n`), json, turn)),
      );
      for (const start of starts) assert.equal(start.status, 200, JSON.stringify(start.body));
      started.add(id);
      const batch = gzipSync(
        JSON.stringify({
          meta: { type: 'azure', version: 0, count: 0 },
          data: [{ kind: 'AZTenant', data: { id } }],
        }),
      );
      const sent = await insist(token, 'POST', 'ingest', batch, { 'content-encoding': 'gzip' });
      assert.equal(sent.status, 202, JSON.stringify(sent.body));
      acknowledged.set(id, [
        ...(acknowledged.get(id) ?? []),
        createHash('sha256').update(batch).digest('hex'),
      ]);
      const end = await insist(token, 'POST', 'jobs/end', Buffer.from('{"status":"COMPLETE"}\n'), json);
      assert.equal(end.status, 200, JSON.stringify(end.body));
      ended.add(id);
      done += 1;
    }
  }

  it('starts and ends every job once, and loses nothing that it acknowledged', async () => {
    const working = Promise.all(fleet.map(collect));
    const total = jobs.size;
    for (let kill = 1; kill <= kills; kill += 1) {
      const goal = (total * kill) / (kills + 1);
      while (ended.size < goal) await Promise.race([sleep(20), working]);
      const victim = servers.at(-1) as KennelProcess;
      await victim.end('SIGKILL');
      const again = await serveKennel({ ...env, KENNEL_PORT: new URL(victim.url).port });
      servers = [...servers.slice(0, -1), again];
    }
    await working;
    assert.deepEqual([started.size, ended.size], [total, total]);

    const rows = await deps.db.query<{ id: number; status: number }>(
      'select id, status from jobs order by id',
    );
    assert.deepEqual(
      rows.filter(({ status }) => status !== jobStatus.ingesting),
      [],
    );
    const records = await deps.db.query<{ action: string; fields: string }>(
      "select action, fields from audit_log where action in ('StartJob', 'EndJob')",
    );
    const count = new Map<string, number>();
    for (const { action, fields } of records) {
      const key = `${action} ${JSON.parse(fields).job_id}`;
      count.set(key, (count.get(key) ?? 0) + 1);
    }
    assert.equal(count.size, 2 * total);
    assert.deepEqual(
      [...count].filter(([, times]) => times !== 1),
      [],
    );
    const kept = await deps.db.query<{ job_id: number; spool_id: string }>(
      'select job_id, spool_id from ingest_files',
    );
    assert.equal(kept.length, total);
    const spool = createSpool(deps);
    for (const { job_id, spool_id } of kept) {
      const hash = createHash('sha256');
      for await (const bytes of spool.open(spool_id)) hash.update(bytes);
      assert.ok(acknowledged.get(job_id)?.includes(hash.digest('hex')), `the bytes of job ${job_id}`);
    }
  });
});
