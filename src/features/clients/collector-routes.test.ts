import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { callSigned, type Registered, registerCollector } from '../../../test/collectors/collectors.ts';
import { auditRows, type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope, capturedLog, serveVariant } from '../../../test/server/pipeline.ts';
import { jobStatus } from '../jobs/index.ts';
import { listErrorsBetween } from './registry/index.ts';

let server: TestServer;
let admin: MadeUser;
let client: Registered;
const update = '/api/v2/clients/update';
const error = '/api/v2/clients/error';
const put = (body: unknown) => callSigned(server, client.signing, 'PUT', update, body);
const rowOf = async () =>
  (await server.call('GET', `/api/v2/clients/${client.id}`, { token: admin.token })).body.data;

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());
beforeEach(async () => {
  client = await registerCollector(server, admin.token, { type: 'azurehound' });
});

describe('PUT /api/v2/clients/update', () => {
  const sent = {
    address: '192.0.2.7',
    username: 'CORP\\svc',
    hostname: 'srv-7',
    version: 'v2.2.1',
    usersid: 'S-1-5-21-1-500',
  };

  it('answers a signing collector in the flat form', async () => {
    const { status, body } = await put(sent);
    assert.equal(status, 200);
    const { created_at, updated_at, last_checkin, ...rest } = body.data;
    assert.deepEqual(rest, {
      id: client.id,
      deleted_at: { Time: '0001-01-01T00:00:00Z', Valid: false },
      name: client.name,
      type: 'azurehound',
      ip_address: '192.0.2.7',
      hostname: 'srv-7',
      configured_user: 'CORP\\svc',
      user_sid: 'S-1-5-21-1-500',
      version: 'v2.2.1',
      domain_controller: null,
      current_job_id: null,
      current_job: null,
      completed_job_count: 0,
      failed_in_a_row: 0,
    });
    assert.equal(last_checkin, updated_at);
    assert.ok(created_at <= updated_at);
  });

  it('tells it which job it was running', async () => {
    const id = await makeJob(server.deps, client, jobStatus.running);
    const { data } = (await put(sent)).body;
    assert.equal(data.current_job_id, id);
    const { status, event_id, client_id, start_time } = data.current_job;
    assert.deepEqual([data.current_job.id, status, event_id, client_id], [id, 1, null, client.id]);
    assert.match(start_time, /^20/);
  });

  it('answers a collector with a Bearer token in the documented form', async () => {
    const collector = await makeClient(server.deps);
    const id = await makeJob(server.deps, collector, jobStatus.running);
    const { body } = await server.call('PUT', update, { token: collector.token, body: sent });
    assert.deepEqual(body.data.user_sid, 'S-1-5-21-1-500');
    assert.deepEqual(body.data.current_job_id, id);
    assert.deepEqual([body.data.current_job.id, body.data.current_job.status], [id, 1]);
    assert.equal(body.data.token, null);
  });

  it('takes member names in any case, ignores others and leaves the rest as it was', async () => {
    await put(sent);
    const { status } = await put({ Address: '192.0.2.8', HOSTNAME: 'srv-8', Version: 'v0.3.0', Extra: [1] });
    assert.equal(status, 200);
    const { ip_address, hostname, version, configured_user, user_sid } = await rowOf();
    assert.deepEqual([ip_address, hostname, version], ['192.0.2.8', 'srv-8', 'v0.3.0']);
    assert.deepEqual([configured_user, user_sid], ['CORP\\svc', 'S-1-5-21-1-500']);
    await put({ usersid: '' });
    assert.deepEqual((await rowOf()).user_sid, null);
  });

  it('counts as a check-in, and is no change that anybody made', async () => {
    await put(sent);
    const before = await rowOf();
    const { updated_at } = (await put(sent)).body.data;
    const records = (await auditRows(server.deps)).length;
    server.advance(60_000);
    const again = (await put(sent)).body.data;
    assert.ok(again.last_checkin > before.last_checkin);
    assert.equal(again.updated_at, updated_at);
    assert.equal((await auditRows(server.deps)).length, records);
  });

  it('shortens what is too long, and takes null for what is left out: a collector would give up', async () => {
    await put({ address: '192.0.2.9', username: 'svc' });
    assert.equal((await put({ hostname: 'x'.repeat(400), username: null })).status, 200);
    const row = await rowOf();
    assert.deepEqual(
      [row.hostname, row.configured_user, row.ip_address],
      ['x'.repeat(250), 'svc', '192.0.2.9'],
    );
  });

  it('answers 400 for what is of another type, or given twice', async () => {
    const before = await rowOf();
    assertEnvelope(await put({ address: 7 }), 400);
    assertEnvelope(await put({ address: 'a', Address: 'b' }), 400);
    assert.equal((await rowOf()).ip_address, before.ip_address);
  });

  it('answers 404 to users, 403 to those without clients.Tasking', async () => {
    for (const role of ['Administrator', 'Upload-Only'] as const) {
      const { token } = await makeUser(server.deps, role);
      const [problem] = assertEnvelope(await server.call('PUT', update, { token, body: sent }), 404);
      assert.equal(problem?.message, 'this operation is for collectors');
    }
    const { token } = await makeUser(server.deps, 'User');
    assertEnvelope(await server.call('PUT', update, { token, body: sent }), 403);
  });
});

describe('POST /api/v2/clients/error', () => {
  const post = (body: unknown) => callSigned(server, client.signing, 'POST', error, body);
  const kept = (from = 0, to = Number.MAX_SAFE_INTEGER) =>
    listErrorsBetween(server.deps.db, client.id, from, to);

  it('answers 202 without a body, logs the error on one line and keeps it', async () => {
    const { log, records } = capturedLog();
    const variant = await serveVariant(server.deps, { log });
    try {
      const body = {
        Task_Error: 'no answer\r\nfake: line\u001b[31m\u2028',
        Additional: { domain: 'CORP', code: '0x5' },
      };
      const answer = await callSigned(variant, client.signing, 'POST', error, body);
      assert.deepEqual([answer.status, answer.text], [202, '']);
    } finally {
      await variant.stop();
    }
    const line = 'no answer\\u000d\\u000afake: line\\u001b[31m\\u2028 domain=CORP code=0x5';
    assert.deepEqual(
      (await kept()).map(({ message }) => message),
      [line],
    );
    const logged = records.find(({ msg }) => msg === 'a collector reported an error');
    assert.deepEqual([logged?.client_id, logged?.client, logged?.error], [client.id, client.name, line]);
    assert.equal((await auditRows(server.deps))[0]?.action, 'CreateClient');
    assert.notEqual((await rowOf()).last_checkin, '0001-01-01T00:00:00Z');
  });

  it('is shown in the log of the job that was running', async () => {
    const id = await makeJob(server.deps, client, jobStatus.running);
    await post({ task_error: 'LDAP is gone' });
    const { body } = await server.call('GET', `/api/v2/jobs/${id}/log`, { token: admin.token });
    assert.match(body.data.log, /LDAP is gone/);
  });

  it('keeps a bounded part of each, and the latest hundred', async () => {
    await post({ task_error: 'x'.repeat(9000), additional: { y: 'y'.repeat(9000) } });
    assert.deepEqual(
      (await kept()).map(({ message }) => [message.length, message.at(-1)]),
      [[4000, '…']],
    );
    for (let number = 1; number <= 103; number += 1) await post({ task_error: `number ${number}` });
    const messages = (await kept()).map(({ message }) => message);
    assert.deepEqual([messages.length, messages[0], messages.at(-1)], [100, 'number 4', 'number 103']);
  });

  it('keeps errors of one collector by time, apart from those of others', async () => {
    const start = server.now();
    await post({ task_error: 'early' });
    server.advance(60_000);
    const middle = server.now();
    await post({ task_error: 'late' });
    const other = await registerCollector(server, admin.token);
    await callSigned(server, other.signing, 'POST', error, { task_error: 'elsewhere' });
    const between = async (from: number, to: number) => (await kept(from, to)).map(({ message }) => message);
    assert.deepEqual(await between(start, middle - 1), ['early']);
    assert.deepEqual(await between(middle, server.now()), ['late']);
    assert.deepEqual(await between(0, Number.MAX_SAFE_INTEGER), ['early', 'late']);
  });

  it('answers 400, 403 and 404', async () => {
    assertEnvelope(await post({}), 400);
    assertEnvelope(await post({ task_error: 5 }), 400);
    const user = await makeUser(server.deps, 'User');
    const body = { task_error: 'x' };
    assertEnvelope(await server.call('POST', error, { token: user.token, body }), 403);
    assertEnvelope(await server.call('POST', error, { token: admin.token, body }), 404);
    assert.equal((await kept()).length, 0);
  });
});

describe('GET /api/v2/clients/management/available', () => {
  it('answers an empty list to a collector', async () => {
    const client = await makeClient(server.deps);
    const answer = await server.call('GET', '/api/v2/clients/management/available', { token: client.token });
    assert.deepEqual([answer.status, answer.body], [200, { data: [] }]);
  });

  it('answers 404 to a person', async () => {
    const person = await makeUser(server.deps);
    const answer = await server.call('GET', '/api/v2/clients/management/available', { token: person.token });
    assert.equal(answer.status, 404);
  });
});
