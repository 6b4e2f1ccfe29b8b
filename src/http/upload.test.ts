import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import { assertEnvelope, serveOperations, type Variant } from '../../test/server/pipeline.ts';
import { RawConnection, requestText } from '../../test/server/raw-http.ts';
import { AppError } from '../errors.ts';
import type { Upload } from './operation.ts';
import { Empty } from './schemas.ts';

const path = '/api/v2/upload';
let server: TestServer;
let variant: Variant;
let chunks: Buffer[];
let failure: unknown;
/** What the handler does with the body. */
let handle: (upload: Upload) => Promise<void>;

before(async () => {
  server = await startTestServer();
  // So that the idle limit alone is looked at.
  const settings = { ...server.deps.settings, bodyMinKbPerSecond: 0 };
  variant = await serveOperations({ ...server.deps, settings }, (register) =>
    register({
      id: 'Upload',
      method: 'POST',
      url: path,
      tag: 'Test',
      summary: 'Upload',
      access: 'public',
      streamsBody: true,
      status: 202,
      answer: Empty,
      handle: ({ upload }) => handle(upload),
    }),
  );
});
after(async () => {
  await variant.stop();
  await server.stop();
});
beforeEach(() => {
  chunks = [];
  failure = undefined;
  handle = async (upload) => {
    try {
      for await (const chunk of upload.bytes) chunks.push(Buffer.from(chunk));
      await upload.confirm();
    } catch (error) {
      failure = error;
      throw error;
    }
  };
});

async function begin(headers: readonly (readonly [string, string])[], body = ''): Promise<RawConnection> {
  const connection = await RawConnection.open(variant.url);
  connection.send(requestText('POST', path, headers) + body);
  return connection;
}

/** Lets the server work until it is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (let n = 0; n < 100_000 && !isSo(); n += 1) await turn();
  assert.ok(isSo());
}

describe('an operation that reads its body as it arrives', () => {
  it('gets the headers and the bytes as they were sent, far beyond the limit of other bodies', async () => {
    const facts: unknown[] = [];
    const read = handle;
    handle = (upload) => {
      facts.push(upload.contentType, upload.contentEncoding, upload.length);
      return read(upload);
    };
    const body = Buffer.alloc(5 * 1024 * 1024, 'x');
    const headers = { 'content-type': 'text/odd', 'content-encoding': 'br' };
    const answer = await variant.call('POST', path, { body, headers });
    assert.equal(answer.status, 202);
    assert.deepEqual(facts, ['text/odd', 'br', body.length]);
    assert.ok(Buffer.concat(chunks).equals(body));
  });

  it('gets no bytes where there is no body', async () => {
    assert.equal((await variant.call('POST', path)).status, 202);
    assert.deepEqual(chunks, []);
  });

  it('gets a body without a Content-Type and without a length', async () => {
    const connection = await begin([['Transfer-Encoding', 'chunked']], '3\r\nabc\r\n');
    await until(() => chunks.length > 0);
    connection.send('2\r\nde\r\n0\r\n\r\n');
    assert.equal((await connection.read()).status, 202);
    assert.equal(Buffer.concat(chunks).toString(), 'abcde');
    connection.close();
  });

  it('answers 400 when the body is cut off', async () => {
    const connection = await begin([['Content-Length', '10']], 'abc');
    await until(() => chunks.length > 0);
    connection.close();
    await until(() => failure !== undefined);
    assert.ok(failure instanceof AppError);
    assert.equal(failure.code, 'bad_request');
    assert.equal(failure.message, 'the request body was cut off');
  });

  it('answers 400 when the caller was gone before anything was read', async () => {
    const read = handle;
    let go = () => {};
    let isCalled = false;
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    handle = async (upload) => {
      isCalled = true;
      await gone;
      await read(upload);
    };
    const connection = await begin([['Content-Length', '10']], 'abc');
    await until(() => isCalled);
    connection.close();
    await connection.closed;
    for (let n = 0; n < 50; n += 1) await turn();
    go();
    await until(() => failure !== undefined);
    assert.equal((failure as AppError).message, 'the request body was cut off');
  });

  it('can answer before the body has come, and take the next request on the same connection', async () => {
    handle = async (upload) => {
      for await (const _ of upload.bytes) throw new AppError('conflict', 'not now');
    };
    const length = 3 * 1024 * 1024;
    const connection = await begin([['Content-Length', String(length)]], 'first');
    assertEnvelope(await connection.read(), 409);
    connection.send('x'.repeat(length - 'first'.length));
    handle = async () => {};
    connection.send(requestText('POST', path, [['Content-Length', '0']]));
    assert.equal((await connection.read()).status, 202);
    connection.close();
  });

  it('answers 408 and closes the connection when no byte comes for a minute', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const connection = await begin([['Content-Length', '10']], 'abc');
      await until(() => chunks.length === 1);
      mock.timers.tick(59_000);
      connection.send('d');
      await until(() => chunks.length === 2);
      for (let n = 0; n < 50; n += 1) await turn();
      mock.timers.tick(59_000);
      for (let n = 0; n < 50; n += 1) await turn();
      assert.equal(failure, undefined);
      mock.timers.tick(1000);
      const answer = await connection.read();
      const [problem] = assertEnvelope(answer, 408);
      assert.match(problem?.message ?? '', /no byte of the body arrived for 60 seconds/);
      assert.equal(answer.headers.connection, 'close');
      await connection.closed;
    } finally {
      mock.timers.reset();
    }
  });

  it('may take as long as it likes over a chunk', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      handle = async (upload) => {
        for await (const chunk of upload.bytes) {
          chunks.push(Buffer.from(chunk));
          for (let n = 0; n < 50; n += 1) await turn();
          mock.timers.tick(120_000);
        }
      };
      assert.equal((await variant.call('POST', path, { body: 'abc' })).status, 202);
      assert.equal(Buffer.concat(chunks).toString(), 'abc');
    } finally {
      mock.timers.reset();
    }
  });
});
