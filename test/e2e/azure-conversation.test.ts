import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Random } from '../../bench/generator/random.ts';
import { compareGraphs, type OpenGraphFile } from '../../scripts/compare-graphs.ts';
import { azureTenant, azureTenantId } from '../collectors/azure-tenant.ts';
import {
  type AzureItem,
  azureBatches,
  azureFile,
  shuffled,
  type WireStyle,
} from '../collectors/azure-wire.ts';
import { azureHoundRequest, goJson, transmit } from '../collectors/azurehound.ts';
import { sharedPassword } from '../server/builders.ts';
import { call, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, runKennel, serveKennel, within } from '../server/processes.ts';

const seed = 11;
const tenant = (style: WireStyle) =>
  azureTenant({ seed, style, users: 60, groups: 24, apps: 15, devices: 10, subscriptions: 3 });

async function exportOf(env: Record<string, string>): Promise<OpenGraphFile> {
  const { code, stdout, stderr } = await runKennel(['export', '--opengraph'], env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** Newer collectors write many texts in upper case, and everything else must be the same. */
function withUpperTexts({ graph }: OpenGraphFile): OpenGraphFile {
  const fold = <T extends { properties?: object | null }>(thing: T): T => ({
    ...thing,
    properties: Object.fromEntries(
      Object.entries(thing.properties ?? {}).map(([key, value]) => [
        key,
        JSON.stringify(value).toUpperCase(),
      ]),
    ),
  });
  return { graph: { nodes: graph.nodes.map(fold), edges: graph.edges.map(fold) } };
}

describe('AzureHound collects a tenant', () => {
  const removals: (() => unknown)[] = [];
  let env: Record<string, string>;
  let server: KennelProcess;
  let administrator: string;
  let directory: string;
  const asUser = async (method: string, path: string, body?: unknown) => {
    const answer = await call(server.url, method, `/api/v2/${path}`, { token: administrator, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kennel-files-'));
    removals.push(() => rmSync(directory, { recursive: true, force: true }));
    env = await newStore();
    server = await serveKennel(env);
    const login = { login_method: 'secret', username: 'admin', secret: sharedPassword };
    administrator = (await call(server.url, 'POST', '/api/v2/login', { body: login })).body.data
      .session_token;
  });
  after(async () => {
    await server.end();
    for (const remove of removals) await remove();
  });

  async function newStore(): Promise<Record<string, string>> {
    const temporary = await temporaryStore();
    removals.push(() => temporary.remove());
    return { ...temporary.env, KENNEL_ADMIN_PASSWORD: sharedPassword };
  }

  /** What a store of its own has of these items after reading them as one file, and analysing them. */
  async function elsewhere(items: readonly AzureItem[]): Promise<OpenGraphFile> {
    const other = await newStore();
    const path = join(directory, 'tenant.json');
    writeFileSync(path, azureFile(items));
    assert.equal((await runKennel(['migrate'], other)).code, 0);
    const { code, stdout, stderr } = await runKennel(['ingest', '--json', path], other);
    assert.equal(code, 0, stderr);
    const { status, files } = JSON.parse(stdout);
    assert.deepEqual([status, files[0].records, files[0].outcome], [2, items.length, 'complete'], stdout);
    return exportOf(other);
  }

  it('in batches that come four times each, in any order: the graph of a single file, with its posture', async () => {
    const client = await asUser('POST', 'clients', { name: 'azure', type: 'azurehound' });
    const send = (method: string, path: string, body?: Buffer) =>
      transmit(server.url, azureHoundRequest(client.token, method, `/api/v2/${path}`, body));
    const { id: jobId } = await asUser('POST', `clients/${client.id}/jobs`, {});
    assert.equal((await send('POST', 'jobs/start', goJson({ id: jobId }))).status, 200);

    const items = tenant('newer');
    const random = new Random(seed);
    const batches = azureBatches(shuffled(items, random), 100).map((text) => gzipSync(`${text}\n`));
    assert.ok(batches.length >= 4, `${batches.length} batches`);
    for (const batch of shuffled(
      [1, 2, 3, 4].flatMap(() => batches),
      random,
    ))
      assert.equal((await send('POST', 'ingest', batch)).status, 202);
    const ending = goJson({ status: 'COMPLETE', message: 'Collection completed successfully' });
    assert.equal((await send('POST', 'jobs/end', ending)).status, 200);
    const job = await within(60_000, 'the job did not end', async () => {
      const now = await asUser('GET', `jobs/${jobId}`);
      return [6, 7].includes(now.status) ? undefined : now;
    });
    assert.deepEqual([job.status, job.status_message], [2, 'Collection completed successfully']);

    const found = await exportOf(env);
    assert.ok(found.graph.nodes.some((node) => node.zone === 'Tag_Tier_Zero'));
    assert.ok(
      found.graph.edges.some(({ kind }) => kind === 'AZGlobalAdmin'),
      'an analysis has run',
    );
    const expected = await elsewhere(items);
    assert.deepEqual(compareGraphs(expected, found).slice(0, 10), []);
    const older = await elsewhere(tenant('older'));
    assert.deepEqual(compareGraphs(withUpperTexts(older), withUpperTexts(found)).slice(0, 10), []);

    const points = async (dataType: string): Promise<number[]> => {
      const query = `environments=${azureTenantId(seed)}`;
      const series = await asUser('GET', `posture-history/${dataType}?${query}`);
      return series.map(({ value }: { value: number }) => value);
    };
    for (const dataType of ['assets', 'findings', 'exposure', 'attack-paths']) {
      const values = await points(dataType);
      assert.ok(values.length === 1 && Number(values[0]) > 0, `${dataType}: ${values}`);
    }
    for (const dataType of ['session-completeness', 'group-completeness'])
      assert.deepEqual(await points(dataType), [], dataType);
  });
});
