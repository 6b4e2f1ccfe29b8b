import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { spooled } from '../../../test/collectors/ingest.ts';
import {
  caFile,
  publishedTo,
  readAll,
  tasksOf,
  templateFile,
  upload,
  uploadOf,
} from '../../../test/collectors/uploads.ts';
import { zip } from '../../../test/collectors/zip.ts';
import { analyseNow } from '../../../test/graph/analysis.ts';
import { collectorFile, readGraph } from '../../../test/graph/graph-files.ts';
import { auditRows, type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { findJob, jobStatus } from '../jobs/index.ts';
import { listFiles, sweepSpool } from '../spool/index.ts';
import { settle } from './settle.ts';

let server: TestServer;
let token: string;

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
});
after(() => server.stop());

describe('what a collector sent', () => {
  let collector: MadeUser;
  let job: number;
  const send = async (body: string) =>
    assert.equal(
      (
        await server.call('POST', '/api/v2/ingest', {
          token: collector.token,
          body: gzipSync(body),
          headers: { 'content-encoding': 'gzip' },
        })
      ).status,
      202,
    );
  const end = (message = '') =>
    server.call('POST', '/api/v2/jobs/end', {
      token: collector.token,
      body: { status: 'COMPLETE', ...(message === '' ? {} : { message }) },
    });
  const now = async () => {
    const row = await findJob(server.deps.db, job);
    return [row?.status, row?.status_message];
  };
  beforeEach(async () => {
    collector = await makeClient(server.deps);
    job = await makeJob(server.deps, collector, jobStatus.running);
  });

  it('is read while the job runs; its end makes it complete', async () => {
    await send(caFile([11]));
    await send(templateFile());
    assert.equal(await readAll(server.deps), 2);
    assert.ok((await publishedTo(server, token)).includes('CA-11@EXAMPLE.LOCAL'));
    await settle(server.deps);
    assert.equal((await now())[0], jobStatus.running);
    await end();
    assert.equal((await now())[0], jobStatus.ingesting);
    await settle(server.deps);
    assert.deepEqual(await now(), [jobStatus.analyzing, 'Analyzing']);
    await settle(server.deps);
    assert.equal((await now())[0], jobStatus.analyzing);
    assert.equal(await analyseNow(server.deps), 1);
    assert.deepEqual(await now(), [jobStatus.complete, 'Complete']);
    const actions = (await auditRows(server.deps)).slice(0, 3).map(({ action }) => action);
    assert.deepEqual(actions, ['FinishJob', 'AnalyzeJob', 'EndJob']);
    assert.deepEqual(await spooled(server.deps), []);
  });

  it('is told in numbers, by the job and by its log', async () => {
    const arrived = async () =>
      (await server.call('GET', `/api/v2/jobs/${job}`, { token })).body.data.arrived;
    const nothing = { read_batches: 0, failed_batches: 0, records: {}, nodes: 0, edges: 0 };
    assert.deepEqual(await arrived(), { batches: 0, ...nothing, unmatched_edges: 0, warnings: 0 });
    const ends = (end: string) => ({ value: end, match_by: 'name' });
    const edge = { kind: 'Told', start: ends('TOLD-1'), end: ends('NOBODY IS CALLED THIS') };
    const nodes = [1, 2].map((n) => ({
      id: `told-${n}`,
      kinds: ['Told'],
      properties: { name: `TOLD-${n}` },
    }));
    const items = ['AZUser', 'AZUser', 'AZSomethingNew'].map((kind, n) => ({
      kind,
      data: { id: `told-${n}`, tenantId: 't' },
    }));
    const bodies = [
      JSON.stringify({ graph: { nodes, edges: [edge] } }),
      JSON.stringify({ meta: { type: 'azure', version: 0, count: 3 }, data: items }),
      '{"data":[]}',
    ];
    for (const body of bodies) await send(body);
    // The same again is no further batch.
    await send(bodies[0] ?? '');
    assert.deepEqual(await arrived(), { batches: 3, ...nothing, unmatched_edges: 0, warnings: 0 });
    await readAll(server.deps);
    const { nodes: written, edges, ...told } = await arrived();
    assert.deepEqual(told, {
      batches: 3,
      read_batches: 2,
      failed_batches: 1,
      records: { nodes: 2, edges: 1, AZUser: 2, AZSomethingNew: 1 },
      unmatched_edges: 1,
      warnings: 1,
    });
    assert.ok(written >= 4 && edges >= 2);
    await end();
    const { log } = (await server.call('GET', `/api/v2/jobs/${job}/log`, { token })).body.data;
    assert.match(
      log,
      /arrived: 3 batches, 2 read and 1 not readable; records: 1 AZSomethingNew, 2 AZUser, 1 edges, 2 nodes; /,
    );
  });

  it('is waited for after the end of the job, whose own words stay', async () => {
    await send(caFile([12]));
    await end('All domains collected');
    await settle(server.deps);
    assert.equal((await now())[0], jobStatus.ingesting);
    await readAll(server.deps);
    assert.deepEqual(await now(), [jobStatus.complete, 'All domains collected']);
  });

  it('makes the job partially complete when a part of it is no good, with the reason', async () => {
    await send(caFile([13]));
    await send('{"data":[]}');
    await end();
    await readAll(server.deps);
    const [status, message] = await now();
    assert.equal(status, jobStatus.partiallyComplete);
    assert.match(String(message), /^1 of 2 files could not be read\. batch \d+: /);
    assert.deepEqual(await spooled(server.deps), []);
  });

  it('makes the job invalid when none of it is any good', async () => {
    await send('{"data":[]}');
    await end();
    await readAll(server.deps);
    assert.equal((await now())[0], jobStatus.invalid);
  });

  it('takes back only what belongs to the domains that the job names', async () => {
    const [root, child] = ['S-1-5-21-1-1-1', 'S-1-5-21-2-2-2'];
    const container = (principals: readonly string[]) =>
      collectorFile({
        type: 'containers',
        data: [
          {
            ObjectIdentifier: 'AIA',
            Properties: { domainsid: root, distinguishedname: 'CN=AIA,CN=CONFIGURATION,DC=CORP' },
            Aces: principals.map((PrincipalSID) => ({ PrincipalSID, RightName: 'GenericAll' })),
          },
        ],
      });
    const rights = async () =>
      Object.keys((await readGraph(server.deps.graph)).edges).filter((edge) => edge.endsWith(' AIA'));
    for (const [domains, principals, expected] of [
      [[], ['A', 'B'], ['A', 'B']],
      [[child], ['C'], ['A', 'B', 'C']],
      [[root], ['A'], ['A', 'C']],
      [['not a domain'], [], ['C']],
    ] as const) {
      server.advance(1000);
      collector = await makeClient(server.deps);
      await makeJob(server.deps, collector, jobStatus.running, { domains: JSON.stringify(domains) });
      await send(container(principals));
      await readAll(server.deps);
      assert.deepEqual(
        await rights(),
        expected.map((id) => `${id} GenericAll AIA`),
      );
    }
  });

  it('is read even though the job was canceled', async () => {
    await send(caFile([14]));
    await server.call('PUT', `/api/v2/tasks/${job}/cancel`, { token });
    await readAll(server.deps);
    assert.ok((await publishedTo(server, token)).includes('CA-14@EXAMPLE.LOCAL'));
    assert.equal((await now())[0], jobStatus.canceled);
  });
});

describe('a file that fails', () => {
  const broken = '{"meta":{"type":"enterprisecas","methods":0,"version":6,"count":1},"data":[{"a":1},{"b":';
  const retry = (id: number) => server.call('POST', `/api/v2/file-upload/${id}/retry`, { token });
  const retain = (enabled: boolean) =>
    server.call('PUT', '/api/v2/config', {
      token,
      body: { key: 'analysis.retain_ingest_files', value: { enabled } },
    });

  it('is told by name, record and byte, and makes the upload failed', async () => {
    const id = await upload(server, token, [{ body: broken, name: 'broken.json' }]);
    await readAll(server.deps);
    const { status, status_message, failed_files } = await uploadOf(server, token, id);
    assert.equal(status, jobStatus.failed);
    assert.match(status_message, /^The file could not be read\. broken\.json: .*byte \d+/);
    assert.equal(failed_files, 1);
    const [task] = await tasksOf(server, token, id);
    assert.equal(task.outcome, 'failed');
    assert.match(task.errors[0], /byte \d+/);
  });

  it('is read again on demand while its bytes are there, and only it', async () => {
    const archive = zip([
      { name: 'good.json', content: caFile([21]) },
      { name: 'bad.json', content: broken },
    ]);
    const id = await upload(server, token, [{ body: archive, name: 'two.zip' }, { body: caFile([22]) }]);
    await readAll(server.deps);
    const first = await uploadOf(server, token, id);
    assert.equal(first.status, jobStatus.partiallyComplete);
    assert.deepEqual([first.total_files, first.failed_files, first.partial_failed_files], [3, 1, 1]);
    assert.ok((await publishedTo(server, token)).includes('CA-21@EXAMPLE.LOCAL'));
    assert.equal((await retry(id)).status, 200);
    assert.equal((await auditRows(server.deps))[0]?.action, 'RetryUpload');
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.ingesting);
    assert.equal(await readAll(server.deps), 1);
    const second = await uploadOf(server, token, id);
    assert.deepEqual([second.total_files, second.failed_files, second.status], [3, 1, first.status]);
    assert.equal((await tasksOf(server, token, id)).length, 3);
  });

  it('answers 409 to a retry when nothing failed, or the bytes are gone', async () => {
    const good = await upload(server, token, [{ body: templateFile() }]);
    const bad = await upload(server, token, [{ body: broken, name: 'gone.json' }]);
    await readAll(server.deps);
    assert.match(assertEnvelope(await retry(good), 409)[0]?.message ?? '', /is complete/);
    server.advance(25 * 3_600_000);
    token = (await makeUser(server.deps)).token;
    await sweepSpool(server.deps);
    assert.match(assertEnvelope(await retry(bad), 409)[0]?.message ?? '', /gone\.json are no longer kept/);
    assert.equal((await retry(987_654)).status, 404);
  });

  it('keeps the bytes of every file while analysis.retain_ingest_files is on', async () => {
    await retain(true);
    const id = await upload(server, token, [{ body: templateFile() }]);
    await readAll(server.deps);
    const [file] = await listFiles(server.deps.db, { uploadId: id });
    assert.equal(file?.state, 'complete');
    assert.deepEqual(await spooled(server.deps), [file?.spool_id]);
    await retain(false);
  });
});
