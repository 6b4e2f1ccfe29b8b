import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGzip, gzipSync } from 'node:zlib';
import { keptFiles, spooled } from '../../../test/collectors/ingest.ts';
import { type MadeUser, makeClient, makeJob } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { within } from '../../../test/server/processes.ts';
import { RawConnection, requestText } from '../../../test/server/raw-http.ts';
import { jobStatus } from '../jobs/index.ts';
import { ContentCheck } from './content.ts';
import { Limits } from './limits.ts';

const path = '/api/v2/ingest';
const mebibyte = 1024 * 1024;
/** The default of KENNEL_BODY_PLACES, and what one sender may have of them. */
const maxUploads = 32;
const maxUploadsPerSender = 8;

async function running(server: TestServer): Promise<MadeUser> {
  const collector = await makeClient(server.deps);
  await makeJob(server.deps, collector, jobStatus.running);
  return collector;
}

const post = (server: TestServer, { token }: MadeUser, body: string | Uint8Array, encoding = 'identity') =>
  server.call('POST', path, { token, body, headers: { 'content-encoding': encoding } });

async function assertEmpty(server: TestServer): Promise<void> {
  assert.deepEqual(await keptFiles(server.deps), []);
  await within(5000, 'something is left', async () => (await spooled(server.deps)).length === 0 || undefined);
}

describe('POST /api/v2/ingest with KENNEL_INGEST_MAX_MB=1', () => {
  let server: TestServer;
  let collector: MadeUser;
  before(async () => {
    server = await startTestServer({ KENNEL_INGEST_MAX_MB: '1' });
    collector = await running(server);
  });
  after(() => server.stop());

  it('answers 413 to a body that is larger, with and without a length, and keeps nothing', async () => {
    const tooLong = '{'.padEnd(mebibyte + 1);
    const [problem] = assertEnvelope(await post(server, collector, tooLong), 413);
    assert.match(problem?.message ?? '', /at most 1 MiB .*KENNEL_INGEST_MAX_MB/);
    const connection = await RawConnection.open(server.url);
    const headers = [
      ['Authorization', `Bearer ${collector.token}`],
      ['Transfer-Encoding', 'chunked'],
    ] as const;
    connection.send(requestText('POST', path, headers));
    connection.send(`${tooLong.length.toString(16)}\r\n${tooLong}\r\n`);
    assert.equal((await connection.read()).status, 413);
    connection.close();
    await assertEmpty(server);
  });

  it('answers 413 to a body that unpacks to more than 16 MiB', async () => {
    const bomb = gzipSync('{'.padEnd(17 * mebibyte));
    const [problem] = assertEnvelope(await post(server, collector, bomb, 'gzip'), 413);
    assert.match(problem?.message ?? '', /at most 16 MiB unpacked, 16 times KENNEL_INGEST_MAX_MB/);
    await assertEmpty(server);
  });

  it('answers 202 to a body that is just as large as it may be', async () => {
    assert.equal((await post(server, collector, '{'.padEnd(mebibyte))).status, 202);
    assert.equal((await post(server, collector, gzipSync('{'.padEnd(16 * mebibyte)), 'gzip')).status, 202);
  });
});

describe('ContentCheck', () => {
  it('stops at a body that grows beyond measure long before its end', async () => {
    const bomb: Buffer[] = [];
    const gzip = createGzip().on('data', (chunk: Buffer) => bomb.push(chunk));
    gzip.write('{');
    for (let n = 0; n < 80; n += 1) gzip.write(Buffer.alloc(mebibyte, ' '));
    gzip.end();
    await new Promise((resolve) => gzip.once('end', resolve));
    const content = new ContentCheck('gzip', new Limits(256, 'KENNEL_INGEST_MAX_MB'));
    await assert.rejects(content.write(Buffer.concat(bomb)), { code: 'too_large', message: /200 times/ });
    assert.ok(content.unpackedBytes < 65 * mebibyte);
    content.close();
  });
});

describe('POST /api/v2/ingest with KENNEL_SPOOL_QUOTA_MB=2', () => {
  let server: TestServer;
  let collector: MadeUser;
  before(async () => {
    server = await startTestServer({ KENNEL_SPOOL_QUOTA_MB: '2' });
    collector = await running(server);
  });
  after(() => server.stop());

  it('answers 503 with Retry-After while the spool is full, and 202 once something was read', async () => {
    const body = (letter: string) => `{"${letter}":`.padEnd(mebibyte);
    const [a, b] = [body('a'), body('b')];
    for (const sent of [a, a, a, b]) assert.equal((await post(server, collector, sent)).status, 202);
    const full = await post(server, collector, '{"c":1}');
    const [problem] = assertEnvelope(full, 503);
    assert.match(problem?.message ?? '', /2 MiB of KENNEL_SPOOL_QUOTA_MB/);
    assert.ok(Number(full.headers.get('retry-after')) > 0);
    assert.equal((await spooled(server.deps)).length, 2);
    // As the reader will: the bytes are gone, the row stays.
    await server.deps.db.transaction((db) =>
      db.execute('update ingest_files set spool_id = null where id = (select min(id) from ingest_files)'),
    );
    server.advance(10_000);
    assert.equal((await post(server, collector, '{"c":1}')).status, 202);
  });
});

describe('POST /api/v2/ingest at many places at once', () => {
  let server: TestServer;
  const open: RawConnection[] = [];
  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    for (const connection of open) connection.close();
    await server.stop();
  });

  async function hold(collector: MadeUser, count: number): Promise<void> {
    const earlier = open.length;
    for (let n = 0; n < count; n += 1) {
      const connection = await RawConnection.open(server.url);
      open.push(connection);
      const headers = [
        ['Authorization', `Bearer ${collector.token}`],
        ['Content-Length', String(2 * mebibyte)],
      ] as const;
      connection.send(requestText('POST', path, headers));
      connection.send(`{"n":${n}`.padEnd(mebibyte));
    }
    await within(10_000, 'they did not all arrive', async () => {
      return (await spooled(server.deps)).length === earlier + count || undefined;
    });
  }

  it('answers 503 with Retry-After beyond the limit of a collector and of the process, and 202 later', async () => {
    const first = await running(server);
    await hold(first, maxUploadsPerSender);
    const busy = await post(server, first, '{}');
    assert.match(assertEnvelope(busy, 503)[0]?.message ?? '', /this collector is sending 8 bodies/);
    assert.ok(Number(busy.headers.get('retry-after')) > 0);
    for (let taken = maxUploadsPerSender; taken < maxUploads; taken += maxUploadsPerSender)
      await hold(await running(server), maxUploadsPerSender);
    const late = await running(server);
    assert.match(
      assertEnvelope(await post(server, late, '{}'), 503)[0]?.message ?? '',
      /receiving 32 bodies already/,
    );
    for (const connection of open.splice(0)) connection.close();
    await assertEmpty(server);
    for (const collector of [first, late]) assert.equal((await post(server, collector, '{}')).status, 202);
  });
});

describe('POST /api/v2/ingest of 40 MiB', () => {
  it('is received without being held in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const inUse = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    };
    const server = await startTestServer();
    const collector = await running(server);
    const block = randomBytes(mebibyte);
    const before = inUse();
    let highest = 0;
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === 0) controller.enqueue(Buffer.from('{'));
        if (sent % 8 === 0) highest = Math.max(highest, inUse());
        if (sent === 40) controller.close();
        else controller.enqueue(block);
        sent += 1;
      },
    });
    const { status } = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${collector.token}` },
      body,
      duplex: 'half',
    } as RequestInit);
    assert.equal(status, 202);
    assert.ok(highest > 0 && highest - before < 16 * mebibyte, `${(highest - before) / mebibyte} MiB`);
    const [file] = await keptFiles(server.deps);
    assert.equal(file?.content.length, 40 * mebibyte + 1);
    await server.stop();
  });
});
