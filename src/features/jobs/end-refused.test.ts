import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { changeRows, makeClient, makeJob, makeUser, type RoleName } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus } from './states.ts';
import { findJob, type JobRow } from './store.ts';

describe('POST /api/v2/jobs/end, refused before anything changes', () => {
  let server: TestServer;
  let token: string;
  let id: number;
  let row: JobRow | undefined;

  const end = (body: unknown, headers: Record<string, string> = {}) =>
    server.call('POST', '/api/v2/jobs/end', { token, body, headers });
  const assertUntouched = async (what: string) => {
    assert.deepEqual(await findJob(server.deps.db, id), row, what);
    assert.deepEqual(await changeRows(server.deps), [], what);
  };

  before(async () => {
    server = await startTestServer();
    const collector = await makeClient(server.deps);
    token = collector.token;
    id = await makeJob(server.deps, collector, jobStatus.running);
    row = await findJob(server.deps.db, id);
  });

  after(() => server.stop());

  it('answers 400 to an object without status', async () => {
    for (const body of [{}, { message: 'Done' }]) {
      const { status, body: answer } = await end(body);
      assert.equal(status, 400);
      assert.deepEqual(answer.errors, [{ context: 'status', message: 'status is required' }]);
    }
    await assertUntouched('no status');
  });

  it('answers 400 to a status that it does not know', async () => {
    for (const given of ['DONE', '', ' COMPLETE', 'COMPLETED', '2', '5', 'RUNNING', 0, 1, 3, 4, 6, 8, -1]) {
      const { status, body } = await end({ status: given });
      assert.equal(status, 400, String(given));
      assert.deepEqual(body.errors, [
        { context: 'status', message: `status must be COMPLETE or FAILED, but is "${given}"` },
      ]);
      await assertUntouched(String(given));
    }
  });

  it('answers 400 to a status of another type', async () => {
    for (const given of [null, true, 2.5, ['COMPLETE'], { status: 'COMPLETE' }, 'x'.repeat(51)]) {
      const { status, body } = await end({ status: given });
      assert.equal(status, 400, JSON.stringify(given));
      assert.equal(body.errors[0].context, 'status');
      await assertUntouched(JSON.stringify(given));
    }
  });

  it('answers 400 to other members of a wrong type, all of them at once', async () => {
    const { status, body } = await end({ status: 'COMPLETE', message: 5, job_id: '7' });
    assert.equal(status, 400);
    assert.deepEqual(body.errors, [
      { context: 'message', message: 'message must be a string or null' },
      { context: 'job_id', message: 'job_id must be a whole number' },
    ]);
    await assertUntouched('wrong types');
  });

  it('answers 400 to a body that is not one JSON object', async () => {
    const json = { 'content-type': 'application/json' };
    const bodies = ['null', '[]', '"COMPLETE"', '2', '{', ' ', '{"status":2}x', '{"status":2,"status":5}'];
    for (const body of bodies) {
      assert.equal((await end(body, json)).status, 400, body);
      await assertUntouched(body);
    }
  });

  it('answers 401 without a token', async () => {
    const { status, headers } = await server.call('POST', '/api/v2/jobs/end');
    assert.equal(status, 401);
    assert.equal(headers.get('www-authenticate'), 'Bearer');
    await assertUntouched('no token');
  });

  it('answers 403 to a user without the permissions clients.Tasking and collection.ManageJobs', async () => {
    const missing = {
      User: 'clients.Tasking',
      'Read-Only': 'clients.Tasking',
      Auditor: 'clients.Tasking',
      'Upload-Only': 'collection.ManageJobs',
    } as const;
    for (const [role, permission] of Object.entries(missing) as [RoleName, string][]) {
      const user = await makeUser(server.deps, role);
      const { status, body } = await server.call('POST', '/api/v2/jobs/end', {
        token: user.token,
        body: { status: 'COMPLETE', job_id: id },
      });
      assert.equal(status, 403, role);
      assert.equal(body.errors[0].message, `this needs the permission ${permission}`);
    }
    await assertUntouched('no permission');
  });

  it('answers 415 to a body that is not application/json', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      assert.equal((await end('{"status":"COMPLETE"}', { 'content-type': type })).status, 415, type);
    }
    assert.equal((await end(Buffer.from('{"status":"COMPLETE"}'))).status, 415, 'no Content-Type');
    await assertUntouched('other media types');
  });
});

describe('POST /api/v2/jobs/end with a limit of one request a second', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ KENNEL_RATE_LIMIT: '1' });
  });

  after(() => server.stop());

  it('answers 200, never 429, however often a collector or a user calls', async () => {
    const collector = await makeClient(server.deps);
    const user = await makeUser(server.deps, 'Power User');
    const id = await makeJob(server.deps, collector, jobStatus.running);
    const calls = [
      { token: collector.token },
      { token: user.token, body: { status: 'COMPLETE', job_id: id } },
    ].flatMap((options) => Array.from({ length: 6 }, () => server.call('POST', '/api/v2/jobs/end', options)));
    for (const { status, headers } of await Promise.all(calls)) {
      assert.equal(status, 200);
      assert.equal(headers.get('ratelimit'), null);
    }
  });

  it('answers 429 to other operations, so the limit is on', async () => {
    const { token } = await makeUser(server.deps);
    const calls = Array.from({ length: 20 }, () => server.call('PUT', '/api/v2/tasks/1/cancel', { token }));
    assert.ok((await Promise.all(calls)).some(({ status }) => status === 429));
  });
});

describe('POST /api/v2/jobs/end in the community edition', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ KENNEL_EDITION: 'community' });
  });

  after(() => server.stop());

  it('answers 404 to collectors and users, and ends nothing', async () => {
    const collector = await makeClient(server.deps);
    const id = await makeJob(server.deps, collector, jobStatus.running);
    const callers = [
      collector,
      await makeUser(server.deps, 'Administrator'),
      await makeUser(server.deps, 'Read-Only'),
    ];
    for (const { name, token } of callers) {
      const { status, body } = await server.call('POST', '/api/v2/jobs/end', { token });
      assert.equal(status, 404, name);
      assert.equal(body.errors[0].message, 'this operation is available in the enterprise edition only');
    }
    assert.equal((await findJob(server.deps.db, id))?.status, jobStatus.running);
  });
});
