import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus, statusWords } from './states.ts';
import { findJob, type NewJob } from './store.ts';

const { ready, running, complete, failed, ingesting, canceled, timedOut, invalid } = jobStatus;

describe('POST /api/v2/jobs/end as a user', () => {
  let server: TestServer;
  let user: MadeUser;

  const end = (body?: unknown, token = user.token) =>
    server.call('POST', '/api/v2/jobs/end', { token, body });
  const make = async (status: NewJob['status'] = running, options: Partial<NewJob> = {}) =>
    makeJob(server.deps, await makeClient(server.deps), status, options);
  const rowOf = async (id: number) => ({ ...(await findJob(server.deps.db, id)) });

  before(async () => {
    server = await startTestServer();
    user = await makeUser(server.deps, 'Power User');
  });

  // Each test counts the running jobs from none.
  afterEach(() =>
    server.deps.db.transaction((db) =>
      db.execute('update jobs set status = $1 where status = $2', [timedOut, running]),
    ),
  );

  after(() => server.stop());

  it('answers 200 and ends the job named by job_id', async () => {
    const [named, other] = [await make(), await make()];
    const { status, body } = await end({ status: 'FAILED', message: 'Stuck', job_id: named });
    assert.equal(status, 200);
    assert.equal(body.data.id, named);
    assert.equal(body.data.statusMessage, 'Stuck');
    assert.equal((await rowOf(named)).status, failed);
    assert.equal((await rowOf(other)).status, running);
  });

  it('answers 200 to every role that may manage jobs', async () => {
    for (const role of ['Administrator', 'Power User'] as const) {
      const { token } = await makeUser(server.deps, role);
      const id = await make();
      assert.equal((await end({ status: 'COMPLETE', job_id: id }, token)).status, 200, role);
      assert.equal((await rowOf(id)).status, complete, role);
    }
  });

  it('answers 200 and ends the one running job when none is named', async () => {
    await make(ready);
    await make(ingesting);
    for (const body of [undefined, { status: 'COMPLETE' }]) {
      const id = await make();
      const answer = await end(body);
      assert.equal(answer.status, 200);
      assert.equal(answer.body.data.id, id);
      assert.equal((await rowOf(id)).status, complete);
    }
  });

  it('answers 200 and leaves a job that sent something to be ingested', async () => {
    const id = await make(running, { last_ingest: server.now() });
    assert.equal((await end({ status: 2, job_id: id })).body.data.statusMessage, 'Ingesting');
    assert.equal((await rowOf(id)).status, ingesting);
  });

  it('answers 200 to a job that ended with the same status, and changes nothing', async () => {
    const id = await make();
    const first = await end({ status: 'FAILED', message: 'first', job_id: id });
    const row = await rowOf(id);
    server.advance(60_000);
    const second = await end({ status: 5, message: 'second', job_id: id });
    assert.equal(second.status, 200);
    assert.deepEqual(second.body, first.body);
    assert.deepEqual(await rowOf(id), row);
    // Also when ingest has moved it on since.
    const ingested = await make(invalid, { reported_status: complete });
    assert.equal((await end({ status: 'COMPLETE', job_id: ingested })).status, 200);
    assert.equal((await rowOf(ingested)).status, invalid);
  });

  it('answers 200 and writes one audit record in the name of the user', async () => {
    const id = await make();
    const { headers } = await end({ status: 'COMPLETE', job_id: id });
    await end({ status: 'COMPLETE', job_id: id });
    const records = (await auditRows(server.deps)).filter(({ fields }) => fields.job_id === id);
    assert.equal(records.length, 1);
    assert.equal(records[0]?.action, 'EndJob');
    assert.equal(records[0]?.actor_name, user.name);
    assert.equal(records[0]?.request_id, headers.get('x-request-id'));
    assert.deepEqual(records[0]?.fields.before, { status: running, status_message: 'Running' });
    assert.deepEqual(records[0]?.fields.after, { status: complete, status_message: 'Complete' });
  });

  it('answers 400 when no job is named and none is running', async () => {
    await make(ready);
    const { status, body } = await end({ status: 'COMPLETE' });
    assert.equal(status, 400);
    assert.deepEqual(body.errors, [
      { context: 'job_id', message: 'no job is running: name the job to end with job_id' },
    ]);
  });

  it('answers 400 when no job is named and several are running', async () => {
    const ids = [await make(), await make(), await make()];
    const { status, body } = await end();
    assert.equal(status, 400);
    assert.deepEqual(body.errors, [
      { context: 'job_id', message: 'several jobs are running: name the job to end with job_id' },
    ]);
    for (const id of ids) assert.equal((await rowOf(id)).status, running);
  });

  it('answers 400 to a job_id that is not a whole number of at least 0', async () => {
    const id = await make();
    for (const given of [String(id), id + 0.5, -1, null, true, [id], 2 ** 53, 1e300]) {
      const { status, body } = await end({ status: 'COMPLETE', job_id: given });
      assert.equal(status, 400, JSON.stringify(given));
      assert.equal(body.errors[0].context, 'job_id', JSON.stringify(given));
    }
    assert.equal((await rowOf(id)).status, running);
  });

  it('answers 404 to a job that does not exist', async () => {
    const id = await make();
    for (const unknown of [0, 999_999, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await end({ status: 'COMPLETE', job_id: unknown });
      assert.equal(status, 404, String(unknown));
      assert.deepEqual(body.errors, [{ context: 'job_id', message: `job ${unknown} does not exist` }]);
    }
    assert.equal((await rowOf(id)).status, running);
  });

  it('answers 409 to a job that ended with another status', async () => {
    const id = await make();
    await end({ status: 'COMPLETE', job_id: id });
    const row = await rowOf(id);
    const { status, body } = await end({ status: 'FAILED', job_id: id });
    assert.equal(status, 409);
    assert.equal(body.errors[0].message, `job ${id} is complete, not running`);
    assert.deepEqual(await rowOf(id), row);
  });

  it('answers 409 to a job that nobody ended: ready, canceled, timed out', async () => {
    for (const state of [ready, canceled, timedOut]) {
      const id = await make(state);
      const row = await rowOf(id);
      for (const status of ['COMPLETE', 'FAILED']) {
        const answer = await end({ status, job_id: id });
        const words = statusWords[state].toLowerCase();
        assert.equal(answer.status, 409, words);
        assert.equal(answer.body.errors[0].message, `job ${id} is ${words}, not running`);
      }
      assert.deepEqual(await rowOf(id), row);
    }
  });
});
