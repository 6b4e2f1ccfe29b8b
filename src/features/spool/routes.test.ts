import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { keptFiles, spooled } from '../../../test/collectors/ingest.ts';
import { signedHeaders } from '../../../test/collectors/signing.ts';
import {
  auditRows,
  type MadeUser,
  makeClient,
  makeJob,
  makeSigningToken,
  makeUser,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { serveVariant } from '../../../test/server/pipeline.ts';
import { findClient } from '../clients/registry/index.ts';
import { findJob, jobStatus } from '../jobs/index.ts';

const path = '/api/v2/ingest';
const azure = '{"meta":{"type":"azure","version":0,"count":0},"data":[{"kind":"AZTenant","data":{}}]}\n';

let server: TestServer;
let collector: MadeUser;
let job: number;

before(async () => {
  server = await startTestServer();
});
after(() => server.stop());
beforeEach(async () => {
  collector = await makeClient(server.deps);
  job = await makeJob(server.deps, collector, jobStatus.running);
});

const post = (body: string | Uint8Array, headers: Record<string, string> = {}, token = collector.token) =>
  server.call('POST', path, { token, body, headers });
const kept = async () => (await keptFiles(server.deps)).filter(({ client_id }) => client_id === collector.id);

describe('POST /api/v2/ingest', () => {
  it('answers 202 without a body and keeps what was sent, byte for byte, with its encoding', async () => {
    const sent: [body: Buffer, header: string | undefined, encoding: string, plain: string][] = [
      [gzipSync(azure), 'gzip', 'gzip', azure],
      [gzipSync('{"x":1}'), 'x-gzip', 'gzip', '{"x":1}'],
      [gzipSync('{"y":1}'), ' GZIP ', 'gzip', '{"y":1}'],
      [deflateSync(azure), 'deflate', 'deflate', azure],
      [Buffer.from(azure), undefined, 'identity', azure],
      [Buffer.from('{"z":1}'), 'identity', 'identity', '{"z":1}'],
      [Buffer.concat([gzipSync('{"two":'), gzipSync('"members"}')]), 'gzip', 'gzip', '{"two":"members"}'],
    ];
    for (const [body, header] of sent) {
      const answer = await post(body, header === undefined ? {} : { 'content-encoding': header });
      assert.equal(answer.status, 202, answer.text);
      assert.equal(answer.text, '');
      assert.equal(answer.headers.get('content-length'), '0');
    }
    const files = await kept();
    assert.equal(files.length, sent.length);
    for (const [index, [body, , encoding, plain]] of sent.entries()) {
      const file = files[index];
      assert.ok(file);
      assert.deepEqual(file.content, body);
      assert.equal(file.encoding, encoding);
      assert.equal(file.bytes, body.length);
      assert.equal(file.unpacked_bytes, plain.length);
      assert.equal(file.sha256, createHash('sha256').update(body).digest('hex'));
      assert.deepEqual([file.job_id, file.state], [job, 'waiting']);
    }
  });

  const wide = (text: string) => Buffer.from(Uint32Array.from(text, (one) => one.charCodeAt(0)).buffer);

  it('answers 202 to all three formats, whatever the Content-Type, with a byte order mark or blanks', async () => {
    const bodies: [Buffer | string, string | undefined][] = [
      [azure, undefined],
      ['{"graph":{"nodes":[],"edges":[]},"metadata":{"source_kind":"Base"}}', 'application/json'],
      ['{"data":[],"meta":{"type":"computers","count":0,"version":6}}', 'application/octet-stream'],
      ['\ufeff \r\n\t{"data":[]}', 'text/plain'],
      [Buffer.from('\ufeff {"data":[]}', 'utf16le'), 'not a media type'],
      [Buffer.from('\ufeff {"data":[]}', 'utf16le').swap16(), undefined],
      [wide('\ufeff {"data":[]}'), undefined],
      [wide('\ufeff {"data":[]}').swap32(), undefined],
    ];
    for (const [body, type] of bodies) {
      const plain = Buffer.from(body as string);
      const headers = { 'content-encoding': 'gzip', ...(type === undefined ? {} : { 'content-type': type }) };
      assert.equal((await post(gzipSync(plain), headers)).status, 202, String(body));
    }
    const files = await kept();
    assert.equal(files.length, bodies.length);
    assert.deepEqual(
      files.map((file) => file.content_type),
      [null, 'application/json', 'application/octet-stream', 'text/plain', null, null, null, null],
    );
  });

  it('answers 202 to a batch of a few MiB that hardly shrinks, in one piece or without a length', async () => {
    const body = gzipSync(`{"data":"${randomBytes(2 * 1024 * 1024).toString('base64')}"}`);
    assert.equal((await post(body, { 'content-encoding': 'gzip' })).status, 202);
    const other = gzipSync(`{"data":"${randomBytes(1024 * 1024).toString('base64')}"}`);
    const streamed = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${collector.token}`, 'content-encoding': 'gzip' },
      body: new Blob([new Uint8Array(other)]).stream(),
      duplex: 'half',
    } as RequestInit);
    assert.equal(streamed.status, 202);
    assert.deepEqual(
      (await kept()).map((file) => file.content.equals(file.bytes === body.length ? body : other)),
      [true, true],
    );
  });

  it('answers 202 to a signed request, and to its three repeats, and keeps it once', async () => {
    const token = await makeSigningToken(server.deps, { clientId: collector.id });
    const body = gzipSync(azure);
    const headers = { ...signedHeaders(token, 'POST', path, body), 'content-encoding': 'gzip' };
    for (let time = 0; time < 4; time += 1) {
      const answer = await server.call('POST', path, { headers, body, asSigningCollector: true });
      assert.equal(answer.status, 202, answer.text);
    }
    const files = await kept();
    assert.equal(files.length, 1);
    assert.deepEqual(files[0]?.content, body);
    const all = (await keptFiles(server.deps)).map((file) => file.spool_id).sort();
    assert.deepEqual(await spooled(server.deps), all);
  });

  it('answers 202 to identical bodies at the same time, and keeps one', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(azure)));
    assert.deepEqual(
      answers.map((answer) => answer.status),
      Array(6).fill(202),
    );
    assert.equal((await kept()).length, 1);
    const all = (await keptFiles(server.deps)).map((file) => file.spool_id).sort();
    assert.deepEqual(await spooled(server.deps), all);
  });

  it('keeps the same bytes again for another job and another collector', async () => {
    assert.equal((await post(azure)).status, 202);
    const other = await makeClient(server.deps);
    const otherJob = await makeJob(server.deps, other, jobStatus.running);
    assert.equal((await post(azure, {}, other.token)).status, 202);
    const end = await server.call('POST', '/api/v2/jobs/end', { token: collector.token });
    assert.equal(end.status, 200);
    const next = await makeJob(server.deps, collector, jobStatus.running);
    assert.equal((await post(azure)).status, 202);
    const jobs = (await keptFiles(server.deps)).map((file) => file.job_id);
    assert.deepEqual(jobs.slice(-3), [job, otherJob, next]);
  });

  it('is remembered by the job, whose end then waits for it to be read', async () => {
    assert.equal((await findJob(server.deps.db, job))?.last_ingest, null);
    await post(azure);
    assert.ok(((await findJob(server.deps.db, job))?.last_ingest ?? 0) > 0);
    assert.equal((await findJob(server.deps.db, job))?.status, jobStatus.running);
    await server.call('POST', '/api/v2/jobs/end', { token: collector.token });
    assert.equal((await findJob(server.deps.db, job))?.status, jobStatus.ingesting);
  });

  it('counts as being heard of, at most every ten seconds, and is no audited change', async () => {
    const records = (await auditRows(server.deps)).length;
    const lastCheckin = async () => (await findClient(server.deps.db, collector.id))?.last_checkin ?? 0;
    await post('{"n":1}');
    const first = await lastCheckin();
    assert.ok(first > 0);
    server.advance(9000);
    await post('{"n":2}');
    assert.equal(await lastCheckin(), first);
    server.advance(2000);
    await post('{"n":2}');
    assert.ok((await lastCheckin()) >= first + 11_000);
    assert.equal((await auditRows(server.deps)).length, records);
  });

  it('answers 403 to a user without the permission, and 404 to one who has it', async () => {
    const reader = await makeUser(server.deps, 'Read-Only');
    assert.equal((await post(azure, {}, reader.token)).status, 403);
    const administrator = await makeUser(server.deps);
    const answer = await post(azure, {}, administrator.token);
    assert.equal(answer.status, 404);
    assert.match(answer.body.errors[0].message, /only a collector/);
  });

  it('answers 404 in the community edition', async () => {
    const { deps } = server;
    const community = await serveVariant(deps, { settings: { ...deps.settings, edition: 'community' } });
    const answer = await community.call('POST', path, { token: collector.token, body: azure });
    await community.stop();
    assert.equal(answer.status, 404);
    assert.equal((await kept()).length, 0);
  });
});
