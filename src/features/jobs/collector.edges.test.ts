import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditRows, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, store, type TestServer } from '../../../test/server/harness.ts';
import { serveVariant, type Variant } from '../../../test/server/pipeline.ts';
import { jobStatus } from './states.ts';
import { findJob, listDomainResults } from './store.ts';
import { timeOutSilentJobs } from './time-outs.ts';

const { ready, running, complete, timedOut } = jobStatus;
const minute = 60_000;

describe('jobs and collectors at their edges', () => {
  let server: TestServer;
  /** A second server on the same store. */
  let other: Variant;
  before(async () => {
    server = await startTestServer();
    other = await serveVariant(server.deps, {});
  });
  after(async () => {
    await other.stop();
    await server.stop();
  });
  const post = (path: string, token: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.call('POST', `/api/v2/${path}`, { token, body, headers });
  const rowOf = (id: number) => findJob(server.deps.db, id);

  it('the same end many times at once is one end, and 200 to all', async () => {
    for (let round = 0; round < 5; round += 1) {
      const collector = await makeClient(server.deps);
      const id = await makeJob(server.deps, collector, running);
      const options = { token: collector.token, body: { status: 'COMPLETE' } };
      const answers = await Promise.all(
        [server, other, server, other].map((one) => one.call('POST', '/api/v2/jobs/end', options)),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      const records = (await auditRows(server.deps)).filter(({ fields }) => fields.job_id === id);
      assert.equal(records.length, 1);
    }
  });

  it('a 504 on a start or an end means that nothing changed', async () => {
    if (store !== 'postgres') return; // only there can somebody else hold a table
    const collector = await makeClient(server.deps);
    const id = await makeJob(server.deps, collector, running);
    await makeJob(server.deps, collector, ready);
    let answer: Promise<{ status: number }> | undefined;
    await server.deps.db.transaction(async (db) => {
      await db.execute('lock table job_domain_results in access exclusive mode');
      answer = post('jobs/end', collector.token, { status: 'COMPLETE' }, { prefer: 'wait=1' });
      await sleep(2500);
    });
    assert.equal((await answer)?.status, 504);
    assert.equal((await rowOf(id))?.status, running);
  });

  it('an outage of the server itself is nobody else’s silence', async () => {
    const collector = await makeClient(server.deps);
    const id = await makeJob(server.deps, collector, running, { start_time: server.now() - 40 * minute });
    assert.equal(await timeOutSilentJobs(server.deps, server.now() - minute), 0);
    assert.equal((await rowOf(id))?.status, running);
    await timeOutSilentJobs(server.deps, server.now() - 21 * minute);
    assert.equal((await rowOf(id))?.status, timedOut);
  });

  it('an end is heard of, and so is a start that is told twice', async () => {
    const collector = await makeClient(server.deps);
    const id = await makeJob(server.deps, collector, ready);
    const heardAt = async () =>
      (
        await server.deps.db.one<{ last_checkin: number }>('select last_checkin from clients where id = $1', [
          collector.id,
        ])
      )?.last_checkin ?? 0;
    await post('jobs/start', collector.token, { id });
    for (const [path, body] of [
      ['jobs/start', { id }],
      ['jobs/end', { status: 'COMPLETE' }],
    ] as const) {
      const earlier = await heardAt();
      server.advance(30_000);
      assert.equal((await post(path, collector.token, body)).status, 200);
      assert.ok((await heardAt()) >= earlier + 30_000, path);
    }
  });

  it('what a collector says too much, leaves empty or spells otherwise does not cost it the end', async () => {
    const collector = await makeClient(server.deps);
    const id = await makeJob(server.deps, collector, running);
    const body = {
      Status: 'COMPLETE',
      Message: 'x'.repeat(20_000),
      Domain_Results: [{ Domain_Name: 'CORP', Users: 5, Message: null }],
    };
    assert.equal((await post('jobs/end', collector.token, body)).status, 200);
    const row = await rowOf(id);
    assert.deepEqual([row?.status, row?.status_message.length], [complete, 10_000]);
    const [result] = await listDomainResults(server.deps.db, id);
    assert.deepEqual([result?.domain_name, result?.user_count], ['CORP', 5]);
    const silent = await makeJob(server.deps, collector, running);
    const empty = { status: 'COMPLETE', message: null, domain_results: null };
    assert.equal((await post('jobs/end', collector.token, empty)).status, 200);
    assert.equal((await rowOf(silent))?.status_message, 'Complete');
  });

  it('no text of a collector can forge a line of a log', async () => {
    const reader = await makeUser(server.deps, 'User');
    const collector = await makeClient(server.deps);
    const id = await makeJob(server.deps, collector, running);
    const forged = 'fine\n2026-01-01T00:00:00Z canceled by admin\u2028x\u001b[31m';
    await post('jobs/end', collector.token, { status: 'FAILED', message: forged });
    const { body } = await server.call('GET', `/api/v2/jobs/${id}/log`, { token: reader.token });
    const lines = body.data.log.trimEnd().split(/[\n\u2028]/);
    assert.ok(
      lines.every((line: string) => /^20\S+Z (created|started|arrived|ended|now) ?/.test(line)),
      body.data.log,
    );
    assert.ok(!body.data.log.includes('\u001b'));
  });

  it('/jobs/available filters and sorts like every list', async () => {
    const collector = await makeClient(server.deps);
    const jobs = [await makeJob(server.deps, collector, ready), await makeJob(server.deps, collector, ready)];
    const get = (query: string) =>
      server.call('GET', `/api/v2/jobs/available${query}`, { token: collector.token });
    const ids = (answer: { body: { data: { id: number }[] } }) => answer.body.data.map(({ id }) => id);
    assert.deepEqual(ids(await get('?sort_by=-id')), [...jobs].reverse());
    assert.deepEqual(ids(await get(`?id=eq:${jobs[0]}`)), [jobs[0]]);
    assert.deepEqual(ids(await get('?status=eq:5')), []);
    assert.equal((await get('?sort_by=bogus')).status, 400);
  });
});
