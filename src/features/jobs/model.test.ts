import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { auditRows, type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { type JobStatus, jobStatus } from './states.ts';
import { findJob } from './store.ts';
import { timeOutSilentJobs } from './time-outs.ts';

const { ready, running, complete, canceled, timedOut, failed, ingesting } = jobStatus;
const minute = 60_000;
const clients = 2;
const jobsPerClient = 3;

/** What the decisions say of a job, and nothing else (gaps 3.1 to 3.7). */
interface ModelJob {
  readonly client: number;
  status: JobStatus;
  reported: JobStatus | undefined;
  hasData: boolean;
  /** Its place among the started jobs of its collector. */
  startedAs: number | undefined;
  heardAt: number;
  records: string[];
}

type Ending = 'COMPLETE' | 'FAILED';
type Step =
  | { kind: 'start'; client: number; job: number }
  | { kind: 'heartbeat' | 'upload'; client: number }
  | { kind: 'end'; client: number; as: Ending }
  | { kind: 'end by user'; job: number; as: Ending }
  | { kind: 'cancel'; job: number }
  | { kind: 'wait' };

class Model {
  readonly jobs: ModelJob[] = [];
  #now = 0;
  #started = 0;

  constructor() {
    for (let client = 0; client < clients; client += 1)
      for (let job = 0; job < jobsPerClient; job += 1)
        this.jobs.push({
          client,
          status: ready,
          reported: undefined,
          hasData: false,
          startedAs: undefined,
          heardAt: 0,
          records: [],
        });
  }

  /** Does the step and tells the status of its answer. */
  take(step: Step): number {
    switch (step.kind) {
      case 'start':
        return this.#start(step.client, step.job);
      case 'heartbeat':
        return this.#heard(step.client);
      case 'upload': {
        const status = this.#heard(step.client);
        const job = this.#running(step.client);
        if (job !== undefined) job.hasData = true;
        return status === 200 ? 202 : status;
      }
      case 'end':
        return this.#end(step.client, step.as);
      case 'end by user':
        return this.#endByUser(this.#job(step.job), step.as);
      case 'cancel':
        return this.#cancel(this.#job(step.job));
      case 'wait':
        return this.#wait();
    }
  }

  #job(index: number): ModelJob {
    return this.jobs[index] as ModelJob;
  }

  #running(client: number): ModelJob | undefined {
    return this.jobs.find((job) => job.client === client && job.status === running);
  }

  #latest(client: number): ModelJob | undefined {
    return this.jobs
      .filter((job) => job.client === client && job.startedAs !== undefined)
      .sort((a, b) => (b.startedAs ?? 0) - (a.startedAs ?? 0))[0];
  }

  #without(client: number): number {
    const status = this.#latest(client)?.status;
    return status === canceled || status === timedOut ? 409 : 404;
  }

  #start(client: number, index: number): number {
    const job = this.#job(index);
    if (job.client !== client) return 404;
    if (job.status === running) {
      job.heardAt = this.#now;
      return 200;
    }
    if (job.status !== ready || this.#running(client) !== undefined) return 409;
    this.#started += 1;
    Object.assign(job, { status: running, startedAs: this.#started, heardAt: this.#now });
    job.records.push('StartJob');
    return 200;
  }

  #heard(client: number): number {
    const job = this.#running(client);
    if (job === undefined) return this.#without(client);
    job.heardAt = this.#now;
    return 200;
  }

  #finish(job: ModelJob, as: Ending): void {
    job.status = as === 'FAILED' ? failed : job.hasData ? ingesting : complete;
    job.reported = as === 'FAILED' ? failed : complete;
    job.records.push('EndJob');
  }

  #end(client: number, as: Ending): number {
    const job = this.#running(client);
    if (job !== undefined) {
      this.#finish(job, as);
      return 200;
    }
    const latest = this.#latest(client);
    const isSame = latest?.reported === (as === 'FAILED' ? failed : complete);
    return isSame ? 200 : this.#without(client);
  }

  #endByUser(job: ModelJob, as: Ending): number {
    if (job.status === running) {
      this.#finish(job, as);
      return 200;
    }
    return job.reported === (as === 'FAILED' ? failed : complete) ? 200 : 409;
  }

  #cancel(job: ModelJob): number {
    if (job.status === canceled) return 200;
    if (job.status !== ready && job.status !== running) return 409;
    job.status = canceled;
    job.records.push('CancelTask');
    return 200;
  }

  #wait(): number {
    this.#now += 7;
    for (const job of this.jobs) {
      if (job.status !== running || this.#now - job.heardAt < 20) continue;
      job.status = timedOut;
      job.records.push('TimeOutJob');
    }
    return 200;
  }
}

const client = fc.integer({ min: 0, max: clients - 1 });
const job = fc.integer({ min: 0, max: clients * jobsPerClient - 1 });
const ending = fc.constantFrom<Ending>('COMPLETE', 'FAILED');
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('start' as const), client, job }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('heartbeat' as const), client }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('upload' as const), client }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('end' as const), client, as: ending }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('end by user' as const), job, as: ending }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('cancel' as const), job }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('wait' as const) }), weight: 2 },
);

describe('random lives of jobs', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('agree with the decisions: answers, states and audit records', async () => {
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
        const model = new Model();
        // Anew for each life: their tokens last eight hours of a clock that runs ahead.
        const manager = await makeUser(server.deps);
        const collectors = [await makeClient(server.deps), await makeClient(server.deps)];
        const ids: number[] = [];
        for (const { client } of model.jobs)
          ids.push(await makeJob(server.deps, collectors[client] as MadeUser, ready));

        /** Sends what a step says; `wait` is the clock and the worker. */
        const send = async (step: Step): Promise<number> => {
          const collector = 'client' in step ? collectors[step.client] : manager;
          const call = async (method: string, path: string, body?: unknown) =>
            (await server.call(method, `/api/v2/${path}`, { token: collector?.token, body })).status;
          switch (step.kind) {
            case 'start':
              return call('POST', 'jobs/start', { id: ids[step.job] });
            case 'heartbeat':
              return call('GET', 'jobs/current');
            case 'upload':
              serial += 1;
              return call('POST', 'ingest', {
                meta: { type: 'azure', version: 0, count: 0 },
                data: [{ kind: 'AZTenant', data: { id: `tenant-${serial}` } }],
              });
            case 'end':
              return call('POST', 'jobs/end', { status: step.as });
            case 'end by user':
              return call('POST', 'jobs/end', { status: step.as, job_id: ids[step.job] });
            case 'cancel':
              return call('PUT', `jobs/${ids[step.job]}/cancel`);
            case 'wait':
              server.advance(7 * minute);
              await timeOutSilentJobs(server.deps);
              return 200;
          }
        };

        for (const [index, step] of steps.entries()) {
          const expected = model.take(step);
          assert.equal(await send(step), expected, `step ${index}: ${JSON.stringify(step)}`);
        }
        const records = await auditRows(server.deps);
        for (const [index, job] of model.jobs.entries()) {
          const row = await findJob(server.deps.db, ids[index] ?? 0);
          assert.equal(row?.status, job.status, `job ${index}`);
          assert.equal(row?.last_ingest !== null, job.hasData, `data of job ${index}`);
          assert.equal(
            row?.end_time !== null,
            ![ready, running].includes(job.status as 0 | 1),
            `end of ${index}`,
          );
          const written = records
            .filter(({ fields }) => fields.job_id === ids[index])
            .map(({ action }) => action)
            .reverse();
          assert.deepEqual(written, job.records, `records of job ${index}`);
        }
      }),
      { numRuns: 60 },
    );
  });
});
