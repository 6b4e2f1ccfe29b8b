import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { type JobStatus, jobStatus } from './states.ts';

describe('jobs and tasks as people see them', () => {
  let server: TestServer;
  let reader: MadeUser;
  let manager: MadeUser;
  let collector: MadeUser;
  const ids = new Map<JobStatus, number>();
  const get = (path: string, user = reader) => server.call('GET', `/api/v2/${path}`, { token: user.token });

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'User');
    manager = await makeUser(server.deps, 'Power User');
    collector = await makeClient(server.deps);
    for (const status of Object.values(jobStatus))
      ids.set(status, await makeJob(server.deps, collector, status, { ous: '["OU-1"]' }));
  });
  after(() => server.stop());

  for (const family of ['jobs', 'tasks']) {
    it(`GET /api/v2/${family} lists all, newest first, with filters`, async () => {
      const { body } = await get(family);
      const listed: { id: number; status: number }[] = body.data;
      assert.equal(listed.length, ids.size);
      assert.deepEqual(
        listed.map(({ id }) => id),
        [...ids.values()].sort((a, b) => b - a),
      );
      const two = await get(`${family}?status=eq:2&client_id=eq:${collector.id}`);
      assert.deepEqual(
        two.body.data.map(({ id }: { id: number }) => id),
        [ids.get(jobStatus.complete)],
      );
      const none = await get(`${family}?start_time=gte:2999-01-01T00:00:00Z`);
      assert.deepEqual(none.body.data, []);
      assert.equal((await get(`${family}?colour=eq:red`)).status, 400);
    });

    it(`GET /api/v2/${family}/finished pages what is neither ready nor running`, async () => {
      const { body } = await get(`${family}/finished?limit=3&sort_by=id&hydrate_ous=false`);
      assert.deepEqual([body.count, body.limit, body.skip, body.data.length], [8, 3, 0, 3]);
      assert.deepEqual(body.data[0].ous, ['OU-1']);
      const rest = await get(`${family}/finished?limit=10&skip=3&sort_by=id`);
      assert.equal(rest.body.data.length, 5);
      assert.equal(rest.body.data[0].ous[0].objectid, 'OU-1');
      for (const { status } of [...body.data, ...rest.body.data]) assert.ok(status !== 0 && status !== 1);
    });

    it(`GET /api/v2/${family}/{id} answers with one, 404 without, 400 to what is no id`, async () => {
      const id = ids.get(jobStatus.running);
      const { body } = await get(`${family}/${id}`);
      assert.deepEqual([body.data.id, body.data.status, body.data.status_message], [id, 1, 'Running']);
      assert.equal((await get(`${family}/987654`)).status, 404);
      assert.equal((await get(`${family}/x`)).status, 400);
    });

    it(`GET /api/v2/${family}/{id}/log tells what happened`, async () => {
      const { body } = await get(`${family}/${ids.get(jobStatus.failed)}/log`);
      const lines = body.data.log.trimEnd().split('\n');
      assert.match(lines[0], /^20\S+Z created for collector /);
      assert.match(lines[1], / started$/);
      assert.match(lines.at(-1), / now failed$/);
      assert.equal((await get(`${family}/987654/log`)).status, 404);
    });
  }

  it('PUT /api/v2/jobs/{id}/cancel cancels as PUT /tasks/{id}/cancel does, and shows the state', async () => {
    const id = await makeJob(server.deps, collector, jobStatus.ready);
    const cancel = (user: MadeUser, job = id) =>
      server.call('PUT', `/api/v2/jobs/${job}/cancel`, { token: user.token });
    assert.equal((await cancel(reader)).status, 403);
    const { status, body } = await cancel(manager);
    assert.deepEqual(
      [status, body.data.status, body.data.status_message],
      [200, 3, `Canceled by ${manager.name}`],
    );
    assert.deepEqual((await cancel(manager)).body, body);
    const refused = await cancel(manager, ids.get(jobStatus.complete));
    assert.equal(refused.status, 409);
    assert.match(refused.body.errors[0].message, /^job \d+ is complete and can't become canceled$/);
    const missing = await cancel(manager, 987654);
    assert.deepEqual([missing.status, missing.body.errors[0].context], [404, 'job_id']);
  });

  it('tells that the older name is deprecated, and only that', async () => {
    assert.equal((await get('tasks')).headers.get('deprecation'), '@1794700800');
    assert.equal((await get('jobs')).headers.get('deprecation'), null);
  });

  it('answers 403 to who may not see collectors', async () => {
    const readOnly = await makeUser(server.deps, 'Read-Only');
    for (const path of ['jobs', 'jobs/finished', 'jobs/1', 'jobs/1/log', 'tasks'])
      assert.equal((await get(path, readOnly)).status, 403, path);
  });
});
