import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type MadeUser, makeClient, makeJob } from '../../../test/server/builders.ts';
import { startTestServer, store, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus } from './states.ts';
import { findRunningJobOf } from './store.ts';
import { timeOutSilentJobs } from './time-outs.ts';

/** Both collectors are as slow as the slower one here: it asks, or shows that its job is alive, this often. */
const tickMs = 30_000;
const timeOutMs = 20 * 60_000;
const jobsPerLife = 2;

type Step =
  | { kind: 'ticks' | 'outage'; count: number }
  | { kind: 'send' | 'end' | 'give up' | 'kill' | 'return'; process: number }
  /** One process can't reach the server, and works on. */
  | { kind: 'cut'; process: number; count: number }
  | { kind: 'lose the answer to the next start' };

interface Process {
  isAlive: boolean;
  job: number | undefined;
  /** How often it said so since it began. */
  beats: number;
  cutFor: number;
}

const process = fc.integer({ min: 0, max: 1 });
const count = fc.integer({ min: 1, max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('ticks' as const), count }), weight: 6 },
  {
    arbitrary: fc.record({ kind: fc.constant('outage' as const), count: fc.integer({ min: 1, max: 30 }) }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('send' as const, 'end', 'give up', 'kill', 'return'),
      process,
    }),
    weight: 5,
  },
  { arbitrary: fc.record({ kind: fc.constant('cut' as const), process, count }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('lose the answer to the next start' as const) }), weight: 1 },
);

/** One collector, of one or two processes, through kills, outages and lost answers on either side. */
class Life {
  readonly #server: TestServer;
  readonly #collector: MadeUser;
  readonly #jobs: readonly number[];
  readonly #processes: Process[];
  #losesStart = false;
  #servingSince = 0;
  #serial = 0;
  /** When the last process that worked on a job stopped to. */
  readonly #orphans = new Map<number, number>();

  constructor(server: TestServer, collector: MadeUser, jobs: readonly number[], processes: number) {
    this.#server = server;
    this.#collector = collector;
    this.#jobs = jobs;
    this.#processes = Array.from({ length: processes }, () => ({
      isAlive: true,
      job: undefined,
      beats: 0,
      cutFor: 0,
    }));
  }

  async take(step: Step): Promise<void> {
    const one = 'process' in step ? this.#processes[step.process] : undefined;
    switch (step.kind) {
      case 'ticks':
        for (let left = step.count; left > 0; left -= 1) await this.#tick();
        return;
      case 'outage':
        this.#server.advance(step.count * tickMs);
        this.#servingSince = this.#server.now();
        return;
      case 'lose the answer to the next start':
        this.#losesStart = true;
        return;
      case 'send':
        if (one?.job !== undefined && one.cutFor === 0) assert.equal(await this.#send(), 202);
        return;
      case 'end':
        if (one?.job === undefined || one.cutFor > 0) return;
        assert.equal((await this.#call('POST', 'jobs/end', { status: 'COMPLETE' })).status, 200);
        one.job = undefined;
        return;
      case 'give up':
        if (one !== undefined) this.#drop(one);
        return;
      case 'kill':
        if (one === undefined) return;
        this.#drop(one);
        one.isAlive = false;
        return;
      case 'return':
        if (one !== undefined) one.isAlive = true;
        return;
      case 'cut':
        // Before anybody could tell that there are two processes, a silent one is taken for gone.
        if (one?.job !== undefined && one.beats >= 2) one.cutFor = step.count;
    }
  }

  /** Half a minute passes, and every process does what it does then. */
  async #tick(): Promise<void> {
    this.#server.advance(tickMs);
    for (const one of this.#processes) {
      if (one.cutFor > 0) one.cutFor -= 1;
      else if (one.job !== undefined) {
        assert.equal((await this.#call('GET', 'jobs/current')).status, 200);
        one.beats += 1;
      } else if (one.isAlive) await this.#ask(one);
    }
    await timeOutSilentJobs(this.#server.deps, this.#servingSince);
    await this.#check();
  }

  async #ask(one: Process): Promise<void> {
    const [first] = (await this.#call('GET', 'jobs/available')).body.data as { id: number }[];
    if (first === undefined) return;
    const { status } = await this.#call('POST', 'jobs/start', { id: first.id });
    if (status !== 200) return;
    if (this.#losesStart) {
      this.#losesStart = false;
      this.#orphans.set(first.id, this.#server.now());
      return;
    }
    Object.assign(one, { job: first.id, beats: 0 });
  }

  #drop(one: Process): void {
    if (one.job !== undefined) this.#orphans.set(one.job, this.#server.now());
    Object.assign(one, { job: undefined, cutFor: 0 });
  }

  async #check(): Promise<void> {
    const now = this.#server.now();
    const running = await findRunningJobOf(this.#server.deps.db, this.#collector.id);
    for (const id of this.#jobs) {
      const isRunning = running?.id === id;
      if (this.#processes.some(({ job }) => job === id)) {
        assert.ok(isRunning, `job ${id} was ended while its collector worked on it`);
        continue;
      }
      const since = Math.max(this.#orphans.get(id) ?? now, this.#servingSince);
      assert.ok(!isRunning || now - since < timeOutMs + tickMs, `job ${id} is stuck`);
    }
  }

  #call(method: string, path: string, body?: unknown) {
    return this.#server.call(method, `/api/v2/${path}`, { token: this.#collector.token, body });
  }

  async #send(): Promise<number> {
    this.#serial += 1;
    const id = `${this.#collector.id} ${this.#serial}`;
    const data = [{ kind: 'AZTenant', data: { id } }];
    return (await this.#call('POST', 'ingest', { meta: { type: 'azure', version: 0, count: 0 }, data }))
      .status;
  }
}

describe('random lives of collectors', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('leave no job stuck, and none is ended that is worked on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2 }),
        fc.array(step, { minLength: 3, maxLength: 8, size: 'max' }),
        async (processes, steps) => {
          const collector = await makeClient(server.deps);
          const jobs: number[] = [];
          for (let made = 0; made < jobsPerLife; made += 1)
            jobs.push(await makeJob(server.deps, collector, jobStatus.ready));
          const life = new Life(server, collector, jobs, processes);
          for (const step of steps) await life.take(step);
        },
      ),
      // The rules are the same on both stores, and so is their SQL.
      { numRuns: store === 'sqlite' ? 500 : 60 },
    );
  });
});
