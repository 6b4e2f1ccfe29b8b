import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { callSigned, registerCollector } from '../../../test/collectors/collectors.ts';
import { auditRows, type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { passingTime } from '../../../test/server/passing-time.ts';
import { assertEnvelope, serveVariant } from '../../../test/server/pipeline.ts';
import { Changes } from '../../changes.ts';
import { jobStatus } from '../jobs/index.ts';

const pass = passingTime();

let server: TestServer;
let admin: MadeUser;

const url = '/api/v2/clients';
const daily = 'DTSTART:20260105T020000Z\nRRULE:FREQ=DAILY';
const call = (method: string, path: string, body?: unknown, token = admin.token) =>
  server.call(method, path, { token, body });
const never = '0001-01-01T00:00:00Z';

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());

describe('POST /api/v2/clients', () => {
  it('answers with the collector and the key of its token, which is never shown again', async () => {
    const body = { name: 'berlin', type: 'sharphound', domain_controller: 'dc01.corp.example' };
    const answer = await call('POST', url, body);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const { id, token, created_at, updated_at, ...rest } = answer.body.data;
    assert.deepEqual(rest, {
      deleted_at: { Time: never, Valid: false },
      name: 'berlin',
      type: 'sharphound',
      ip_address: '',
      hostname: '',
      configured_user: '',
      user_sid: null,
      version: '',
      domain_controller: 'dc01.corp.example',
      last_checkin: never,
      current_job_id: null,
      completed_job_count: 0,
      failed_in_a_row: 0,
      current_job: null,
      events: [],
    });
    assert.equal(created_at, updated_at);
    assert.equal(Buffer.from(token.key, 'base64').length, 40);
    assert.deepEqual(token.created_by, admin.id);
    assert.deepEqual(token.user_id, null);
    assert.equal(token.replay_protection, false);

    for (const path of [`${url}/${id}`, url, '/api/v2/audit', '/api/v2/tokens']) {
      const { status, text } = await call('GET', path);
      assert.equal(status, 200);
      assert.ok(!text.includes(token.key), path);
    }
    assert.equal((await call('GET', `${url}/${id}`)).body.data.token.id, token.id);
    const [record] = await auditRows(server.deps);
    assert.deepEqual(
      [record?.action, record?.actor_name, record?.fields],
      ['CreateClient', admin.name, { client: { id, ...body }, token: { id: token.id } }],
    );
  });

  it('makes its schedules too', async () => {
    const events = [{ rrule: daily, session_collection: true, domains: ['S-1-5-21-1'] }];
    const { body } = await call('POST', url, { name: 'scheduled', type: 'sharphound', events });
    const [event] = body.data.events;
    assert.deepEqual(
      [event.rrule, event.client_id, event.session_collection, event.domains],
      [daily, body.data.id, true, ['S-1-5-21-1']],
    );
    const [first, second] = await auditRows(server.deps);
    assert.deepEqual([second?.action, first?.action], ['CreateClient', 'CreateEvent']);
  });

  it('answers 400 for a schedule that is none, and registers nothing', async () => {
    const events = [
      { rrule: daily, session_collection: true },
      { rrule: 'FREQ=NEVER', session_collection: true },
    ];
    const answer = await call('POST', url, { name: 'half', type: 'sharphound', events });
    assert.equal(assertEnvelope(answer, 400)[0]?.context, 'events.1.rrule');
    assert.equal((await call('GET', `${url}?name=eq:half`)).body.count, 0);
    assert.equal((await call('GET', '/api/v2/events')).body.data.length, 1);
  });

  it('answers 400 for each member that is wrong', async () => {
    const problems = assertEnvelope(await call('POST', url, { name: '', type: 'bloodhound', color: 1 }), 400);
    assert.deepEqual(problems.map(({ context }) => context).sort(), ['color', 'name', 'type']);
    for (const name of ['', ' ', 'a\u202eb', 'x'.repeat(251)])
      assertEnvelope(await call('POST', url, { name, type: 'azurehound' }), 400);
  });

  it('answers 403 without clients.Manage', async () => {
    for (const role of ['User', 'Auditor', 'Upload-Only'] as const) {
      const { token } = await makeUser(server.deps, role);
      assertEnvelope(await call('POST', url, { name: 'mine', type: 'azurehound' }, token), 403);
    }
    const { token } = await makeUser(server.deps, 'Power User');
    assert.equal((await call('POST', url, { name: 'mine', type: 'openhound' }, token)).status, 200);
  });

  it('answers 409 for a name that is taken, also when two ask at once', async () => {
    const ask = () => call('POST', url, { name: 'twin', type: 'azurehound' });
    const answers = await Promise.all([ask(), ask(), ask()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    const [problem] = assertEnvelope(await ask(), 409);
    assert.deepEqual(problem, { context: 'name', message: 'there is a client called "twin" already' });
  });
});

describe('GET /api/v2/clients/:client_id', () => {
  it('answers with the job it runs under both names, its schedules and how many it finished', async () => {
    const events = [{ rrule: daily, session_collection: true, ous: ['OU-1'] }];
    const client = await registerCollector(server, admin.token, { type: 'sharphound', events });
    const running = await makeJob(server.deps, client, jobStatus.running, { domains: '["S-1-5-21-9"]' });
    for (const status of [jobStatus.ready, jobStatus.complete, jobStatus.failed, jobStatus.ingesting])
      await makeJob(server.deps, client, status);
    const { data } = (await call('GET', `${url}/${client.id.toUpperCase()}`)).body;
    assert.deepEqual(data.current_job_id, running);
    assert.deepEqual(data.current_task_id, data.current_job_id);
    assert.deepEqual(data.current_task, data.current_job);
    assert.deepEqual([data.current_job.id, data.current_job.status], [running, 1]);
    assert.deepEqual(data.current_job.domains, [
      { objectid: 'S-1-5-21-9', name: '', exists: false, type: 'Domain' },
    ]);
    assert.deepEqual([data.completed_job_count, data.completed_task_count], [3, 3]);
    assert.equal(data.events[0].ous[0].objectid, 'OU-1');
    assert.ok(!('created_at' in data));
  });

  it('answers 400, 403 and 404', async () => {
    assertEnvelope(await call('GET', `${url}/7`), 400);
    const reader = await makeUser(server.deps, 'Read-Only');
    assertEnvelope(await call('GET', `${url}/${randomUUID()}`, undefined, reader.token), 403);
    const id = randomUUID();
    const [problem] = assertEnvelope(await call('GET', `${url}/${id}`), 404);
    assert.deepEqual(problem, { context: 'client_id', message: `client ${id} does not exist` });
  });

  it('answers 403 to a collector', async () => {
    const collector = await makeClient(server.deps);
    assertEnvelope(await call('GET', `${url}/${collector.id}`, undefined, collector.token), 403);
  });
});

describe('PUT /api/v2/clients/:client_id', () => {
  it('renames it everywhere within a second, and records what changed', async () => {
    const client = await registerCollector(server, admin.token);
    const other = await serveVariant(server.deps, { changes: new Changes(server.deps.db) });
    const body = { name: `${client.name}-b`, domain_controller: 'dc02' };
    assert.equal((await callSigned(other, client.signing, 'PUT', `${url}/update`, {})).status, 200);
    const { data } = (await call('PUT', `${url}/${client.id}`, body)).body;
    assert.deepEqual(
      [data.name, data.domain_controller, data.token.id],
      [body.name, 'dc02', client.signing.id],
    );
    assert.ok(!('key' in data.token));
    const [record] = await auditRows(server.deps);
    assert.deepEqual(
      [record?.action, record?.fields],
      [
        'UpdateClient',
        {
          client: { id: client.id, name: client.name },
          changes: {
            name: { before: client.name, after: body.name },
            domain_controller: { before: null, after: 'dc02' },
          },
        },
      ],
    );
    pass(1000);
    await makeJob(server.deps, { ...client, name: body.name }, jobStatus.running);
    await callSigned(other, client.signing, 'POST', '/api/v2/jobs/end', { status: 'COMPLETE' });
    assert.equal((await auditRows(server.deps))[0]?.actor_name, body.name);
    await other.stop();
  });

  it('leaves the domain controller alone unless it is given, and takes it away with null', async () => {
    const client = await registerCollector(server, admin.token, { domain_controller: 'dc01' });
    const put = async (body: object) =>
      (await call('PUT', `${url}/${client.id}`, { name: client.name, ...body })).body.data.domain_controller;
    assert.deepEqual(await put({}), 'dc01');
    assert.deepEqual(await put({ domain_controller: null }), null);
  });

  it('answers 403, 404 and 409', async () => {
    const [one, two] = [
      await registerCollector(server, admin.token),
      await registerCollector(server, admin.token),
    ];
    const reader = await makeUser(server.deps, 'User');
    assertEnvelope(await call('PUT', `${url}/${one.id}`, { name: 'x' }, reader.token), 403);
    assertEnvelope(await call('PUT', `${url}/${randomUUID()}`, { name: 'x' }), 404);
    assertEnvelope(await call('PUT', `${url}/${one.id}`, { name: two.name }), 409);
    assert.equal((await call('GET', `${url}/${one.id}`)).body.data.name, one.name);
  });
});
