import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import {
  auditRows,
  type MadeUser,
  makeClient,
  makeJob,
  makeUser,
  type RoleName,
} from '../../../test/server/builders.ts';
import { type CallOptions, startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { type JobStatus, jobStatus, statusWords } from './states.ts';
import { findJob, insertDomainResults } from './store.ts';

const { ready, running, complete, canceled } = jobStatus;

describe('PUT /api/v2/tasks/:task_id/cancel', () => {
  let server: TestServer;
  let admin: MadeUser;

  const cancel = (id: number | string, token: string | undefined = admin.token, options: CallOptions = {}) =>
    server.call('PUT', `/api/v2/tasks/${id}/cancel`, { token, ...options });
  const makeTask = async (status: JobStatus, options: Parameters<typeof makeJob>[3] = {}) =>
    makeJob(server.deps, await makeClient(server.deps), status, options);
  const rowOf = async (id: number) => ({ ...(await findJob(server.deps.db, id)) });
  const auditOf = async (id: number) =>
    (await auditRows(server.deps)).filter(
      ({ action, fields }) => action === 'CancelTask' && fields.job_id === id,
    );

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps, 'Administrator', { principalName: 'Ada Löwe' });
  });

  after(() => server.stop());

  it('answers 200 and cancels a ready task', async () => {
    const id = await makeTask(ready);
    const earlier = await rowOf(id);
    const sentAt = server.now();
    const { status, body } = await cancel(id);
    const answeredAt = server.now();
    assert.equal(status, 200);
    assert.equal(body.data.status_message, 'Canceled by Ada Löwe');
    assert.equal(body.data.start_time, '0001-01-01T00:00:00Z');
    const endTime = Date.parse(body.data.end_time);
    assert.ok(endTime >= sentAt && endTime <= answeredAt, body.data.end_time);
    assert.deepEqual(await rowOf(id), {
      ...earlier,
      status: canceled,
      status_message: 'Canceled by Ada Löwe',
      end_time: endTime,
      updated_at: endTime,
    });
  });

  it('answers 200 and cancels a running task, whose data stays', async () => {
    const id = await makeTask(running, { last_ingest: Date.UTC(2026, 0, 5) });
    const { status, body } = await cancel(id);
    assert.equal(status, 200);
    assert.equal(body.data.status_message, 'Canceled by Ada Löwe');
    const row = await rowOf(id);
    assert.equal(row.status, canceled);
    assert.equal(row.last_ingest, Date.UTC(2026, 0, 5));
    assert.equal(row.reported_status, null);
  });

  it('answers 200 with exactly the members of a task', async () => {
    // The client of this job no longer exists: a job keeps its id and name (gap 3.8).
    const client = { id: randomUUID(), name: 'gone' };
    const id = await makeJob(server.deps, client, running, {
      event_id: 3,
      event_title: 'Nightly',
      execution_time: Date.UTC(2026, 0, 5, 8),
      start_time: Date.UTC(2026, 0, 5, 8, 0, 5, 250),
      session_collection: 0,
      local_group_collection: 1,
      ad_structure_collection: 0,
      cert_services_collection: 1,
      ca_registry_collection: 0,
      dc_registry_collection: 1,
      all_trusted_domains: 1,
      domain_controller: 'dc01.corp.example',
    });
    const counts = {
      user_count: 1,
      group_count: 2,
      computer_count: 3,
      gpo_count: 4,
      ou_count: 5,
      container_count: 6,
      aiaca_count: 7,
      rootca_count: 8,
      enterpriseca_count: 9,
      ntauthstore_count: 10,
      certtemplate_count: 11,
      deleted_count: 12,
    };
    const result = { domain_name: 'CORP.EXAMPLE', success: false, message: 'partly', ...counts };
    await server.deps.db.transaction((db) => insertDomainResults(db, id, [result], Date.UTC(2026, 0, 5, 9)));

    const { status, body } = await cancel(id);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['data']);
    assert.ok(Number.isInteger(body.data.domain_results[0].id) && body.data.domain_results[0].id > 0);
    assert.deepEqual(body.data, {
      id,
      client_id: client.id,
      client_name: 'gone',
      event_id: { int32: 3, valid: true },
      execution_time: '2026-01-05T08:00:00Z',
      start_time: '2026-01-05T08:00:05.250Z',
      end_time: body.data.end_time,
      status_message: 'Canceled by Ada Löwe',
      session_collection: false,
      local_group_collection: true,
      ad_structure_collection: false,
      cert_services_collection: true,
      ca_registry_collection: false,
      dc_registry_collection: true,
      all_trusted_domains: true,
      domain_controller: 'dc01.corp.example',
      ous: [],
      domains: [],
      domain_results: [
        {
          id: body.data.domain_results[0].id,
          created_at: '2026-01-05T09:00:00Z',
          updated_at: '2026-01-05T09:00:00Z',
          deleted_at: { time: '0001-01-01T00:00:00Z', valid: false },
          job_id: id,
          ...result,
        },
      ],
    });
  });

  it('answers 200 with empty wrappers for what is not set', async () => {
    const { body } = await cancel(await makeTask(ready));
    assert.deepEqual(body.data.event_id, { int32: 0, valid: false });
    assert.equal(body.data.domain_controller, '');
    assert.deepEqual(body.data.domain_results, []);
  });

  it('answers 200 to a second cancel, which changes nothing', async () => {
    const id = await makeTask(running);
    const first = await cancel(id);
    const row = await rowOf(id);
    server.advance(60_000);
    const powerUser = await makeUser(server.deps, 'Power User');
    const second = await cancel(id, powerUser.token);
    assert.equal(second.status, 200);
    assert.deepEqual(second.body, first.body);
    assert.deepEqual(await rowOf(id), row);
    assert.equal((await auditOf(id)).length, 1);
  });

  it('answers 200 to an id with leading zeros', async () => {
    const id = await makeTask(ready);
    const { status, body } = await cancel(`000${id}`);
    assert.equal(status, 200);
    assert.equal(body.data.id, id);
  });

  it('answers 200 whatever the body and its Content-Type', async () => {
    const bodies: CallOptions[] = [
      { body: { status: 'FAILED' } },
      { body: '{', headers: { 'content-type': 'application/json' } },
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      { body: Uint8Array.of(0xff, 0x00) },
      { headers: { 'content-type': 'image/png' } },
      { body: 'x', headers: { 'content-type': 'banana' } },
      { body: '', headers: { 'content-type': '' } },
    ];
    for (const options of bodies) {
      const id = await makeTask(ready);
      assert.equal((await cancel(id, admin.token, options)).status, 200, JSON.stringify(options));
      assert.equal((await rowOf(id)).status, canceled, JSON.stringify(options));
    }
  });

  it('answers 200 and writes one audit record with the state before and after', async () => {
    const client = await makeClient(server.deps);
    const id = await makeJob(server.deps, client, running, { status_message: 'Going well' });
    const { headers } = await cancel(id);
    assert.deepEqual(await auditOf(id), [
      {
        action: 'CancelTask',
        outcome: 'success',
        actor_name: 'Ada Löwe',
        request_id: headers.get('x-request-id'),
        fields: {
          job_id: id,
          client: { id: client.id, name: client.name },
          before: { status: running, status_message: 'Going well' },
          after: { status: canceled, status_message: 'Canceled by Ada Löwe' },
        },
      },
    ]);
  });

  it('answers 200 to the roles that may manage jobs', async () => {
    for (const role of ['Administrator', 'Power User'] as const) {
      const user = await makeUser(server.deps, role);
      const { status, body } = await cancel(await makeTask(ready), user.token);
      assert.equal(status, 200, role);
      assert.equal(body.data.status_message, `Canceled by ${user.name}`);
    }
  });

  it('answers 400 to everything that is not a 64-bit integer in digits (gap 1.9)', async () => {
    const id = await makeTask(ready);
    const forms = {
      hexadecimal: '0x1',
      exponent: '1e3',
      fraction: '1.5',
      'fraction of zero': `${id}.0`,
      'plus sign': `%2B${id}`,
      'blank only': '%20',
      'blank before': `%20${id}`,
      'blank after': `${id}%20`,
      empty: '',
      word: 'abc',
      'two minus signs': '--1',
      separator: '1_000',
      'other digits': '%D9%A3',
      'above int64': '9223372036854775808',
      'below int64': '-9223372036854775809',
      endless: '9'.repeat(500),
    };
    for (const [name, text] of Object.entries(forms)) {
      const { status, body } = await cancel(text);
      assert.equal(status, 400, name);
      assert.equal(body.errors.length, 1, name);
      assert.equal(body.errors[0].context, 'task_id', name);
      assert.match(
        body.errors[0].message,
        /^task_id must be a whole number that fits 64 bits, but is "/,
        name,
      );
    }
    assert.equal((await rowOf(id)).status, ready);
  });

  it('answers 401 without a token, and changes nothing', async () => {
    const id = await makeTask(ready);
    const { status, headers } = await server.call('PUT', `/api/v2/tasks/${id}/cancel`);
    assert.equal(status, 401);
    assert.equal(headers.get('www-authenticate'), 'Bearer');
    assert.equal((await rowOf(id)).status, ready);
  });

  it('answers 403 without the permission collection.ManageJobs, whether the task exists or not', async () => {
    const id = await makeTask(ready);
    const denied: RoleName[] = ['User', 'Read-Only', 'Upload-Only', 'Auditor'];
    const callers = await Promise.all([
      ...denied.map((role) => makeUser(server.deps, role)),
      makeClient(server.deps),
    ]);
    for (const caller of callers) {
      for (const task of [id, 999_999, 'abc']) {
        const { status, body } = await cancel(task, caller.token);
        assert.equal(status, 403, `${caller.name} ${task}`);
        assert.equal(body.errors[0].message, 'this needs the permission collection.ManageJobs');
      }
    }
    assert.equal((await rowOf(id)).status, ready);
  });

  it('answers 404 for a task that does not exist', async () => {
    for (const id of ['999999', '0', '-1', '9223372036854775807', '-9223372036854775808']) {
      const { status, body } = await cancel(id);
      assert.equal(status, 404, id);
      assert.deepEqual(body.errors, [{ context: 'task_id', message: `task ${id} does not exist` }]);
    }
  });

  it('answers 409 when the task is in any other state, names it and changes nothing', async () => {
    const movable: readonly JobStatus[] = [ready, running, canceled];
    const others = Object.values(jobStatus).filter((state) => !movable.includes(state));
    assert.equal(others.length, 7);
    for (const state of others) {
      const id = await makeTask(state, { reported_status: complete });
      const row = await rowOf(id);
      const { status, body } = await cancel(id);
      const words = statusWords[state].toLowerCase();
      assert.equal(status, 409, words);
      assert.equal(body.errors[0].message, `task ${id} is ${words} and can't become canceled`);
      assert.deepEqual(await rowOf(id), row, words);
      assert.deepEqual(await auditOf(id), [], words);
    }
  });
});
