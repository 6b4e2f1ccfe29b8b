import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeClient, makeJob } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus, statusWords } from './states.ts';
import { findJob, type NewJob } from './store.ts';

const { ready, running, complete, canceled, timedOut, failed, ingesting, analyzing, partiallyComplete } =
  jobStatus;

describe('POST /api/v2/jobs/end as a collector', () => {
  let server: TestServer;

  const end = (collector: MadeUser, body?: unknown, headers: Record<string, string> = {}) =>
    server.call('POST', '/api/v2/jobs/end', { token: collector.token, body, headers });
  const rowOf = async (id: number) => ({ ...(await findJob(server.deps.db, id)) });
  const auditOf = async (id: number) =>
    (await auditRows(server.deps)).filter(({ fields }) => fields.job_id === id);
  /** A collector and its one job. */
  const make = async (status: NewJob['status'] = running, options: Partial<NewJob> = {}) => {
    const collector = await makeClient(server.deps);
    return { collector, id: await makeJob(server.deps, collector, status, options) };
  };

  before(async () => {
    server = await startTestServer();
  });

  after(() => server.stop());

  it('answers 200 and completes the running job', async () => {
    const { collector, id } = await make();
    const earlier = await rowOf(id);
    const sentAt = server.now();
    const { status, body } = await end(collector, { status: 'COMPLETE', message: 'All of it' });
    const answeredAt = server.now();
    assert.equal(status, 200);
    const endTime = Date.parse(body.data.end_time);
    assert.ok(endTime >= sentAt && endTime <= answeredAt, body.data.end_time);
    assert.deepEqual(await rowOf(id), {
      ...earlier,
      status: complete,
      status_message: 'All of it',
      reported_status: complete,
      end_time: endTime,
      updated_at: endTime,
    });
  });

  it('answers 200 to a status in any case or as a number', async () => {
    const spellings = [
      { given: ['COMPLETE', 'complete', 'Complete', 'cOmPlEtE', 2], becomes: complete },
      { given: ['FAILED', 'failed', 'Failed', 'fAILED', 5], becomes: failed },
    ];
    for (const { given, becomes } of spellings) {
      for (const status of given) {
        const { collector, id } = await make();
        const answer = await end(collector, { status });
        assert.equal(answer.status, 200, String(status));
        // Without a message the job speaks for itself.
        assert.equal(answer.body.data.statusMessage, statusWords[becomes]);
        const row = await rowOf(id);
        assert.equal(row.status, becomes, String(status));
        assert.equal(row.reported_status, becomes);
      }
    }
  });

  it('answers 200 without a body, whatever the Content-Type, and completes the job', async () => {
    const types = [undefined, 'application/json', 'text/plain', 'multipart/form-data', 'banana', ''];
    for (const type of types) {
      for (const body of [undefined, '']) {
        const { collector, id } = await make();
        const { status } = await end(collector, body, type === undefined ? {} : { 'content-type': type });
        assert.equal(status, 200, type);
        assert.equal((await rowOf(id)).status, complete, type);
      }
    }
  });

  it('answers 200 with exactly the members of a job', async () => {
    const { collector, id } = await make(running, {
      event_id: 3,
      event_title: 'Nightly',
      start_time: Date.UTC(2026, 0, 5, 8, 0, 5, 7),
      last_ingest: Date.UTC(2026, 0, 5, 8, 10),
      log_path: '/var/log/7.log',
      domain_controller: 'dc01.corp.example',
      all_trusted_domains: 1,
      ous: '["OU-1","OU-2"]',
      domains: '["S-1-5-21-1"]',
      created_at: Date.UTC(2026, 0, 4),
    });
    const { body } = await end(collector, { status: 'COMPLETE', message: 'Done' });
    assert.deepEqual(Object.keys(body), ['data']);
    assert.deepEqual(body.data, {
      id,
      created_at: '2026-01-04T00:00:00Z',
      updated_at: body.data.end_time,
      deleted_at: { time: '0001-01-01T00:00:00Z', valid: false },
      client_id: collector.id,
      client_name: collector.name,
      event_id: { int32: 3, valid: true },
      statusMessage: 'Done',
      start_time: '2026-01-05T08:00:05.007Z',
      end_time: body.data.end_time,
      log_path: { string: '/var/log/7.log', valid: true },
      session_collection: true,
      local_group_collection: false,
      ad_structure_collection: true,
      cert_services_collection: false,
      ca_registry_collection: false,
      dc_registry_collection: false,
      all_trusted_domains: true,
      domain_controller: { string: 'dc01.corp.example', valid: true },
      event_title: 'Nightly',
      last_ingest: '2026-01-05T08:10:00Z',
      ous: ['OU-1', 'OU-2'],
      domains: ['S-1-5-21-1'],
      domain_results: [],
    });
  });

  it('answers 200 with empty wrappers for what is not set', async () => {
    const { collector } = await make();
    const { data } = (await end(collector)).body;
    assert.deepEqual(data.event_id, { int32: 0, valid: false });
    assert.deepEqual(data.log_path, { string: '', valid: false });
    assert.deepEqual(data.domain_controller, { string: '', valid: false });
    assert.equal(data.last_ingest, '0001-01-01T00:00:00Z');
    assert.equal(data.event_title, '');
  });

  it('answers 200 and leaves a job that sent something to be ingested', async () => {
    const { collector, id } = await make(running, { last_ingest: server.now() });
    const { body } = await end(collector);
    assert.equal(body.data.statusMessage, 'Ingesting');
    const row = await rowOf(id);
    assert.equal(row.status, ingesting);
    assert.equal(row.reported_status, complete);
  });

  it('answers 200 and fails a job even if it sent something', async () => {
    const { collector, id } = await make(running, { last_ingest: server.now() });
    const { body } = await end(collector, { status: 'FAILED', message: 'no route to host' });
    assert.equal(body.data.statusMessage, 'no route to host');
    assert.equal((await rowOf(id)).status, failed);
  });

  it('answers 200 and ignores members that it does not know', async () => {
    const { collector, id } = await make();
    const body = { status: 'COMPLETE', end_time: 'today', id: 'x', log: null, nested: { status: 9 } };
    assert.equal((await end(collector, body)).status, 200);
    assert.equal((await rowOf(id)).status, complete);
  });

  it("answers 200 and ends the collector's own job, whatever job_id says", async () => {
    const mine = await make();
    const other = await make();
    const { body } = await end(mine.collector, { status: 'COMPLETE', job_id: other.id });
    assert.equal(body.data.id, mine.id);
    assert.equal((await rowOf(other.id)).status, running);
  });

  it('answers 200 to the same end again, which changes nothing', async () => {
    const { collector, id } = await make();
    const request = { status: 'FAILED', message: 'first', domain_results: { 'CORP.EXAMPLE': { users: 1 } } };
    const first = await end(collector, request);
    const row = await rowOf(id);
    server.advance(60_000);
    const second = await end(collector, { ...request, message: 'second' });
    assert.equal(second.status, 200);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.body.data.domain_results.length, 1);
    assert.deepEqual(await rowOf(id), row);
    assert.equal((await auditOf(id)).length, 1);
  });

  it('answers 200 to the same end again when ingest and analysis have moved the job on', async () => {
    for (const status of [ingesting, analyzing, complete, partiallyComplete, failed]) {
      const { collector, id } = await make(status, { reported_status: complete });
      const row = await rowOf(id);
      const answer = await end(collector, { status: 'COMPLETE' });
      assert.equal(answer.status, 200, statusWords[status]);
      assert.equal(answer.body.data.id, id);
      assert.deepEqual(await rowOf(id), row);
    }
  });

  it('answers 200 and writes one audit record with the state before and after', async () => {
    const { collector, id } = await make(running, { status_message: 'Going well' });
    const { headers } = await end(collector, { status: 5, message: 'no route to host' });
    assert.deepEqual(await auditOf(id), [
      {
        action: 'EndJob',
        outcome: 'success',
        actor_name: collector.name,
        request_id: headers.get('x-request-id'),
        fields: {
          job_id: id,
          client: { id: collector.id, name: collector.name },
          before: { status: running, status_message: 'Going well' },
          after: { status: failed, status_message: 'no route to host' },
        },
      },
    ]);
  });

  it('answers 200 to all of 10 ends at once, of which one changes something', async () => {
    const { collector, id } = await make();
    const request = { status: 'COMPLETE', domain_results: { 'CORP.EXAMPLE': { users: 1 } } };
    const answers = await Promise.all(Array.from({ length: 10 }, () => end(collector, request)));
    for (const { status, body } of answers) {
      assert.equal(status, 200);
      assert.deepEqual(body, answers[0]?.body);
    }
    assert.equal(answers[0]?.body.data.domain_results.length, 1);
    assert.equal((await auditOf(id)).length, 1);
  });

  it('answers 404 to another status than the one it ended with', async () => {
    const { collector, id } = await make();
    await end(collector, { status: 'COMPLETE' });
    const row = await rowOf(id);
    const { status, body } = await end(collector, { status: 'FAILED' });
    assert.equal(status, 404);
    assert.deepEqual(body.errors, [{ context: 'EndJob', message: 'this collector has no running job' }]);
    assert.deepEqual(await rowOf(id), row);
  });

  it('answers 404 when the collector never started a job', async () => {
    const nobody = await makeClient(server.deps);
    assert.equal((await end(nobody)).status, 404);
    for (const status of [ready, canceled]) {
      const { collector, id } = await make(status, { start_time: null });
      assert.equal((await end(collector)).status, 404, statusWords[status]);
      assert.equal((await rowOf(id)).status, status);
    }
  });

  it('answers 404 when only other collectors have a running job', async () => {
    const other = await make();
    assert.equal((await end(await makeClient(server.deps))).status, 404);
    assert.equal((await rowOf(other.id)).status, running);
  });

  it('answers 409 when its latest job was canceled or timed out', async () => {
    for (const status of [canceled, timedOut]) {
      const { collector, id } = await make(status);
      // An earlier job that ended well does not count.
      const earlier = { reported_status: complete, start_time: server.now() - 9_000_000 };
      await makeJob(server.deps, collector, complete, earlier);
      const row = await rowOf(id);
      const answer = await end(collector);
      const words = statusWords[status].toLowerCase();
      assert.equal(answer.status, 409, words);
      assert.equal(answer.body.errors[0].message, `job ${id} is ${words} already`);
      assert.deepEqual(await rowOf(id), row);
      assert.deepEqual(await auditOf(id), []);
    }
  });

  it('answers 200, not 409, when an earlier job than the latest was canceled', async () => {
    const { collector, id } = await make(complete, { reported_status: complete });
    await makeJob(server.deps, collector, canceled, { start_time: server.now() - 9_000_000 });
    const { status, body } = await end(collector);
    assert.equal(status, 200);
    assert.equal(body.data.id, id);
  });
});
