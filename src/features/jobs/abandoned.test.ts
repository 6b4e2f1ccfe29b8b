import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { finishAnalyzing, finishIngesting } from './ingested.ts';
import { jobStatus } from './states.ts';
import { findJob, lockJob } from './store.ts';
import { timeOutSilentJobs } from './time-outs.ts';

const { ready, running, complete, failed, ingesting, partiallyComplete, timedOut } = jobStatus;
const second = 1000;
const minute = 60 * second;

describe('a collector that asks for jobs while it seems to run one', () => {
  let server: TestServer;
  let serial = 0;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  const call = (method: string, path: string, { token }: MadeUser, body?: unknown) =>
    server.call(method, `/api/v2/${path}`, { token, body });
  const jobOf = async (id: number) => {
    const job = await findJob(server.deps.db, id);
    assert.ok(job);
    return job;
  };
  const statusOf = async (id: number) => (await jobOf(id)).status;

  async function started(): Promise<{ collector: MadeUser; job: number; next: number }> {
    const collector = await makeClient(server.deps);
    const [job, next] = [
      await makeJob(server.deps, collector, ready),
      await makeJob(server.deps, collector, ready),
    ];
    assert.equal((await call('POST', 'jobs/start', collector, { id: job })).status, 200);
    return { collector, job, next };
  }

  function send(collector: MadeUser) {
    serial += 1;
    return call('POST', 'ingest', collector, {
      meta: { type: 'azure', version: 0, count: 0 },
      data: [{ kind: 'AZTenant', data: { id: `abandoned-${serial}` } }],
    });
  }

  /** Asks every 30 seconds, as the slower of the collectors does. */
  async function ask(collector: MadeUser, forMs: number): Promise<number[]> {
    let ids: number[] = [];
    for (let left = forMs; left > 0; left -= 30 * second) {
      server.advance(30 * second);
      const { status, body } = await call('GET', 'jobs/available', collector);
      assert.equal(status, 200);
      ids = body.data.map(({ id }: { id: number }) => id);
    }
    return ids;
  }

  it('has given it up after two minutes: the job fails if nothing arrived, and the next one starts', async () => {
    const { collector, job, next } = await started();
    assert.deepEqual(await ask(collector, 2 * minute), [next]);
    assert.equal(await statusOf(job), running);
    assert.equal((await call('POST', 'jobs/start', collector, { id: next })).status, 409);
    assert.deepEqual(await ask(collector, 30 * second), [next]);
    const { status, status_message, end_time, abandoned_at } = await jobOf(job);
    assert.deepEqual(
      [status, status_message],
      [failed, 'Abandoned: its collector went on to ask for other jobs. Nothing arrived.'],
    );
    assert.ok(abandoned_at !== null && abandoned_at === end_time);
    assert.equal((await call('POST', 'jobs/start', collector, { id: next })).status, 200);
    const [record] = (await auditRows(server.deps)).filter(({ fields }) => fields.job_id === job);
    assert.deepEqual([record?.action, record?.actor_name], ['AbandonJob', collector.name]);
  });

  it('leaves what arrived, which is ingested and told as partial', async () => {
    const { collector, job } = await started();
    server.advance(5 * second);
    assert.equal((await send(collector)).status, 202);
    await ask(collector, 2.5 * minute);
    assert.equal(await statusOf(job), ingesting);
    const outcome = { complete: 1, failed: 0, reason: undefined };
    const now = server.now();
    await server.deps.db.transaction(async (db) => {
      const ended = await lockJob(db, job);
      assert.ok(ended);
      await finishIngesting(db, ended, outcome, async () => 1, now);
    });
    await server.deps.db.transaction(async (db) => {
      const analysed = await lockJob(db, job);
      assert.ok(analysed);
      await finishAnalyzing(db, analysed, outcome, true, now);
    });
    const { status, status_message } = await jobOf(job);
    assert.equal(status, partiallyComplete);
    assert.match(status_message, /^Abandoned: .*What arrived is kept; the rest is missing\.$/);
  });

  it('answers 409 to whatever still comes for it, and changes nothing', async () => {
    const { collector, job } = await started();
    await ask(collector, 2.5 * minute);
    const ended = await jobOf(job);
    for (const answer of [
      await call('GET', 'jobs/current', collector),
      await call('POST', 'jobs/end', collector, { status: 'COMPLETE' }),
      await call('POST', 'jobs/end', collector, { status: 'FAILED' }),
      await send(collector),
    ]) {
      assert.equal(answer.status, 409);
      assert.match(
        answer.body.errors[0].message,
        new RegExp(`^job ${job} has ended already: this collector asked`),
      );
    }
    assert.deepEqual(await jobOf(job), ended);
  });

  it('counts the start of another job as asking, too', async () => {
    const { collector, job, next } = await started();
    const statuses = [];
    for (let at = 0; at < 6; at += 1) {
      server.advance(25 * second);
      statuses.push((await call('POST', 'jobs/start', collector, { id: next })).status);
    }
    assert.deepEqual(statuses, [409, 409, 409, 409, 409, 200]);
    assert.deepEqual([await statusOf(job), await statusOf(next)], [failed, running]);
  });

  it('is two processes if the job is alive meanwhile: it goes on, even while it cannot be heard', async () => {
    const { collector, job, next } = await started();
    await ask(collector, 30 * second);
    assert.equal((await call('GET', 'jobs/current', collector)).status, 200);
    await ask(collector, 15 * minute);
    assert.equal(await statusOf(job), running);
    assert.equal((await call('POST', 'jobs/start', collector, { id: next })).status, 409);
    assert.equal((await call('POST', 'jobs/end', collector, { status: 'COMPLETE' })).status, 200);
    assert.equal(await statusOf(job), complete);
  });

  it('may have asked before its start: a heartbeat that comes after it settles that', async () => {
    const { collector, job } = await started();
    // Sent before the start, and delayed on its way.
    assert.equal((await call('GET', 'jobs/available', collector)).status, 200);
    for (let at = 0; at < 60; at += 1) {
      server.advance(5 * second);
      assert.equal((await call('GET', 'jobs/current', collector)).status, 200);
    }
    assert.equal(await statusOf(job), running);
  });

  it('begins anew to ask after a pause, so that an outage is no proof', async () => {
    const { collector, job } = await started();
    await ask(collector, minute);
    server.advance(10 * minute);
    await ask(collector, 2 * minute);
    assert.equal(await statusOf(job), running);
    assert.equal((await call('GET', 'jobs/current', collector)).status, 200);
    assert.equal(await statusOf(job), running);
  });

  it('is the same when the answer to a start was lost and the start is told again', async () => {
    const { collector, job } = await started();
    server.advance(30 * second);
    assert.equal((await call('POST', 'jobs/start', collector, { id: job })).status, 200);
    server.advance(19 * minute);
    await timeOutSilentJobs(server.deps);
    assert.equal(await statusOf(job), running);
  });

  it('does not keep it from timing out: a sign of life of the collector is none of the job', async () => {
    const { collector, job } = await started();
    server.advance(30 * second);
    await call('GET', 'jobs/available', collector);
    await call('GET', 'jobs/current', collector);
    await ask(collector, 19 * minute);
    await timeOutSilentJobs(server.deps);
    assert.equal(await statusOf(job), running);
    await ask(collector, minute);
    await timeOutSilentJobs(server.deps);
    assert.equal(await statusOf(job), timedOut);
  });

  it('says that a job brought nothing, where it is not one of the eight operations that tell it', async () => {
    const { collector, job } = await started();
    const message = 'Collection completed successfully';
    const end = await call('POST', 'jobs/end', collector, { status: 'COMPLETE', message });
    assert.equal(end.body.data.statusMessage, message);
    const person = await makeUser(server.deps);
    const { body } = await call('GET', `jobs/${job}`, person);
    assert.equal(body.data.status_message, `${message}. Nothing arrived.`);
    assert.match((await call('GET', `jobs/${job}/log`, person)).body.data.log, /ended: .*Nothing arrived\./);
  });

  it('stands out: jobs can be listed by when they were abandoned', async () => {
    const { collector, job } = await started();
    await ask(collector, 2.5 * minute);
    const before = new Date(server.now() - minute).toISOString();
    const administrator = await makeUser(server.deps);
    const { body } = await call('GET', `jobs?abandoned_at=gte:${before}`, administrator);
    assert.ok(body.data.some(({ id }: { id: number }) => id === job));
  });
});
