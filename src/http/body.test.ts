import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { type MadeUser, makeUser } from '../../test/server/builders.ts';
import { type Answer, startTestServer, type TestServer } from '../../test/server/harness.ts';
import { assertEnvelope } from '../../test/server/pipeline.ts';
import { RawConnection, rawCall, requestText } from '../../test/server/raw-http.ts';
import { maxBodyBytes, readRawBody } from './body.ts';

const json = { 'content-type': 'application/json' };
const good = '{"key":"analysis.reconciliation","value":{"enabled":true}}';

let server: TestServer;
let admin: MadeUser;
const put = (body: unknown, headers: Record<string, string> = json): Promise<Answer> =>
  server.call('PUT', '/api/v2/config', { token: admin.token, body, headers });

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});

after(() => server.stop());

describe('the JSON of a body (gap 1.10)', () => {
  for (const [what, body] of [
    ['with space around it', ` \r\n\t${good}\n`],
    ['after a byte order mark', `\ufeff${good}`],
    ['with escapes', good.replace('analysis', '\\u0061nalysis')],
  ] as const) {
    it(`is taken ${what}`, async () => {
      assert.equal((await put(body)).status, 200);
    });
  }

  for (const [what, body, message] of [
    ['cut short', good.slice(0, -1), /the text ends/],
    ['a trailing comma', good.replace('}}', '},}'), /member name/],
    ['a comment', `/**/${good}`, /found "\/"/],
    ['single quotes', good.replaceAll('"', "'"), /found "'"/],
    ['a bare word', 'yes', /found "y"/],
    ['NaN', '{"key":NaN,"value":{}}', /found "N"/],
    ['a leading zero', '{"key":01,"value":{}}', /found "1"/],
    ['a number that no double holds', '{"key":1e400,"value":{}}', /too large/],
    ['two values', `${good}${good}`, /more text/],
    ['a repeated member', good.replace('{"key"', '{"key":"x","key"'), /given more than once/],
    ['a member repeated in an escaped spelling', '{"key":"x","\\u006bey":"y","value":{}}', /more than once/],
    ['the member __proto__', '{"__proto__":{"key":"x"}}', /"__proto__" is not allowed/],
    ['too many levels', `{"key":${'['.repeat(65)}`, /nested over 64 levels/],
    ['a raw line feed in a string', '{"key":"a\nb","value":{}}', /bare/],
    ['an unknown escape', '{"key":"\\x","value":{}}', /escape/],
    ['only space', ' ', /the body is empty/],
  ] as const) {
    it(`answers 400 to ${what}, with the place where it is`, async () => {
      const [problem, ...others] = assertEnvelope(await put(body), 400);
      assert.deepEqual(others, []);
      assert.equal(problem?.context, 'body');
      assert.match(problem?.message ?? '', /^the body is not valid JSON: /);
      assert.match(problem?.message ?? '', message);
    });
  }

  it('answers 400 to bytes that are not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"key":"'), Buffer.from(bytes), Buffer.from('","value":{}}')]);
      const [problem] = assertEnvelope(await put(body), 400);
      assert.match(problem?.message ?? '', /not valid UTF-8 \(at byte offset 8\)/);
    }
  });

  it('answers 400 to the encodings of other times', async () => {
    for (const encoding of ['utf16le', 'latin1'] as const)
      assertEnvelope(await put(Buffer.from(good.replace('true', '"ü"'), encoding)), 400);
  });

  it('is never coerced', async () => {
    for (const enabled of ['"true"', '1', 'null', '[]', '{}']) {
      const [problem] = assertEnvelope(await put(good.replace('true', enabled)), 400);
      assert.deepEqual(problem, { context: 'value.enabled', message: 'value.enabled must be a boolean' });
    }
    for (const body of ['[]', '"x"', '1', 'null', 'true']) {
      const [problem] = assertEnvelope(await put(body), 400);
      assert.equal(problem?.message, 'the body must be an object');
    }
  });

  it('holds no unknown members, however many', async () => {
    for (const count of [1, 9, 60]) {
      const members = Array.from({ length: count }, (_, index) => `"extra${index}":1`);
      const problems = assertEnvelope(await put(good.replace('}}', `},${members.join(',')}}`)), 400);
      assert.equal(problems.length, Math.min(count, 20));
      assert.deepEqual(problems[0], { context: 'extra0', message: 'extra0 is not a known member' });
    }
  });

  it('is required where it is defined', async () => {
    for (const headers of [{}, json, { 'content-type': 'text/plain' }]) {
      const problems = assertEnvelope(await put(undefined, headers), 400);
      assert.deepEqual(problems, [{ context: 'body', message: 'a JSON body is required' }]);
    }
  });
});

describe('the Content-Type of a body', () => {
  it('may have parameters, and any case', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;x="y;z"'])
      assert.equal((await put(good, { 'content-type': type })).status, 200, type);
  });

  it('answers 415 to anything else, malformed or missing', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'json',
      ';',
      '',
    ]) {
      const problems = assertEnvelope(await put(good, { 'content-type': type }), 415);
      assert.equal(problems[0]?.context, 'Content-Type');
    }
    const token = `Bearer ${admin.token}`;
    const headers = [
      ['Authorization', token],
      ['Content-Length', String(good.length)],
    ] as const;
    assertEnvelope(await rawCall(server, 'PUT', '/api/v2/config', headers, good), 415);
  });
});

describe('the size of a body', () => {
  const padded = (size: number) => good.padEnd(size);
  const head = (...more: [string, string][]) =>
    requestText('PUT', '/api/v2/config', [
      ['Authorization', `Bearer ${admin.token}`],
      ['Content-Type', 'application/json'],
      ...more,
    ]);

  it('may be 1 MiB', async () => {
    assert.equal((await put(padded(maxBodyBytes))).status, 200);
  });

  it('answers 413 to a longer Content-Length before the body is sent', async () => {
    const connection = await RawConnection.open(server.url);
    connection.send(head(['Content-Length', String(maxBodyBytes + 1)]));
    const answer = await connection.read();
    assert.equal(assertEnvelope(answer, 413)[0]?.context, 'body');
    assert.equal(answer.headers.connection, 'close');
    await connection.closed;
  });

  it('answers 413 to more than that in chunks', async () => {
    const connection = await RawConnection.open(server.url);
    connection.send(head(['Transfer-Encoding', 'chunked']));
    const half = padded(maxBodyBytes / 2);
    const chunk = `${half.length.toString(16)}\r\n${half}\r\n`;
    connection.send(`${chunk}${chunk}1\r\n \r\n`);
    const answer = await connection.read();
    assertEnvelope(answer, 413);
    assert.equal(answer.headers.connection, 'close');
    await connection.closed;
  });

  it('takes a body in chunks', async () => {
    const connection = await RawConnection.open(server.url);
    connection.send(head(['Transfer-Encoding', 'chunked']));
    for (const byte of good) connection.send(`1\r\n${byte}\r\n`);
    connection.send('0\r\n\r\n');
    assert.equal((await connection.read()).status, 200);
    connection.close();
  });

  it('answers 413 to a small body that would become a large one', async () => {
    const bomb = Buffer.alloc(64 * maxBodyBytes, ' ');
    for (const [encoding, body] of [
      ['gzip', gzipSync(bomb)],
      ['deflate', deflateSync(bomb)],
    ] as const) {
      assert.ok(body.length < maxBodyBytes);
      assertEnvelope(await put(body, { ...json, 'content-encoding': encoding }), 413);
    }
  });

  it('is not waited for when the caller has gone already', async () => {
    const message = new IncomingMessage(new Socket());
    message.destroy();
    await assert.rejects(readRawBody(message), { code: 'bad_request' });
  });
});

describe('the Content-Encoding of a body', () => {
  it('may be gzip, deflate or identity', async () => {
    for (const [encoding, body] of [
      ['gzip', gzipSync(good)],
      ['X-GZIP', gzipSync(good)],
      ['deflate', deflateSync(good)],
      ['identity', good],
      ['gzip', gzipSync(good.padEnd(maxBodyBytes))],
    ] as const) {
      assert.equal((await put(body, { ...json, 'content-encoding': encoding })).status, 200, encoding);
    }
  });

  it('answers 400 to data that is not what it says', async () => {
    const zipped = gzipSync(good);
    for (const body of [good, zipped.subarray(0, -5), Buffer.concat([zipped.subarray(0, 20), zipped])]) {
      const [problem] = assertEnvelope(await put(body, { ...json, 'content-encoding': 'gzip' }), 400);
      assert.deepEqual(problem, { context: 'body', message: 'the body is not valid gzip data' });
    }
  });

  it('answers 415 to anything else', async () => {
    for (const encoding of ['br', 'zstd', 'gzip, gzip', 'constructor', '__proto__']) {
      const [problem] = assertEnvelope(await put(good, { ...json, 'content-encoding': encoding }), 415);
      assert.equal(problem?.context, 'Content-Encoding');
    }
  });
});

describe('where no body is defined', () => {
  it('body and Content-Type are ignored', async () => {
    for (const [type, body] of [
      ['application/json', '{'],
      ['text/plain', 'hello'],
      ['nonsense', 'hello'],
      ['application/json', ''],
    ] as const) {
      const headers = { 'content-type': type };
      const options = { token: admin.token, body, headers };
      assertEnvelope(await server.call('DELETE', '/api/v2/saml/providers/7', options), 404);
      assertEnvelope(await server.call('PUT', '/api/v2/tasks/7/cancel', options), 404);
    }
  });

  it('a GET may have one', async () => {
    const headers = [
      ['Authorization', `Bearer ${admin.token}`],
      ['Content-Type', 'nonsense'],
      ['Content-Length', '5'],
    ] as const;
    assert.equal((await rawCall(server, 'GET', '/api/v2/saml', headers, 'hello')).status, 200);
  });

  it('and where it may be left out, an empty one is none, whatever its Content-Type', async () => {
    for (const type of ['application/json', 'text/plain', 'nonsense']) {
      const options = { token: admin.token, body: '', headers: { 'content-type': type } };
      const [problem] = assertEnvelope(await server.call('POST', '/api/v2/jobs/end', options), 400);
      assert.equal(problem?.context, 'job_id');
    }
  });
});
