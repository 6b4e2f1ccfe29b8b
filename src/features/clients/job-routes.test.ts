import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { callSigned, registerCollector } from '../../../test/collectors/collectors.ts';
import { auditRows, type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { document } from '../../../test/server/conformance.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { type JobStatus, jobStatus } from '../jobs/index.ts';

let server: TestServer;
let admin: MadeUser;
const families = ['jobs', 'tasks'] as const;
const call = (method: string, path: string, body?: unknown, token = admin.token) =>
  server.call(method, path, { token, body });

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());

describe('GET /api/v2/clients/:client_id/completed-jobs and completed-tasks', () => {
  it('answer with the finished jobs of that collector, paged, filtered and sorted', async () => {
    const client = await makeClient(server.deps);
    const ids = new Map<JobStatus, number>();
    for (const status of Object.values(jobStatus))
      ids.set(status, await makeJob(server.deps, client, status, { domains: '["S-1-5-21-7"]' }));
    await makeJob(server.deps, await makeClient(server.deps), jobStatus.complete);
    const statuses = async (path: string) => {
      const { body } = await call('GET', path);
      return { ...body, data: body.data.map(({ status }: { status: number }) => status) };
    };
    for (const family of families) {
      const url = `/api/v2/clients/${client.id}/completed-${family}`;
      assert.deepEqual(await statuses(`${url}?sort_by=status`), {
        count: 8,
        limit: 1000,
        skip: 0,
        data: [-1, 2, 3, 4, 5, 6, 7, 8],
      });
      const page = await statuses(`${url}?sort_by=-status&skip=1&limit=2`);
      assert.deepEqual([page.count, page.data], [8, [7, 6]]);
      assert.deepEqual((await statuses(`${url}?status=eq:1`)).data, []);
      assert.deepEqual((await statuses(`${url}?id=eq:${ids.get(jobStatus.failed)}`)).data, [5]);
      const flat = await call('GET', `${url}?hydrate_domains=false&limit=1`);
      assert.deepEqual(flat.body.data[0].domains, ['S-1-5-21-7']);
    }
  });

  it('answer 403 and 404', async () => {
    const reader = await makeUser(server.deps, 'Read-Only');
    const client = await makeClient(server.deps);
    for (const family of families) {
      const url = `/api/v2/clients/${client.id}/completed-${family}`;
      assertEnvelope(await call('GET', url, undefined, reader.token), 403);
      assertEnvelope(await call('GET', url.replace(client.id, randomUUID())), 404);
    }
  });
});

describe('POST /api/v2/clients/:client_id/jobs and tasks', () => {
  it('answer with a job that is due at once, and that its collector is offered', async () => {
    for (const family of families) {
      const client = await registerCollector(server, admin.token, {
        type: 'sharphound',
        domain_controller: 'dc01',
      });
      const wish = {
        session_collection: true,
        cert_services_collection: true,
        ous: ['OU-1', 'OU-1'],
        domains: null,
      };
      const { status, body } = await call('POST', `/api/v2/clients/${client.id}/${family}`, wish);
      assert.equal(status, 200);
      const { data } = body;
      assert.deepEqual([data.status, data.client_name, data.event_id], [0, client.name, null]);
      assert.deepEqual([data.session_collection, data.local_group_collection], [true, false]);
      assert.deepEqual(
        [
          data.ous.map(({ objectid }: { objectid: string }) => objectid),
          data.domains,
          data.domain_controller,
        ],
        [['OU-1'], [], 'dc01'],
      );
      assert.deepEqual((await call('GET', `/api/v2/jobs/${data.id}`)).body.data, data);
      const [record] = await auditRows(server.deps);
      assert.deepEqual([record?.action, record?.fields.job_id], ['CreateJob', data.id]);
      const offered = await callSigned(server, client.signing, 'GET', '/api/v2/jobs/available');
      assert.deepEqual(
        offered.body.data.map(({ id }: { id: number }) => id),
        [data.id],
      );
    }
  });

  it('take a domain controller for this one job, and {} from collectors without flags', async () => {
    for (const type of ['azurehound', 'openhound']) {
      const client = await registerCollector(server, admin.token, { type, domain_controller: 'dc01' });
      const url = `/api/v2/clients/${client.id}/jobs`;
      assert.equal((await call('POST', url, {})).body.data.domain_controller, 'dc01');
      const { data } = (await call('POST', url, { domain_controller: 'dc02' })).body;
      assert.equal(data.domain_controller, 'dc02');
    }
  });

  it('answer 400 without a flag for sharphound, for two scopes and for unknown members', async () => {
    const client = await registerCollector(server, admin.token, { type: 'sharphound' });
    const url = `/api/v2/clients/${client.id}/jobs`;
    for (const wish of [
      {},
      { all_trusted_domains: true },
      { session_collection: true, ous: ['a'], domains: ['b'] },
      { session_collection: true, session: true },
      { session_collection: 'yes' },
    ])
      assertEnvelope(await call('POST', url, wish), 400);
    assert.equal((await call('GET', `/api/v2/jobs?client_id=eq:${client.id}`)).body.data.length, 0);
  });

  it('answer 403 without collection.ManageJobs, to collectors too, and 404', async () => {
    const client = await makeClient(server.deps);
    const upload = await makeUser(server.deps, 'Upload-Only');
    const auditor = await makeUser(server.deps, 'Auditor');
    const wish = { session_collection: true };
    for (const family of families) {
      const url = `/api/v2/clients/${client.id}/${family}`;
      for (const { token } of [upload, auditor, client])
        assertEnvelope(await call('POST', url, wish, token), 403);
      assertEnvelope(await call('POST', url.replace(client.id, randomUUID()), wish), 404);
    }
  });
});

describe('the old names', () => {
  it('are deprecated in the API document', () => {
    const paths = document.paths as Record<string, Record<string, { deprecated?: boolean }>>;
    const of = (path: string, method: string) =>
      paths[`/api/v2/clients/{client_id}/${path}`]?.[method]?.deprecated;
    assert.deepEqual([of('tasks', 'post'), of('completed-tasks', 'get')], [true, true]);
    assert.deepEqual([of('jobs', 'post'), of('completed-jobs', 'get')], [undefined, undefined]);
  });
});
