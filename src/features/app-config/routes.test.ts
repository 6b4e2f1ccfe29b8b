import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  auditRows,
  changeRows,
  type MadeUser,
  makeClient,
  makeUser,
  type RoleName,
} from '../../../test/server/builders.ts';
import { type Answer, startTestServer, type TestServer } from '../../../test/server/harness.ts';

const path = '/api/v2/config';
const megabyte = 1024 * 1024;
const good = { key: 'analysis.reconciliation', value: { enabled: false } };
const json = { 'content-type': 'application/json' };

describe('PUT /api/v2/config', () => {
  let server: TestServer;
  let admin: MadeUser;
  let stored: string;
  const put = (
    body: unknown,
    headers: Record<string, string> = {},
    token: string | undefined = admin.token,
  ) => server.call('PUT', path, { token, body, headers });

  async function storedRows(): Promise<string> {
    const parameters = await server.deps.db.query('select * from parameters order by key');
    const counter = await server.deps.db.query('select * from change_counter');
    return JSON.stringify([parameters, counter, await changeRows(server.deps)]);
  }

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
  });

  beforeEach(async () => {
    stored = await storedRows();
  });

  after(() => server.stop());

  /** Checks a refusal: its status, what each problem is about, and that nothing was stored or recorded. */
  async function checkRefused(answer: Answer, status: number, ...contexts: string[]): Promise<void> {
    assert.equal(answer.status, status, answer.text);
    assert.deepEqual(
      answer.body.errors.map((error: { context: string }) => error.context),
      contexts,
    );
    assert.equal(await storedRows(), stored);
  }

  it('answers 200 with the stored parameter and nothing else', async () => {
    const { status, headers, body } = await put(good);
    assert.equal(status, 200);
    assert.deepEqual(body, { data: good });
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('etag'), null);
  });

  it('answers 200 to the same write again, with a record of its own', async () => {
    await put(good);
    const before = (await auditRows(server.deps)).length;
    assert.equal((await put(good)).status, 200);
    const rows = await auditRows(server.deps);
    assert.equal(rows.length, before + 1);
    assert.deepEqual(rows[0]?.fields, { key: good.key, before: good.value, after: good.value });
  });

  it('answers 200 to writes at the same time, and their records follow one from the other', async () => {
    const hours = [1, 2, 3, 4, 5, 6];
    const writes = hours.map((hours) => put({ key: 'auth.session_ttl_hours', value: { hours } }));
    for (const { status } of await Promise.all(writes)) assert.equal(status, 200);
    const records = (await auditRows(server.deps)).slice(0, hours.length).reverse();
    let before: unknown = { hours: 8 };
    for (const { fields } of records) {
      assert.deepEqual(fields.before, before);
      before = fields.after;
    }
    await put({ key: 'auth.session_ttl_hours', value: { hours: 8 } });
  });

  it('answers 200 to a compressed body', async () => {
    const text = JSON.stringify(good);
    for (const [encoding, body] of [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['identity', Buffer.from(text)],
    ] as const) {
      const { status } = await put(body, { ...json, 'content-encoding': encoding });
      assert.equal(status, 200, encoding);
    }
  });

  it('answers 200 to a body of exactly 1 MiB, and to the media type in other spellings', async () => {
    assert.equal((await put(JSON.stringify(good).padEnd(megabyte), json)).status, 200);
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;x=y'])
      assert.equal((await put(JSON.stringify(good), { 'content-type': type })).status, 200, type);
  });

  const badBodies: Record<string, [body: unknown, ...contexts: string[]]> = {
    'no members': [{}, 'key', 'value'],
    'no key': [{ value: good.value }, 'key'],
    'no value': [{ key: good.key }, 'value'],
    'a key that is no text': [{ ...good, key: 7 }, 'key'],
    'a value that is no object': [{ ...good, value: 'on' }, 'value'],
    'a value that is an array': [{ ...good, value: [good.value] }, 'value'],
    'an extra member': [{ ...good, name: 'x' }, 'name'],
    'several problems': [{ key: null, id: 1, value: [] }, 'id', 'key', 'value'],
    'an array': [[good], 'SetAppConfigParam'],
    text: ['"text"', 'SetAppConfigParam'],
    null: ['null', 'SetAppConfigParam'],
    'a number': ['1', 'SetAppConfigParam'],
    'text that is not JSON': ['{key: 1}', 'body'],
    'two values': [`${JSON.stringify(good)} {}`, 'body'],
    'text that is not UTF-8': [Buffer.from([0x7b, 0xff, 0x7d]), 'body'],
    'a member given twice': [`{"key":"${good.key}","key":"${good.key}","value":{"enabled":true}}`, 'body'],
    'a member of the value given twice': [
      `{"key":"${good.key}","value":{"enabled":true,"enabled":true}}`,
      'body',
    ],
    'the member __proto__': [`{"key":"${good.key}","value":{"enabled":true},"__proto__":{}}`, 'body'],
    'the member __proto__ in the value': [
      `{"key":"${good.key}","value":{"__proto__":{"enabled":true}}}`,
      'body',
    ],
    'an empty body': ['', 'body'],
    'nothing but blanks': [' \n', 'body'],
    'no body': [undefined, 'body'],
  };
  for (const [description, [body, ...contexts]] of Object.entries(badBodies)) {
    it(`answers 400 for ${description}`, async () => {
      const answer = await put(body, json);
      answer.body.errors.sort((a: { context: string }, b: { context: string }) =>
        a.context < b.context ? -1 : 1,
      );
      await checkRefused(answer, 400, ...contexts);
    });
  }

  it('answers 400 for an empty body whatever its Content-Type', async () => {
    await checkRefused(await put('', { 'content-type': 'text/plain' }), 400, 'body');
  });

  it('answers 400 for a compressed body that is damaged', async () => {
    const half = gzipSync(JSON.stringify(good)).subarray(0, 20);
    await checkRefused(await put(half, { ...json, 'content-encoding': 'gzip' }), 400, 'body');
  });

  it('answers 400 for a key that is not known, naming it', async () => {
    const known = 'constructor toString __proto__ neo4j.configuration Analysis.Reconciliation'.split(' ');
    for (const key of [
      ...known,
      '',
      ' analysis.reconciliation',
      'x\u0000y',
      "'; drop table parameters; --",
    ]) {
      const answer = await put({ key, value: {} });
      await checkRefused(answer, 400, 'key');
      const shown = JSON.stringify(key.replace('\u0000', '\ufffd'));
      assert.equal(answer.body.errors[0].message, `there is no configuration parameter ${shown}`);
    }
  });

  it('answers 400 for a very long key without repeating all of it', async () => {
    const answer = await put({ key: 'k'.repeat(100_000), value: {} });
    await checkRefused(answer, 400, 'key');
    assert.ok(answer.text.length < 1000);
  });

  it('answers 401 without a token, before the body is looked at', async () => {
    for (const body of [good, '{'])
      await checkRefused(await server.call('PUT', path, { body }), 401, 'Authorization');
  });

  for (const role of ['User', 'Read-Only', 'Upload-Only', 'Power User', 'Auditor'] satisfies RoleName[]) {
    it(`answers 403 to the role ${role}, before the body is looked at`, async () => {
      const { token } = await makeUser(server.deps, role);
      for (const body of [good, '{']) {
        const answer = await put(body, {}, token);
        await checkRefused(answer, 403, 'SetAppConfigParam');
        assert.equal(answer.body.errors[0].message, 'this needs the permission app.WriteAppConfig');
      }
    });
  }

  it('answers 403 to a collector', async () => {
    const { token } = await makeClient(server.deps);
    await checkRefused(await put(good, {}, token), 403, 'SetAppConfigParam');
  });

  it('answers 403 for a protected key, naming it, whatever the value', async () => {
    const writes = {
      'auth.api_tokens': [{ enabled: false }, { enabled: true }, {}],
      'http.trusted_proxies': [{ trusted_proxies: 1 }, { trusted_proxies: 0 }, {}],
    };
    for (const [key, values] of Object.entries(writes)) {
      for (const value of values) {
        const answer = await put({ key, value });
        await checkRefused(answer, 403, 'key');
        assert.equal(
          answer.body.errors[0].message,
          `configuration parameter ${key} is protected: change it with \`kennel config set\``,
        );
      }
    }
  });

  it('answers 405 to POST, so that nothing is written by a mistaken method', async () => {
    const { status, headers } = await server.call('POST', path, { token: admin.token, body: good });
    assert.equal(status, 405);
    assert.match(headers.get('allow') ?? '', /\bPUT\b/);
    assert.equal(await storedRows(), stored);
  });

  it('answers 413 for more than 1 MiB, announced, in pieces, or compressed', async () => {
    const large = JSON.stringify(good).padEnd(megabyte + 1);
    await checkRefused(await put(large, json), 413, 'body');
    assert.equal(await putInPieces(large), 413);
    await checkRefused(await put(gzipSync(large), { ...json, 'content-encoding': 'gzip' }), 413, 'body');
  });

  /** Without a Content-Length, so that the size shows only as it is read. */
  function putInPieces(text: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { ...json, authorization: `Bearer ${admin.token}`, 'transfer-encoding': 'chunked' };
      const request = httpRequest(server.url + path, { method: 'PUT', headers, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      request.on('error', reject);
      for (let at = 0; at < text.length; at += 100_000) request.write(text.slice(at, at + 100_000));
      request.end();
    });
  }

  it('answers 415 for a body that is not JSON by its Content-Type', async () => {
    const text = JSON.stringify(good);
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json-patch+json', 'json'];
    for (const type of types)
      await checkRefused(await put(text, { 'content-type': type }), 415, 'Content-Type');
    await checkRefused(await put(Buffer.from(text)), 415, 'Content-Type');
  });

  it('answers 415 for a Content-Encoding that is not known', async () => {
    const answer = await put(JSON.stringify(good), { ...json, 'content-encoding': 'br' });
    await checkRefused(answer, 415, 'Content-Encoding');
  });
});
