import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { keptFiles, spooled } from '../../../test/collectors/ingest.ts';
import { signedHeaders } from '../../../test/collectors/signing.ts';
import { type MadeUser, makeClient, makeJob, makeSigningToken } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { within } from '../../../test/server/processes.ts';
import { RawConnection, requestText } from '../../../test/server/raw-http.ts';
import { findJob, jobStatus } from '../jobs/index.ts';

const path = '/api/v2/ingest';
const plain = '{"meta":{"type":"azure"},"data":[]}';

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
afterEach(async () => {
  assert.deepEqual(await keptFiles(server.deps), []);
  // One who hung up may be cleared away a moment later.
  await within(5000, 'something is left', async () => (await spooled(server.deps)).length === 0 || undefined);
  assert.equal((await findJob(server.deps.db, job))?.last_ingest, null);
});

const post = (body: string | Uint8Array | undefined, encoding?: string, token = collector.token) =>
  server.call('POST', path, {
    token,
    body,
    ...(encoding === undefined ? {} : { headers: { 'content-encoding': encoding } }),
  });

async function refused(status: number, message: RegExp, ...request: Parameters<typeof post>): Promise<void> {
  const answer = await post(...request);
  const [problem] = assertEnvelope(answer, status);
  assert.match(problem?.message ?? '', message);
}

describe('POST /api/v2/ingest, refused', () => {
  it('answers 400 to an empty body, packed or not', async () => {
    for (const [body, encoding] of [
      [undefined],
      ['', 'gzip'],
      [gzipSync(''), 'gzip'],
      [deflateSync(''), 'deflate'],
    ] as const)
      await refused(400, /the body is empty/, body, encoding);
  });

  it('answers 400 to what is not a JSON object', async () => {
    const bodies = ['[1]', '"{"', '  \n ', 'PK\x03\x04', '\ufeff', '\0{', Buffer.from([0xef, 0xbb, 0x7b])];
    for (const body of bodies) {
      await refused(400, /must be a JSON object/, body);
      await refused(400, /must be a JSON object/, gzipSync(body), 'gzip');
    }
  });

  it('answers 400 to compressed data that is cut off, wrong or followed by something else', async () => {
    const gzip = gzipSync(plain);
    const wrongSum = Buffer.from(gzip);
    wrongSum[gzip.length - 6] = (wrongSum[gzip.length - 6] ?? 0) ^ 1;
    const broken: [Buffer, string][] = [
      [Buffer.from(plain), 'gzip'],
      [wrongSum, 'gzip'],
      [gzip.subarray(0, -1), 'gzip'],
      [gzip.subarray(0, 15), 'gzip'],
      [Buffer.concat([gzip, Buffer.from('garbage')]), 'gzip'],
      [Buffer.concat([gzip, Buffer.alloc(8)]), 'gzip'],
      [Buffer.concat([gzip, gzip.subarray(0, 12)]), 'gzip'],
      [gzip, 'deflate'],
      [deflateRawSync(plain), 'deflate'],
      [deflateSync(plain).subarray(0, -2), 'deflate'],
      [Buffer.concat([deflateSync(plain), Buffer.from('x')]), 'deflate'],
    ];
    for (const [body, encoding] of broken)
      await refused(400, new RegExp(`not valid ${encoding} data`), body, encoding);
  });

  it('answers 401 to a body that is not what was signed, whatever else is wrong', async () => {
    const token = await makeSigningToken(server.deps, { clientId: collector.id });
    const body = gzipSync(plain);
    const wrong: [Record<string, string>, Buffer][] = [
      [{ 'content-encoding': 'gzip' }, Buffer.concat([body, gzipSync(' ')])],
      [{ 'content-encoding': 'gzip' }, body.subarray(0, -1)],
      [{ 'content-encoding': 'br' }, Buffer.from('other')],
      [{}, Buffer.alloc(3 * 1024 * 1024, '[')],
    ];
    for (const [headers, sent] of wrong) {
      const signed = signedHeaders(token, 'POST', path, body);
      const answer = await server.call('POST', path, { headers: { ...signed, ...headers }, body: sent });
      assert.match(assertEnvelope(answer, 401)[0]?.message ?? '', /digest mismatch/);
    }
    await server.call('POST', '/api/v2/jobs/end', { token: collector.token });
    const late = await server.call('POST', path, {
      headers: signedHeaders(token, 'POST', path, 'another'),
      body: plain,
    });
    assert.equal(late.status, 401);
  });

  it('answers 404 without a running job, and 409 when it was canceled or timed out', async () => {
    const idle = await makeClient(server.deps);
    await refused(404, /has no running job/, plain, undefined, idle.token);
    await makeJob(server.deps, idle, jobStatus.ready);
    await makeJob(server.deps, idle, jobStatus.complete);
    await refused(404, /has no running job/, plain, undefined, idle.token);
    for (const status of [jobStatus.canceled, jobStatus.timedOut]) {
      const stopped = await makeClient(server.deps);
      const id = await makeJob(server.deps, stopped, status);
      await refused(409, new RegExp(`job ${id} is`), plain, undefined, stopped.token);
    }
  });

  it('answers 409 when the job is canceled while the body arrives', async () => {
    const connection = await begin('{"data":[');
    await within(5000, 'nothing arrived', async () => (await spooled(server.deps)).length > 0 || undefined);
    await server.deps.db.transaction((db) =>
      db.execute('update jobs set status = $2 where id = $1', [job, jobStatus.canceled]),
    );
    connection.send(Buffer.alloc(restBytes, ' '));
    const answer = await connection.read();
    connection.close();
    assert.match(assertEnvelope(answer, 409)[0]?.message ?? '', /is canceled already/);
  });

  it('answers 409 when another job has begun while the body arrived', async () => {
    const connection = await begin('{"data":[');
    await within(5000, 'nothing arrived', async () => (await spooled(server.deps)).length > 0 || undefined);
    await server.call('POST', '/api/v2/jobs/end', { token: collector.token });
    const next = await makeJob(server.deps, collector, jobStatus.running);
    connection.send(Buffer.alloc(restBytes, ' '));
    const answer = await connection.read();
    connection.close();
    assert.match(assertEnvelope(answer, 409)[0]?.message ?? '', new RegExp(`job ${job} ended while`));
    assert.equal((await findJob(server.deps.db, next))?.last_ingest, null);
  });

  it('answers 415 to an encoding that it does not know', async () => {
    for (const encoding of ['br', 'zstd', 'gzip, gzip'])
      await refused(415, /must be gzip, deflate or identity/, gzipSync(plain), encoding);
  });

  it('keeps nothing when the caller hangs up half-way', async () => {
    for (const start of ['{"data":[', '']) {
      const connection = await begin(start);
      if (start !== '')
        await within(
          5000,
          'nothing arrived',
          async () => (await spooled(server.deps)).length > 0 || undefined,
        );
      connection.close();
      await within(
        5000,
        'something is left',
        async () => (await spooled(server.deps)).length === 0 || undefined,
      );
    }
  });

  it('takes the next request on the same connection after a refusal', async () => {
    const connection = await begin('[');
    connection.send(Buffer.alloc(restBytes, ' '));
    assert.equal((await connection.read()).status, 400);
    connection.send(requestText('GET', '/health/live'));
    assert.equal((await connection.read()).status, 200);
    connection.close();
  });
});

/** More than the one chunk that a database spool holds back. */
const firstBytes = 1024 * 1024;
const restBytes = 1000;

/** Sends the beginning of a body; the rest is `restBytes` long. */
async function begin(start: string): Promise<RawConnection> {
  const connection = await RawConnection.open(server.url);
  connection.send(
    requestText('POST', path, [
      ['Authorization', `Bearer ${collector.token}`],
      ['Content-Length', String(firstBytes + restBytes)],
    ]),
  );
  connection.send(start.padEnd(firstBytes));
  return connection;
}
