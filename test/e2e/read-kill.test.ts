import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSettings } from '../../src/config.ts';
import { openStores } from '../../src/db/open.ts';
import { sharedPassword } from '../builders.ts';
import { store, temporaryStore } from '../harness.ts';
import { type KennelProcess, runKennel, serveKennel, within } from '../processes.ts';
import { caFile, templateFile } from '../uploads.ts';
import { zip } from '../zip.ts';

/** All of them once; the second store shows that it does not depend on the first. */
const kills = store === 'sqlite' ? 10 : 4;
const filesEach = 6;
const recordsEach = 400;

/** Everything in the graph that a reader wrote, by names instead of numbers. */
async function graphOf(env: Record<string, string>): Promise<{ nodes: unknown[]; edges: unknown[] }> {
  const stores = openStores(readSettings(env));
  try {
    const nodes = await stores.graph.query<{ properties: string }>(
      `select n.object_id, n.name, l.kinds, n.properties from nodes n join kind_lists l on l.id = n.kind_list_id
       order by n.object_id`,
    );
    const edges = await stores.graph.query<{ properties: string }>(
      `select s.object_id as start_id, k.name as kind, t.object_id as end_id, e.properties, e.stated_by
       from edges e join nodes s on s.id = e.start_id join nodes t on t.id = e.end_id
       join edge_kinds k on k.id = e.kind_id order by s.object_id, k.name, t.object_id`,
    );
    const timeless = <Row extends { properties: string }>(row: Row) => {
      const { lastseen: _, ...properties } = JSON.parse(row.properties) as Record<string, unknown>;
      return { ...row, properties };
    };
    return { nodes: nodes.map(timeless), edges: edges.map(timeless) };
  } finally {
    await stores.close();
  }
}

describe('a server that is killed while it reads', () => {
  let directory: string;
  let files: string[];
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let undisturbed: Awaited<ReturnType<typeof temporaryStore>>;
  let server: KennelProcess | undefined;
  let env: Record<string, string>;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kennel-files-'));
    temporary = await temporaryStore();
    undisturbed = await temporaryStore();
    env = { ...temporary.env, KENNEL_ADMIN_PASSWORD: sharedPassword };
    const range = (from: number) => Array.from({ length: recordsEach }, (_, n) => from + n);
    files = Array.from({ length: filesEach * kills }, (_, n) => {
      // Every other one overlaps the one before: the order of what is written matters to the outcome.
      const body = caFile(range(Math.floor(n / 2) * recordsEach), 500);
      const path = join(directory, n % 3 === 2 ? `${n}.zip` : `${n}.json`);
      const entries = [
        { name: 'cas.json', content: body },
        { name: 'templates.json', content: templateFile() },
      ];
      writeFileSync(path, n % 3 === 2 ? zip(entries) : body);
      return path;
    });
  });
  after(async () => {
    await server?.end('SIGKILL');
    await temporary.remove();
    await undisturbed.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  async function upload(url: string, token: string): Promise<number> {
    const { stdout, code, stderr } = await runKennel(
      ['ingest', '--json', '--url', url, '--token', token, ...files],
      {},
    );
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).upload_id;
  }

  const get = async (path: string, token: string) =>
    (
      await fetch(`${server?.url}/api/v2/file-upload${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).json() as Promise<{ data: Record<string, unknown>[] }>;

  it('has the same graph in the end as one that was left alone, and every file once', async () => {
    server = await serveKennel(env);
    const { stdout } = await runKennel(['token'], env);
    const token = stdout.trim();
    const id = await upload(server.url, token);
    let hits = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      await sleep(700 + Math.random() * 1200);
      const [before] = (await get(`?id=eq:${id}`, token)).data;
      if (before?.status === 6) hits += 1;
      await server.end('SIGKILL');
      server = await serveKennel(env);
    }
    assert.ok(hits >= kills / 4, `only ${hits} kills came while files were read`);
    const done = await within(90_000, 'the upload does not end', async () => {
      const [found] = (await get(`?id=eq:${id}`, token)).data;
      return found?.status === 6 ? undefined : found;
    });
    assert.deepEqual([done.status, done.failed_files], [2, 0], String(done.status_message));
    const tasks = (await get(`/${id}/completed-tasks`, token)).data;
    const zips = files.filter((file) => file.endsWith('.zip')).length;
    assert.equal(tasks.length, files.length + zips);
    assert.equal(done.total_files, tasks.length);
    await server.end();
    server = undefined;

    const alone = { ...undisturbed.env };
    assert.equal((await runKennel(['migrate'], alone)).code, 0);
    const run = await runKennel(['ingest', '--json', ...files], alone);
    assert.equal(run.code, 0, run.stderr);
    const [found, expected] = [await graphOf(env), await graphOf(alone)];
    assert.equal(expected.nodes.length, (filesEach * kills * recordsEach) / 2 + 1);
    assert.deepEqual(found.nodes, expected.nodes);
    assert.deepEqual(found.edges, expected.edges);
  });
});
