import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus } from './states.ts';
import { findJob } from './store.ts';

const { ready, running, complete, canceled } = jobStatus;

describe('PUT /api/v2/tasks/:task_id/cancel, at once with others', () => {
  let server: TestServer;
  let admin: MadeUser;

  const cancel = (id: number | string) =>
    server.call('PUT', `/api/v2/tasks/${id}/cancel`, { token: admin.token });
  const changesOf = async (id: number) =>
    (await auditRows(server.deps)).filter(({ fields }) => fields.job_id === id).map(({ action }) => action);

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
  });

  after(() => server.stop());

  it('answers 200 to all of 20 cancels, of which one changes something', async () => {
    const id = await makeJob(server.deps, await makeClient(server.deps), running);
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(id)));
    for (const { status, body } of answers) {
      assert.equal(status, 200);
      assert.deepEqual(body, answers[0]?.body);
    }
    assert.deepEqual(await changesOf(id), ['CancelTask']);
  });

  it('answers 200 to either the cancel or the end of a running job, and 409 to the other', async () => {
    const collector = await makeClient(server.deps);
    for (let round = 0; round < 12; round++) {
      const id = await makeJob(server.deps, collector, running);
      const calls = [
        () => cancel(id),
        () => server.call('POST', '/api/v2/jobs/end', { token: collector.token }),
      ];
      // Each of them is sent first in half of the rounds.
      const isSwapped = round % 2 === 1;
      const answers = await Promise.all((isSwapped ? calls.toReversed() : calls).map((send) => send()));
      const [canceling, ending] = isSwapped ? answers.toReversed() : answers;
      const isCanceled = canceling?.status === 200;
      assert.equal(canceling?.status, isCanceled ? 200 : 409);
      assert.equal(ending?.status, isCanceled ? 409 : 200);
      assert.equal((await findJob(server.deps.db, id))?.status, isCanceled ? canceled : complete);
      assert.deepEqual(await changesOf(id), [isCanceled ? 'CancelTask' : 'EndJob']);
    }
  });

  it('answers 404 to a neighbour of an id beyond 2^53 (gap 1.9)', async () => {
    const { db } = server.deps;
    const neighbours = { '9007199254740993': ['9007199254740992', '9007199254740994'] };
    // As a double, the second of these ids is the first one.
    const twins = { '9007199254740992': ['9007199254740993', '9007199254740991'] };
    for (const [stored, others] of Object.entries({ ...neighbours, ...twins })) {
      const id = await makeJob(server.deps, await makeClient(server.deps), ready);
      await db.transaction((db) => db.execute('update jobs set id = $2 where id = $1', [id, BigInt(stored)]));
      for (const other of others) {
        const { status, body } = await cancel(other);
        assert.equal(status, 404, `${other} beside ${stored}`);
        assert.equal(body.errors[0].message, `task ${other} does not exist`);
      }
      const row = await db.one<{ status: number }>('select status from jobs where id = $1', [BigInt(stored)]);
      assert.equal(row?.status, ready);
      // The next id must be an ordinary one again.
      await db.transaction((db) => db.execute('delete from jobs where id = $1', [BigInt(stored)]));
    }
  });
});

describe('PUT /api/v2/tasks/:task_id/cancel in the community edition', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ KENNEL_EDITION: 'community' });
  });

  after(() => server.stop());

  it('answers 401 without a token', async () => {
    assert.equal((await server.call('PUT', '/api/v2/tasks/1/cancel')).status, 401);
  });

  it('answers 404 to everybody else, and cancels nothing', async () => {
    const id = await makeJob(server.deps, await makeClient(server.deps), ready);
    for (const role of ['Administrator', 'Read-Only'] as const) {
      const { token } = await makeUser(server.deps, role);
      for (const task of [id, 'abc']) {
        const { status, body } = await server.call('PUT', `/api/v2/tasks/${task}/cancel`, { token });
        assert.equal(status, 404, role);
        assert.deepEqual(body.errors, [
          {
            context: 'CancelTask',
            message: 'this operation is available in the enterprise edition only',
          },
        ]);
      }
    }
    assert.equal((await findJob(server.deps.db, id))?.status, ready);
  });
});
