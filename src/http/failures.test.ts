import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Type from 'typebox';
import { type MadeUser, makeUser } from '../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import {
  assertEnvelope,
  capturedLog,
  serveOperations,
  serveVariant,
  until,
  type Variant,
} from '../../test/server/pipeline.ts';
import { internalMessage } from './errors.ts';
import { Struct } from './schemas.ts';

describe('a defect of ours', () => {
  let server: TestServer;
  let admin: MadeUser;
  let variant: Variant;
  const { log, records, text } = capturedLog();

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
    variant = await serveVariant(server.deps, { log });
    await server.deps.db.transaction((db) => db.execute('drop table custom_node_kinds'));
  });

  after(async () => {
    await variant.stop();
    await server.stop();
  });

  it('answers 500 and says only that', async () => {
    const answer = await variant.call('GET', '/api/v2/custom-nodes/User', { token: admin.token });
    assert.deepEqual(assertEnvelope(answer, 500), [{ context: 'GetCustomNode', message: internalMessage }]);
    assert.doesNotMatch(answer.text, /custom_node_kinds/);
    assert.equal(answer.headers.get('retry-after'), null);
  });

  it('says only that as problem+json, too', async () => {
    const headers = { accept: 'application/problem+json' };
    const { body, text } = await variant.call('GET', '/api/v2/custom-nodes/User', {
      token: admin.token,
      headers,
    });
    assert.equal(body.status, 500);
    assert.equal(body.detail, internalMessage);
    assert.doesNotMatch(text, /custom_node_kinds/);
  });

  it('logs the cause under the id that the caller was told, and no token', async () => {
    const { body } = await variant.call('GET', '/api/v2/custom-nodes/User', { token: admin.token });
    const about = () => records.filter(({ request_id }) => request_id === body.request_id);
    await until(() => about().length === 2, 'the two records');
    const [defect, request] = about();
    assert.equal(defect?.msg, 'a request failed: this is a defect');
    assert.equal(defect?.operation, 'GetCustomNode');
    assert.match(JSON.stringify(defect?.err), /custom_node_kinds.*stack/);
    assert.equal(request?.status, 500);
    assert.ok(!text().includes(admin.token));
  });

  it('hides whatever a handler throws', async () => {
    const thrown: unknown[] = [
      new Error('select digest from auth_secrets'),
      new TypeError("Cannot read properties of undefined (reading 'id')"),
      Object.assign(new Error('taken'), { statusCode: 418, code: 'FST_ERR_TEAPOT' }),
      'just text',
      undefined,
      null,
    ];
    const probe = await serveOperations(server.deps, (register) =>
      register({
        id: 'Fail',
        method: 'GET',
        url: '/fail/{index}',
        tag: 'Test',
        summary: 'Fails in a way of its own',
        access: 'public',
        path: Struct({ index: Type.String() }),
        answer: Struct({}),
        answerExample: {},
        handle: ({ path }) => Promise.reject(thrown[Number(path.index)]),
      }),
    );
    try {
      for (const index of thrown.keys()) {
        const problems = assertEnvelope(await probe.call('GET', `/fail/${index}`), 500);
        assert.deepEqual(problems, [{ context: 'Fail', message: internalMessage }]);
      }
    } finally {
      await probe.stop();
    }
  });
});

describe('a store that is gone', () => {
  let server: TestServer;
  const { log, records } = capturedLog();
  let variant: Variant;

  before(async () => {
    server = await startTestServer();
    variant = await serveVariant(server.deps, { log });
    await server.deps.db.close();
  });

  after(async () => {
    await variant.stop();
    await server.stop();
  });

  it('answers 503 with Retry-After to a write', async () => {
    const body = { login_method: 'secret', username: 'someone', secret: 'something' };
    const answer = await variant.call('POST', '/api/v2/login', { body });
    assertEnvelope(answer, 503);
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    assert.ok(records.some(({ level, request_id }) => level === 40 && request_id === answer.body.request_id));
  });

  it('answers 503 with Retry-After to whoever asks whether it is ready', async () => {
    const answer = await variant.call('GET', '/health/ready');
    assert.deepEqual(assertEnvelope(answer, 503), [
      { context: 'store', message: 'the store cannot be reached' },
    ]);
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  });

  it('answers 200 to whoever asks whether it is alive', async () => {
    assert.equal((await variant.call('GET', '/health/live')).status, 200);
  });
});
