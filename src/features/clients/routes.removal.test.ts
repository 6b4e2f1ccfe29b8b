import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { bearerOf, callSigned, registerCollector } from '../../../test/collectors/collectors.ts';
import { auditRows, type MadeUser, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { passingTime } from '../../../test/server/passing-time.ts';
import { assertEnvelope, serveVariant, type Variant } from '../../../test/server/pipeline.ts';
import { Changes } from '../../changes.ts';
import { jobStatus } from '../jobs/index.ts';

const pass = passingTime();

let server: TestServer;
/** Another process on the same store. */
let other: Variant;
let admin: MadeUser;

const url = '/api/v2/clients';
const daily = 'DTSTART:20260105T020000Z\nRRULE:FREQ=DAILY';
const call = (method: string, path: string, body?: unknown, token = admin.token) =>
  server.call(method, path, { token, body });

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());

// A new one for each test, because time does not stay passed.
beforeEach(async () => {
  other = await serveVariant(server.deps, { changes: new Changes(server.deps.db) });
});
afterEach(() => other.stop());

/** On both processes, once the second has had its second to notice. */
async function statusesOf(run: (at: Pick<TestServer, 'call'>) => Promise<{ status: number }>) {
  pass(1000);
  return [(await run(server)).status, (await run(other)).status];
}

describe('PUT /api/v2/clients/:client_id/token', () => {
  it('gives a new key, and refuses the old one and its sessions on every process', async () => {
    const client = await registerCollector(server, admin.token);
    const bearer = await bearerOf(server, client.signing);
    const asBearer = (at: Pick<TestServer, 'call'>) =>
      at.call('PUT', `${url}/update`, { token: bearer, body: {} });
    const signed = (at: Pick<TestServer, 'call'>, token = client.signing) =>
      callSigned(at, token, 'PUT', `${url}/update`, {});
    assert.deepEqual(await statusesOf(asBearer), [200, 200]);
    assert.deepEqual(await statusesOf(signed), [200, 200]);

    const answer = await call('PUT', `${url}/${client.id}/token`, 'anything');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const { id, key } = answer.body.data;
    assert.notEqual(id, client.signing.id);
    assert.deepEqual(await statusesOf(asBearer), [401, 401]);
    assert.deepEqual(await statusesOf(signed), [401, 401]);
    assert.deepEqual(await statusesOf((at) => signed(at, { id, key })), [200, 200]);
    const [record] = await auditRows(server.deps);
    assert.deepEqual(
      [record?.action, record?.fields],
      [
        'RotateClientToken',
        {
          client: { id: client.id, name: client.name },
          before: { token_id: client.signing.id },
          after: { token_id: id },
        },
      ],
    );
    assert.ok(!JSON.stringify(await auditRows(server.deps)).includes(key));
  });

  it('answers 403 and 404', async () => {
    const client = await registerCollector(server, admin.token);
    const reader = await makeUser(server.deps, 'User');
    assertEnvelope(await call('PUT', `${url}/${client.id}/token`, undefined, reader.token), 403);
    assertEnvelope(await call('PUT', `${url}/${randomUUID()}/token`), 404);
    assert.equal((await callSigned(server, client.signing, 'PUT', `${url}/update`, {})).status, 200);
  });
});

describe('DELETE /api/v2/clients/:client_id', () => {
  it('ends all it could do, on every process, and keeps its jobs', async () => {
    const events = [{ rrule: daily }];
    const client = await registerCollector(server, admin.token, { events });
    const bearer = await bearerOf(other, client.signing);
    const [ready, running, complete] = [
      await makeJob(server.deps, client, jobStatus.ready),
      await makeJob(server.deps, client, jobStatus.running),
      await makeJob(server.deps, client, jobStatus.complete),
    ];
    const asBearer = (at: Pick<TestServer, 'call'>) =>
      at.call('PUT', `${url}/update`, { token: bearer, body: {} });
    const signed = (at: Pick<TestServer, 'call'>) =>
      callSigned(at, client.signing, 'PUT', `${url}/update`, {});
    assert.deepEqual(await statusesOf(asBearer), [200, 200]);
    assert.deepEqual(await statusesOf(signed), [200, 200]);

    const answer = await call('DELETE', `${url}/${client.id}`);
    assert.deepEqual([answer.status, answer.text], [200, '']);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'DeleteClient');
    assert.deepEqual(record.fields.client, { id: client.id, name: client.name, type: 'azurehound' });
    assert.equal(record.fields.canceled_jobs, 2);
    assert.deepEqual(await statusesOf(asBearer), [401, 401]);
    assert.deepEqual(await statusesOf(signed), [401, 401]);
    const statusOf = async (id: number) => (await call('GET', `/api/v2/jobs/${id}`)).body.data.status;
    assert.deepEqual([await statusOf(ready), await statusOf(running), await statusOf(complete)], [3, 3, 2]);
    assert.equal((await call('GET', `/api/v2/events?client_id=eq:${client.id}`)).body.count, 0);
    assertEnvelope(await call('DELETE', `${url}/${client.id}`), 404);
    // The name is free again.
    await registerCollector(server, admin.token, { name: client.name });
  });

  it('answers 403 without clients.Manage, and deletes nothing', async () => {
    const client = await registerCollector(server, admin.token);
    const reader = await makeUser(server.deps, 'Auditor');
    assertEnvelope(await call('DELETE', `${url}/${client.id}`, undefined, reader.token), 403);
    assert.equal((await call('GET', `${url}/${client.id}`)).status, 200);
  });
});

describe('the operations on collectors', () => {
  it('answer 404 in the community edition', async () => {
    const community = await serveVariant(server.deps, {
      settings: { ...server.deps.settings, edition: 'community' },
    });
    try {
      const id = randomUUID();
      for (const [method, path] of [
        ['GET', url],
        ['POST', url],
        ['GET', `${url}/${id}`],
        ['DELETE', `${url}/${id}`],
        ['PUT', `${url}/update`],
        ['POST', '/api/v2/oauth/token'],
      ] as const) {
        const [problem] = assertEnvelope(await community.call(method, path, { token: admin.token }), 404);
        assert.equal(problem?.message, 'this operation is available in the enterprise edition only');
      }
    } finally {
      await community.stop();
    }
  });
});
