import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SigningToken, signedHeaders } from '../../../test/collectors/signing.ts';
import {
  auditRows,
  type MadeUser,
  makeClient,
  makeJob,
  makeSigningToken,
  makeUser,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus } from './states.ts';
import { findJob } from './store.ts';
import { timeOutSilentJobs } from './time-outs.ts';

const { ready, running, complete, canceled, timedOut } = jobStatus;
const minute = 60_000;

describe('what collectors ask for', () => {
  let server: TestServer;
  let administrator: MadeUser;
  const get = (path: string, token: string) => server.call('GET', `/api/v2/${path}`, { token });
  const post = (path: string, token: string, body?: unknown) =>
    server.call('POST', `/api/v2/${path}`, { token, body });
  const statusOf = async (id: number) => (await findJob(server.deps.db, id))?.status;
  const signed = (token: SigningToken, method: string, path: string, body?: string) => {
    const target = `/api/v2/${path}`;
    const date = new Date(server.now()).toISOString();
    return server.call(method, target, {
      asSigningCollector: true,
      body,
      headers: {
        ...signedHeaders(token, method, target, body, date),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    });
  };

  before(async () => {
    server = await startTestServer();
    administrator = await makeUser(server.deps);
  });
  after(() => server.stop());

  for (const family of ['jobs', 'tasks'] as const) {
    describe(`GET /api/v2/${family}/available`, () => {
      it('gives only the own jobs that are ready and due, oldest first', async () => {
        const collector = await makeClient(server.deps);
        const now = server.now();
        const later = await makeJob(server.deps, collector, ready, { execution_time: now - 1000 });
        const first = await makeJob(server.deps, collector, ready, { execution_time: now - 9000 });
        await makeJob(server.deps, collector, ready, { execution_time: now + 60 * minute });
        await makeJob(server.deps, collector, running);
        await makeJob(server.deps, collector, complete);
        await makeJob(server.deps, await makeClient(server.deps), ready);
        const { body } = await get(`${family}/available`, collector.token);
        assert.deepEqual(
          body.data.map(({ id, status }: { id: number; status: number }) => [id, status]),
          [
            [first, ready],
            [later, ready],
          ],
        );
      });

      it('tells the scope as objects, or as ids where that is asked for', async () => {
        const collector = await makeClient(server.deps);
        await makeJob(server.deps, collector, ready, { ous: '["OU-1"]', domains: '["S-1"]' });
        const [full] = (await get(`${family}/available`, collector.token)).body.data;
        assert.deepEqual([full.ous[0].objectid, full.domains[0].exists], ['OU-1', false]);
        const query = '?hydrate_ous=false&hydrate_domains=false';
        const [bare] = (await get(`${family}/available${query}`, collector.token)).body.data;
        assert.deepEqual([bare.ous, bare.domains], [['OU-1'], ['S-1']]);
      });

      it('answers 404 to people, 403 to who has no such permission', async () => {
        assert.equal((await get(`${family}/available`, administrator.token)).status, 404);
        const reader = await makeUser(server.deps, 'Read-Only');
        assert.equal((await get(`${family}/available`, reader.token)).status, 403);
      });
    });

    describe(`POST /api/v2/${family}/start`, () => {
      it('starts the job, and answers the same when asked again', async () => {
        const collector = await makeClient(server.deps);
        const id = await makeJob(server.deps, collector, ready);
        const answer = await post(`${family}/start`, collector.token, { id });
        assert.equal(answer.status, 200);
        assert.deepEqual([answer.body.data.status, answer.body.data.status_message], [running, 'Running']);
        assert.ok(Date.parse(answer.body.data.start_time) > 0);
        const again = await post(`${family}/start`, collector.token, { ID: id });
        assert.deepEqual(again.body.data, answer.body.data);
        const records = (await auditRows(server.deps)).filter(({ fields }) => fields.job_id === id);
        assert.deepEqual(
          records.map(({ action, actor_name }) => [action, actor_name]),
          [['StartJob', collector.name]],
        );
      });

      it("answers 404 to somebody else's job and to none, 409 to one that is not ready or not due", async () => {
        const collector = await makeClient(server.deps);
        const foreign = await makeJob(server.deps, await makeClient(server.deps), ready);
        assert.equal((await post(`${family}/start`, collector.token, { id: foreign })).status, 404);
        assert.equal((await post(`${family}/start`, collector.token, { id: 987654321 })).status, 404);
        const ended = await makeJob(server.deps, collector, complete);
        assert.equal((await post(`${family}/start`, collector.token, { id: ended })).status, 409);
        const early = await makeJob(server.deps, collector, ready, { execution_time: server.now() + minute });
        const refused = await post(`${family}/start`, collector.token, { id: early });
        assert.equal(refused.status, 409);
        assert.match(refused.body.errors[0].message, /is not due before 20/);
        assert.equal(await statusOf(foreign), ready);
      });

      it('answers 409 while another job runs, 400 to a bad body, 404 to people', async () => {
        const collector = await makeClient(server.deps);
        const first = await makeJob(server.deps, collector, running);
        const second = await makeJob(server.deps, collector, ready);
        const refused = await post(`${family}/start`, collector.token, { id: second });
        assert.equal(refused.status, 409);
        assert.match(refused.body.errors[0].message, new RegExp(`job ${first} is running already`));
        for (const body of [{}, { id: '7' }, { id: -1 }, { id: 1.5 }, { id: 1, ID: 2 }])
          assert.equal((await post(`${family}/start`, collector.token, body)).status, 400);
        assert.equal((await post(`${family}/start`, administrator.token, { id: second })).status, 404);
      });

      it('starts one job once, and one at a time, however many ask at once', async () => {
        const collector = await makeClient(server.deps);
        const jobs = [
          await makeJob(server.deps, collector, ready),
          await makeJob(server.deps, collector, ready),
        ];
        const asked = Array.from({ length: 12 }, (_, index) =>
          post(`${family}/start`, collector.token, { id: jobs[index % 2] }),
        );
        const statuses = (await Promise.all(asked)).map(({ status }) => status);
        const states = await Promise.all(jobs.map(statusOf));
        assert.deepEqual(states.sort(), [ready, running]);
        assert.deepEqual([...new Set(statuses)].sort(), [200, 409]);
      });
    });

    describe(`GET /api/v2/${family}/current`, () => {
      it('answers with the running job, 404 without one, 409 after a cancel or a time-out', async () => {
        const collector = await makeClient(server.deps);
        assert.equal((await get(`${family}/current`, collector.token)).status, 404);
        const id = await makeJob(server.deps, collector, running);
        const current = await get(`${family}/current`, collector.token);
        assert.deepEqual([current.body.data.id, current.body.data.status], [id, running]);
        await server.call('PUT', `/api/v2/tasks/${id}/cancel`, { token: administrator.token });
        assert.equal((await get(`${family}/current`, collector.token)).status, 409);
        assert.equal((await get(`${family}/current`, administrator.token)).status, 404);
      });
    });
  }

  describe('a collector that signs', () => {
    it('reads flat values everywhere', async () => {
      const collector = await makeClient(server.deps);
      const token = await makeSigningToken(server.deps, { clientId: collector.id });
      const id = await makeJob(server.deps, collector, ready, { domain_controller: null });
      const [available] = (await signed(token, 'GET', 'jobs/available')).body.data;
      assert.deepEqual(
        [available.id, available.event_id, available.domain_controller, available.status, available.log_path],
        [id, null, null, ready, null],
      );
      assert.deepEqual(available.deleted_at, { Time: '0001-01-01T00:00:00Z', Valid: false });
      const started = await signed(token, 'POST', 'jobs/start', `{"id":${id}}\n`);
      assert.deepEqual(
        [started.status, started.body.data.status, started.body.data.status_message],
        [200, running, 'Running'],
      );
      assert.equal((await signed(token, 'GET', 'tasks/current')).body.data.id, id);
      const ended = await signed(token, 'POST', 'jobs/end', '{"Status":"Complete","Message":"done"}\n');
      assert.deepEqual(
        [ended.body.data.status, ended.body.data.status_message, ended.body.data.statusMessage],
        [complete, 'done', undefined],
      );
      // A Bearer token gets the documented shape of the same job.
      const documented = await post('jobs/end', collector.token, { status: 'COMPLETE' });
      assert.deepEqual(
        [documented.body.data.statusMessage, documented.body.data.event_id],
        ['done', { int32: 0, valid: false }],
      );
    });

    it('that was canceled gets what is decided for it, and changes nothing', async () => {
      const collector = await makeClient(server.deps);
      const token = await makeSigningToken(server.deps, { clientId: collector.id });
      const id = await makeJob(server.deps, collector, running);
      await server.call('PUT', `/api/v2/jobs/${id}/cancel`, { token: administrator.token });
      const before = await findJob(server.deps.db, id);
      assert.equal(before?.status, canceled);
      assert.equal((await signed(token, 'GET', 'jobs/current')).status, 409);
      assert.equal((await signed(token, 'POST', 'jobs/end', '{"status":"COMPLETE"}')).status, 409);
      assert.equal((await signed(token, 'POST', 'jobs/end', '{"status":"FAILED"}')).status, 409);
      assert.deepEqual(await findJob(server.deps.db, id), before);
    });
  });

  describe('silence', () => {
    it('of 20 minutes times a running job out, unless it is heard of', async () => {
      const [quiet, alive, sending] = [
        await makeClient(server.deps),
        await makeClient(server.deps),
        await makeClient(server.deps),
      ];
      const make = (collector: MadeUser, last_ingest: number | null = null) =>
        makeJob(server.deps, collector, running, { start_time: server.now() - 30 * minute, last_ingest });
      const [gone, kept, fed] = [
        await make(quiet),
        await make(alive),
        await make(sending, server.now() - minute),
      ];
      await get('jobs/current', alive.token);
      assert.ok((await timeOutSilentJobs(server.deps)) >= 1);
      assert.deepEqual(
        [await statusOf(gone), await statusOf(kept), await statusOf(fed)],
        [timedOut, running, running],
      );
      const row = await findJob(server.deps.db, gone);
      assert.match(row?.status_message ?? '', /nothing was heard of it for 20 minutes/);
      assert.ok(row?.end_time !== null);
      const [record] = (await auditRows(server.deps)).filter(({ fields }) => fields.job_id === gone);
      assert.deepEqual([record?.action, record?.actor_name], ['TimeOutJob', 'kennel']);
      assert.equal((await get('jobs/current', quiet.token)).status, 409);
      assert.equal((await post('jobs/end', quiet.token)).status, 409);
      // The others go 20 minutes later, and each only once.
      server.advance(21 * minute);
      const counts = await Promise.all([1, 2, 3].map(() => timeOutSilentJobs(server.deps)));
      assert.equal(counts.reduce((sum, count) => sum + count, 0) >= 2, true);
      assert.deepEqual([await statusOf(kept), await statusOf(fed)], [timedOut, timedOut]);
      const records = (await auditRows(server.deps)).filter(({ action }) => action === 'TimeOutJob');
      assert.equal(new Set(records.map(({ fields }) => fields.job_id)).size, records.length);
    });
  });
});
