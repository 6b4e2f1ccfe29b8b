import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeps } from '../../src/bootstrap.ts';
import { readSettings } from '../../src/config.ts';
import type { Reader } from '../../src/db/client.ts';
import { openStores, type Stores } from '../../src/db/open.ts';
import { createLog } from '../../src/log.ts';
import { makeClient, makeJob, makeUser, sharedPassword } from '../server/builders.ts';
import { call, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, serveKennel } from '../server/processes.ts';

const kills = 5;
const jobCount = 400;
const users = ['ada', 'bob'];

/** What one writer sent, in order; `acknowledged` once the answer was 2xx. */
interface Sent<T> {
  readonly value: T;
  acknowledged: boolean;
}

/** Parameters with a value for every number, so that each write can be told from every other. */
const parameterValues = {
  'auth.session_ttl_hours': (n: number) => ({ hours: 1 + (n % 720) }),
  'auth.password_expiration_window': (n: number) => ({ duration: `PT${n + 1}H` }),
  'prune.ttl': (n: number) => ({ base_ttl: `PT${96 + (n % 600)}H`, has_session_edge_ttl: 'P3D' }),
};
type Key = keyof typeof parameterValues;

describe('a server that is killed while it writes', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let env: Record<string, string>;
  let token: string;
  let jobs: number[];
  let server: KennelProcess;

  const parameters = new Map<Key, Sent<object>[]>();
  const cancelled: Sent<number>[] = [];
  const sessions = new Map<string, Sent<string>[]>();

  before(async () => {
    temporary = await temporaryStore();
    env = { ...temporary.env, KENNEL_ADMIN_PASSWORD: sharedPassword };
    server = await serveKennel(env);
    await withStores(async (stores) => {
      const settings = readSettings(env);
      const deps = await createDeps(stores, settings, createLog(settings), () => '');
      for (const name of users) await makeUser(deps, 'User', { principalName: name });
      token = (await makeUser(deps)).token;
      const client = await makeClient(deps);
      jobs = [];
      for (let n = 0; n < jobCount; n += 1) jobs.push(await makeJob(deps, client));
    });
  });
  after(async () => {
    await server.end('SIGKILL');
    await temporary.remove();
  });

  async function withStores<T>(use: (stores: Stores) => Promise<T>): Promise<T> {
    const stores = openStores(readSettings(env));
    try {
      return await use(stores);
    } finally {
      await stores.close();
    }
  }

  /** Sends one request after the other until the server is gone. */
  async function writeUntilGone(send: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await send();
      } catch (error) {
        if (error instanceof TypeError) return; // fetch's word for a broken connection
        throw error;
      }
    }
  }

  async function put<T>(sent: Sent<T>[], value: T, path: string, body?: unknown): Promise<void> {
    const entry = { value, acknowledged: false };
    sent.push(entry);
    const answer = await call(server.url, 'PUT', path, { token, body });
    assert.equal(answer.status, 200, answer.text);
    entry.acknowledged = true;
  }

  function writers(): Promise<void>[] {
    const configWriters = Object.entries(parameterValues).map(([name, makeValue]) => {
      const key = name as Key;
      const sent = parameters.get(key) ?? [];
      parameters.set(key, sent);
      return writeUntilGone(() => {
        const value = makeValue(sent.length);
        return put(sent, value, '/api/v2/config', { key, value });
      });
    });
    const cancelWriters = [0, 1].map(() =>
      writeUntilGone(async () => {
        const job = jobs.shift();
        if (job === undefined) return sleep(10);
        return put(cancelled, job, `/api/v2/tasks/${job}/cancel`);
      }),
    );
    const signInWriters = users.map((username) => {
      const sent = sessions.get(username) ?? [];
      sessions.set(username, sent);
      return writeUntilGone(async () => {
        const body = { login_method: 'secret', username, secret: sharedPassword };
        const answer = await call(server.url, 'POST', '/api/v2/login', { body });
        assert.equal(answer.status, 200, answer.text);
        sent.push({ value: answer.body.data.session_token, acknowledged: true });
      });
    });
    return [...configWriters, ...cancelWriters, ...signInWriters];
  }

  async function auditFields<Fields>(db: Reader, action: string): Promise<Fields[]> {
    const rows = await db.query<{ fields: string }>(
      "select fields from audit_log where action = $1 and outcome = 'success' order by id",
      [action],
    );
    return rows.map((row) => JSON.parse(row.fields) as Fields);
  }

  it('comes up again each time', async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const working = Promise.all(writers());
      await sleep(300 + Math.random() * 900);
      const { signal } = await server.end('SIGKILL');
      assert.equal(signal, 'SIGKILL');
      await working;
      server = await serveKennel(env);
    }
    assert.equal((await call(server.url, 'GET', '/health/ready')).status, 200);
    const acknowledged = [...parameters.values(), cancelled, ...sessions.values()].map(
      (sent) => sent.filter((entry) => entry.acknowledged).length,
    );
    assert.ok(Math.min(...acknowledged) > 0, `acknowledged: ${acknowledged}`);
  });

  it('has every acknowledged parameter, each with its record, and nothing half-way', () =>
    withStores(async ({ db }) => {
      const records = await auditFields<{ key: string; before: object; after: object }>(
        db,
        'UpdateParameter',
      );
      for (const [key, sent] of parameters) {
        const own = records.filter((record) => record.key === key);
        // In the order sent, and without a gap but for the writes that were under way at a kill.
        let position = 0;
        for (const { value, acknowledged } of sent) {
          const isRecorded = JSON.stringify(own[position]?.after) === JSON.stringify(value);
          assert.ok(isRecorded || !acknowledged, `${key} = ${JSON.stringify(value)} was lost`);
          if (isRecorded) position += 1;
        }
        assert.equal(position, own.length);
        for (const [index, record] of own.entries()) {
          if (index > 0) assert.deepEqual(record.before, own[index - 1]?.after);
        }
        const row = await db.one<{ value: string }>('select value from parameters where key = $1', [key]);
        assert.deepEqual(JSON.parse(row?.value ?? ''), own.at(-1)?.after);
      }
    }));

  it('has every acknowledged cancellation, each with one record, and nothing half-way', () =>
    withStores(async ({ db }) => {
      const recorded = (await auditFields<{ job_id: number }>(db, 'CancelTask')).map(({ job_id }) => job_id);
      assert.equal(new Set(recorded).size, recorded.length);
      const rows = await db.query<{ id: number; status: number; end_time: number | null }>(
        'select id, status, end_time from jobs order by id',
      );
      const isCanceled = new Map(rows.map((row) => [row.id, row.status === 3 && row.end_time !== null]));
      assert.equal(isCanceled.size, jobCount);
      for (const { value, acknowledged } of cancelled)
        assert.ok(isCanceled.get(value) || !acknowledged, `the cancellation of ${value} was lost`);
      for (const [id, canceled] of isCanceled) assert.equal(canceled, recorded.includes(id), `job ${id}`);
    }));

  it('has every acknowledged session, each with its record, and nothing half-way', async () => {
    for (const [username, sent] of sessions) {
      for (const { value } of sent) {
        const { status } = await call(server.url, 'GET', '/api/v2/self', { token: value });
        assert.equal(status, 200);
      }
      await withStores(async ({ db }) => {
        const signIns = (await auditFields<{ username: string }>(db, 'SignIn')).filter(
          (record) => record.username === username,
        );
        const stored = await db.query(
          'select s.id from sessions s join users u on u.id = s.user_id where u.principal_name = $1',
          [username],
        );
        // One more than the sign-ins: the user was made with a session.
        assert.equal(stored.length, signIns.length + 1);
        assert.ok(signIns.length >= sent.length && signIns.length <= sent.length + kills);
      });
    }
  });

  it('has moved the change counter with every change', () =>
    withStores(async ({ db }) => {
      const changes = await auditFields(db, 'UpdateParameter');
      const counter = await db.one<{ value: number }>('select value from change_counter');
      assert.equal(counter?.value, changes.length + 1);
      if (db.dialect === 'sqlite') {
        assert.deepEqual(await db.query('pragma integrity_check'), [{ integrity_check: 'ok' }]);
      }
    }));
});
