import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { caFile, readOnly, upload, uploadOf } from '../../../test/collectors/uploads.ts';
import { analyseNow } from '../../../test/graph/analysis.ts';
import { auditRows, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope, gate } from '../../../test/server/pipeline.ts';
import { findPublished, startAnalysis } from '../../graph/analysis/store.ts';
import { clearTask } from '../data-pipe/index.ts';
import { findJob, jobStatus } from '../jobs/index.ts';
import { settle } from '../reading/index.ts';
import { type Analyst, OwnAnalyst } from './analyst.ts';
import { analyseNext } from './loop.ts';
import type { RunOutcome } from './messages.ts';
import { perform } from './perform.ts';
import { findOpenRequest, readAnswers } from './requests.ts';
import { followSchedule } from './schedule.ts';
import { leaseMs, readState, takeRun } from './store.ts';

let server: TestServer;
let token: string;

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
});
after(() => server.stop());
beforeEach(async () => {
  await analyseNow(server.deps);
});

const ask = (asker = token) => server.call('PUT', '/api/v2/analysis', { token: asker });
const status = async () => (await server.call('GET', '/api/v2/datapipe/status', { token })).body.data;
const openRequest = async () => {
  const { db, graph } = server.deps;
  return findOpenRequest(db, await readAnswers(db, graph));
};
const requests = () =>
  server.deps.db.query<{ id: number; reason: string; origin: string }>(
    'select id, reason, origin from analysis_requests order by id',
  );

/** Does in the place of a run what the test says, and reports the outcome. */
function scripted(work: (onProgress: Parameters<Analyst['analyse']>[1]) => Promise<RunOutcome>): Analyst {
  return {
    open: async () => false,
    analyse: (_, onProgress) => work(onProgress),
    stop: () => {},
    close: async () => {},
  };
}

const broken = scripted(async () => ({ type: 'broken', reason: 'SIGSEGV' }));

describe('PUT /api/v2/analysis', () => {
  it('answers 202 without a body, records who asked, and the next run answers it', async () => {
    const user = await makeUser(server.deps, 'Power User');
    const before = (await status()).last_complete_analysis_at;
    const answer = await ask(user.token);
    assert.deepEqual([answer.status, answer.text], [202, '']);
    const [record] = await auditRows(server.deps);
    const request = (await requests()).at(-1);
    assert.deepEqual(
      [record?.action, record?.actor_name, record?.fields],
      ['RequestAnalysis', user.name, { request_id: request?.id }],
    );
    assert.equal(request?.reason, 'request');
    assert.equal(JSON.parse(request?.origin ?? '{}').actor.name, user.name);
    assert.deepEqual([(await status()).analysis_requested, (await status()).status], [true, 'idle']);
    server.advance(2000);
    assert.equal(await analyseNow(server.deps), 1);
    const after = await status();
    assert.equal(after.analysis_requested, false);
    assert.ok(after.last_complete_analysis_at > before);
    assert.ok(after.last_analysis_run_at <= after.last_complete_analysis_at);
  });

  it('answers 403 without the permission to change the graph', async () => {
    for (const role of ['User', 'Read-Only', 'Upload-Only', 'Auditor'] as const) {
      const user = await makeUser(server.deps, role);
      const [problem] = assertEnvelope(await ask(user.token), 403);
      assert.equal(problem?.message, 'this needs the permission graphdb.Write');
    }
    assert.equal((await ask((await makeClient(server.deps)).token)).status, 403);
    assert.equal(await openRequest(), undefined);
  });

  it('asked for several times is one run', async () => {
    for (let count = 0; count < 3; count += 1) assert.equal((await ask()).status, 202);
    assert.equal(await analyseNow(server.deps), 1);
  });

  it('asked for while one runs is exactly one more after it', async () => {
    await ask();
    const own = new OwnAnalyst(server.deps);
    const runs: number[] = [];
    const asking: Analyst = {
      open: () => own.open(),
      analyse: async (requestId, onProgress) => {
        runs.push(requestId);
        if (runs.length === 1) {
          await ask();
          await ask();
        }
        return own.analyse(requestId, onProgress);
      },
      stop: () => {},
      close: () => own.close(),
    };
    assert.equal(await analyseNext(server.deps, asking, 'a'), true);
    assert.equal((await status()).analysis_requested, true);
    assert.equal(await analyseNext(server.deps, asking, 'a'), true);
    assert.equal(await analyseNext(server.deps, asking, 'a'), false);
    await asking.close();
    assert.equal(runs.length, 2);
    assert.equal((await requests()).at(-1)?.id, runs[1]);
  });
});

describe('a run', () => {
  it('is one at a time, and every process can tell how far it is', async () => {
    await ask();
    const [begun, release] = [gate(), gate()];
    const slow = scripted(async (onProgress) => {
      onProgress({ stage: 'deriving', percent: 42 });
      begun.open();
      await release.opened;
      return { type: 'stopped' };
    });
    const first = analyseNext(server.deps, slow, 'a');
    await begun.opened;
    const other = scripted(async () => assert.fail('two at once'));
    assert.equal(await analyseNext(server.deps, other, 'b'), false);
    let seen = await status();
    for (let tries = 0; tries < 500 && seen.analysis_percent !== 42; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      seen = await status();
    }
    assert.deepEqual(
      [seen.status, seen.analysis_stage, seen.analysis_percent, seen.analysis_requested],
      ['analyzing', 'deriving', 42, true],
    );
    release.open();
    assert.equal(await first, false);
    seen = await status();
    assert.deepEqual(
      [seen.status, seen.analysis_stage, seen.analysis_percent, seen.analysis_requested],
      ['idle', null, null, true],
    );
    assert.equal(await analyseNow(server.deps), 1);
  });

  it('is one when two processes begin at once', async () => {
    let [running, most, runs] = [0, 0, 0];
    const analyst: Analyst = {
      open: async () => false,
      analyse: async (requestId, onProgress) => {
        runs += 1;
        running += 1;
        most = Math.max(most, running);
        const outcome = await perform(server.deps, requestId, { onProgress, isStopped: () => false });
        running -= 1;
        return outcome;
      },
      stop: () => {},
      close: async () => {},
    };
    for (let round = 1; round <= 4; round += 1) {
      await ask();
      const both = ['a', 'b'].map((name) => analyseNext(server.deps, analyst, name));
      assert.deepEqual((await Promise.all(both)).sort(), [false, true]);
      assert.equal(await analyseNext(server.deps, analyst, 'b'), false);
      assert.deepEqual([runs, most], [round, 1]);
    }
  });

  it('of a process that is not heard of is begun anew by another', async () => {
    await ask();
    const { db, clock } = server.deps;
    await db.transaction(async (db) => takeRun(db, 'gone', (await openRequest()) ?? 0, clock()));
    const left = await startAnalysis(server.deps.graph, (await openRequest()) ?? 0, clock());
    let runs = 0;
    const other = scripted(async () => {
      runs += 1;
      return { type: 'stopped' };
    });
    assert.equal(await analyseNext(server.deps, other, 'b'), false);
    assert.equal(runs, 0);
    server.advance(leaseMs + 1000);
    await analyseNext(server.deps, other, 'b');
    assert.equal(runs, 1);
    assert.equal(await analyseNow(server.deps), 1);
    assert.ok(((await findPublished(server.deps.graph))?.id ?? 0) > left);
  });

  it('that breaks off three times is given up: what waited for it has failed, the next request is tried', async () => {
    const id = await upload(server, token, [{ body: caFile([1]) }]);
    const collector = await makeClient(server.deps);
    const job = await makeJob(server.deps, collector, jobStatus.ingesting);
    await readOnly(server.deps);
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.analyzing);
    assert.equal((await findJob(server.deps.db, job))?.status, jobStatus.analyzing);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      assert.equal((await uploadOf(server, token, id)).status, jobStatus.analyzing);
      await assert.rejects(analyseNext(server.deps, broken, 'a'), /broke off: SIGSEGV/);
      await settle(server.deps);
    }
    const failed = await uploadOf(server, token, id);
    assert.deepEqual([failed.status, failed.status_message], [jobStatus.failed, 'Analysis failed']);
    assert.equal((await findJob(server.deps.db, job))?.status_message, 'Analysis failed');
    assert.equal(await analyseNext(server.deps, broken, 'a'), false);
    await ask();
    assert.equal(await analyseNow(server.deps), 1);
    assert.equal((await readState(server.deps.db)).failures, 0);
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.failed);
  });

  it('that was stopped counts for nothing', async () => {
    await ask();
    const stopped = scripted(async () => ({ type: 'stopped' }));
    for (let turn = 0; turn < 4; turn += 1) assert.equal(await analyseNext(server.deps, stopped, 'a'), false);
    assert.notEqual(await openRequest(), undefined);
    assert.equal(await analyseNow(server.deps), 1);
  });

  it('whose process ends between publication and the rest is not repeated, and what waited goes on', async () => {
    const id = await upload(server, token, [{ body: caFile([2]) }]);
    await readOnly(server.deps);
    const own = new OwnAnalyst(server.deps);
    const forgetful: Analyst = {
      open: () => own.open(),
      analyse: async (requestId, onProgress) => {
        assert.equal((await own.analyse(requestId, onProgress)).type, 'done');
        throw new Error('killed');
      },
      stop: () => {},
      close: () => own.close(),
    };
    await assert.rejects(analyseNext(server.deps, forgetful, 'a'), /killed/);
    await own.close();
    assert.equal((await readState(server.deps.db)).runner, 'a');
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.analyzing);
    assert.equal(await analyseNow(server.deps), 0);
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.complete);
    server.advance(leaseMs + 1000);
    assert.equal((await status()).status, 'idle');
  });
});

describe('the parameter analysis.scheduled', () => {
  const set = (enabled: boolean, rrule: string) =>
    server.call('PUT', '/api/v2/config', {
      token,
      body: { key: 'analysis.scheduled', value: { enabled, rrule } },
    });
  const hourly = 'DTSTART:20260101T000000Z\nRRULE:FREQ=HOURLY;INTERVAL=1';

  it('asks for a run when it is due, once however many occurrences were missed, and tells the next', async () => {
    token = (await makeUser(server.deps)).token;
    assert.equal((await set(true, hourly)).status, 200);
    const hour = 3_600_000;
    const next = () =>
      new Date(Math.floor(server.now() / hour) * hour + hour).toISOString().replace('.000', '');
    assert.equal((await status()).next_scheduled_analysis_at, next());
    await followSchedule(server.deps);
    assert.equal(await openRequest(), undefined);
    server.advance(3 * hour);
    await Promise.all([followSchedule(server.deps), followSchedule(server.deps)]);
    await followSchedule(server.deps);
    const asked = (await requests()).filter(({ reason }) => reason === 'schedule');
    assert.equal(asked.length, 1);
    assert.equal(JSON.parse(asked[0]?.origin ?? '{}').actor.name, 'scheduler');
    assert.equal((await status()).next_scheduled_analysis_at, next());
    assert.equal(await analyseNow(server.deps), 1);
    assert.equal((await set(false, hourly)).status, 200);
    await followSchedule(server.deps);
    server.advance(2 * hour);
    await followSchedule(server.deps);
    assert.equal(await openRequest(), undefined);
    assert.equal((await status()).next_scheduled_analysis_at, '0001-01-01T00:00:00Z');
  });
});

describe('a deletion of the graph', () => {
  it('takes the results with it, and asks for a run on behalf of who deleted', async () => {
    const user = await makeUser(server.deps);
    token = user.token;
    assert.notEqual(await findPublished(server.deps.graph), undefined);
    const body = { confirm: 'delete', deleteCollectedGraphData: true };
    assert.equal((await server.call('POST', '/api/v2/clear-database', { token, body })).status, 202);
    await clearTask.run(server.deps);
    assert.equal(await findPublished(server.deps.graph), undefined);
    const request = (await requests()).at(-1);
    assert.equal(request?.reason, 'clear');
    assert.equal(JSON.parse(request?.origin ?? '{}').actor.name, user.name);
    assert.equal(await analyseNow(server.deps), 1);
  });
});
