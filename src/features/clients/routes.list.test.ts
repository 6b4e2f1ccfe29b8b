import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type MadeUser,
  makeEvent,
  makeJob,
  makeSigningToken,
  makeUser,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope, serveVariant } from '../../../test/server/pipeline.ts';
import type { Db, Reader } from '../../db/client.ts';
import { type JobStatus, jobStatus } from '../jobs/index.ts';
import { findClient, insertClient, type NewClient, updateClient } from './registry/index.ts';

let server: TestServer;
let reader: MadeUser;
const ids: Record<string, string> = {};
const url = '/api/v2/clients';
const daily = 'DTSTART:20260105T020000Z\nRRULE:FREQ=DAILY';
const list = async (query = '') => (await server.call('GET', url + query, { token: reader.token })).body;
const names = async (query: string) => (await list(query)).data.map(({ name }: { name: string }) => name);

const checkin = Date.UTC(2026, 0, 5, 8);
const rows: NewClient[] = [
  {
    name: 'ada',
    type: 'sharphound',
    ip_address: '192.0.2.1',
    hostname: 'srv-1',
    version: 'v2',
    last_checkin: checkin,
  },
  { name: 'bob', type: 'azurehound', configured_user: 'CORP\\svc', domain_controller: 'dc01' },
  { name: 'cyd', type: 'openhound', hostname: 'SRV-3' },
];

before(async () => {
  server = await startTestServer();
  reader = await makeUser(server.deps, 'Auditor');
  for (const row of rows) {
    const id = await server.deps.db.transaction((db) => insertClient(db, row, server.now()));
    ids[row.name] = id;
    const client = { id, name: row.name };
    await makeSigningToken(server.deps, { clientId: id });
    await makeEvent(server.deps, client, daily, { domains: [`S-1-5-21-${row.name}`] });
  }
  const [ada, bob] = ['ada', 'bob'].map((name) => ({ id: ids[name] ?? '', name }));
  assert.ok(ada !== undefined && bob !== undefined);
  await makeJob(server.deps, ada, jobStatus.running, { ous: '["OU-ada"]' });
  await makeJob(server.deps, bob, jobStatus.complete);
  await makeJob(server.deps, bob, jobStatus.canceled);
  await makeJob(server.deps, bob, jobStatus.ready);
  await server.deps.db.transaction(async (db) => {
    const row = await findClient(db, bob.id);
    assert.ok(row !== undefined);
    await updateClient(db, row, { user_sid: 'S-1-5-21-9-500' }, server.now());
  });
});
after(() => server.stop());

describe('GET /api/v2/clients', () => {
  it('answers with a page by name, and everything that belongs to each', async () => {
    const page = await list();
    assert.deepEqual([page.count, page.limit, page.skip], [3, 100, 0]);
    const [ada, bob, cyd] = page.data;
    assert.deepEqual([ada.name, bob.name, cyd.name], ['ada', 'bob', 'cyd']);
    assert.equal(ada.last_checkin, '2026-01-05T08:00:00Z');
    assert.equal(ada.current_job.ous[0].objectid, 'OU-ada');
    assert.deepEqual([bob.current_job, bob.current_job_id, bob.completed_job_count], [null, null, 2]);
    assert.equal(cyd.events[0].domains[0].objectid, 'S-1-5-21-cyd');
    for (const { id, events, token } of page.data)
      assert.deepEqual([events.length, events[0].client_id, 'key' in token], [1, id, false]);
  });

  it('tells scopes by object id alone if it is asked to', async () => {
    const { data } = await list('?hydrate_domains=false&hydrate_ous=false');
    assert.deepEqual(data[0].current_job.ous, ['OU-ada']);
    assert.deepEqual(data[2].events[0].domains, ['S-1-5-21-cyd']);
    const half = await list('?hydrate_domains=false');
    assert.equal(half.data[0].current_job.ous[0].objectid, 'OU-ada');
    assert.deepEqual(half.data[0].events[0].domains, ['S-1-5-21-ada']);
  });

  it('filters by each of its columns', async () => {
    const running = (await list('?name=eq:ada')).data[0].current_job_id;
    const found: [query: string, names: string[]][] = [
      ['name=~eq:B', ['bob']],
      ['ip_address=eq:192.0.2.1', ['ada']],
      ['hostname=~eq:srv', ['ada', 'cyd']],
      ['configured_user=eq:CORP%5Csvc', ['bob']],
      ['version=neq:v2', ['bob', 'cyd']],
      ['user_sid=eq:S-1-5-21-9-500', ['bob']],
      ['user_sid=eq:null', ['ada', 'cyd']],
      ['last_checkin=gte:2026-01-05T08:00:00Z', ['ada']],
      ['last_checkin=eq:null', ['bob', 'cyd']],
      [`current_job_id=eq:${running}`, ['ada']],
      ['current_job_id=eq:null', ['bob', 'cyd']],
      ['completed_job_count=gt:1', ['bob']],
      ['domain_controller=eq:dc01', ['bob']],
      ['type=eq:openhound', ['cyd']],
      [`id=eq:${ids.cyd?.toUpperCase()}`, ['cyd']],
      ['created_at=lt:2000-01-01T00:00:00Z', []],
      ['updated_at=gt:2000-01-01T00:00:00Z', ['ada', 'bob', 'cyd']],
      ['deleted_at=neq:null', []],
      ['type=neq:openhound&completed_job_count=eq:0', ['ada']],
    ];
    for (const [query, expected] of found) {
      assert.deepEqual(await names(`?${query}`), expected, query);
      assert.equal((await list(`?${query}`)).count, expected.length, query);
    }
  });

  it('sorts and pages', async () => {
    assert.deepEqual(await names('?sort_by=-completed_job_count&sort_by=-name'), ['bob', 'cyd', 'ada']);
    assert.deepEqual(await names('?sort_by=-current_job_id&limit=1'), ['ada']);
    const page = await list('?skip=1&limit=1');
    assert.deepEqual([page.count, page.skip, page.limit, page.data.length], [3, 1, 1, 1]);
    assert.deepEqual((await list('?limit=0')).data, []);
  });

  it('answers 400 for what is no boolean, and 403 without clients.Read', async () => {
    const { token } = reader;
    const [problem] = assertEnvelope(await server.call('GET', `${url}?hydrate_ous=1`, { token }), 400);
    assert.equal(problem?.message, 'hydrate_ous must be true or false, but is "1"');
    const powerless = await makeUser(server.deps, 'Read-Only');
    assertEnvelope(await server.call('GET', url, { token: powerless.token }), 403);
  });

  it('needs the same number of statements for one collector and for many', async () => {
    const counter = { statements: 0 };
    const { db, graph } = server.deps;
    const variant = await serveVariant(server.deps, {
      db: counted(db, counter),
      graph: counted(graph, counter),
    });
    const cost = async (query: string) => {
      await variant.call('GET', url + query, { token: reader.token });
      counter.statements = 0;
      const { body } = await variant.call('GET', url + query, { token: reader.token });
      return { rows: body.data.length, statements: counter.statements };
    };
    try {
      const [one, three] = [await cost('?name=eq:ada'), await cost('')];
      assert.deepEqual([one.rows, three.rows], [1, 3]);
      assert.ok(one.statements >= 5, String(one.statements));
      assert.equal(three.statements, one.statements);
    } finally {
      await variant.stop();
    }
  });
});

/** The same store, with its reads counted. */
function counted(db: Db, counter: { statements: number }): Db {
  const reads = (from: Reader): Reader => ({
    dialect: from.dialect,
    query: (sql, params) => {
      counter.statements += 1;
      return from.query(sql, params);
    },
    one: (sql, params) => {
      counter.statements += 1;
      return from.one(sql, params);
    },
  });
  return {
    ...reads(db),
    snapshot: (read) => db.snapshot((inner) => read(reads(inner))),
    slowly: (read) => db.slowly((inner) => read(reads(inner))),
    transaction: (write) => db.transaction(write),
    within: (deadline) => counted(db.within(deadline), counter),
    deadline: db.deadline,
    onCommit: (listener) => db.onCommit(listener),
    close: () => db.close(),
  };
}

describe('failed_in_a_row of a collector', () => {
  it('counts its jobs that ended badly since one that did not, and finds collectors in trouble', async () => {
    const id = await server.deps.db.transaction((db) =>
      insertClient(db, { name: 'dot', type: 'openhound' }, server.now()),
    );
    const dot = { id, name: 'dot' };
    const ended = (status: JobStatus, minutes: number) =>
      makeJob(server.deps, dot, status, { start_time: server.now() - minutes * 60_000 });
    const failures = async () => (await list('?name=eq:dot')).data[0].failed_in_a_row;
    await ended(jobStatus.failed, 50);
    await ended(jobStatus.complete, 40);
    assert.equal(await failures(), 0);
    await ended(jobStatus.timedOut, 30);
    await ended(jobStatus.canceled, 20);
    await ended(jobStatus.invalid, 10);
    assert.equal(await failures(), 2);
    assert.deepEqual(await names('?failed_in_a_row=gt:0'), ['dot']);
    await ended(jobStatus.partiallyComplete, 5);
    assert.equal(await failures(), 0);
    assert.deepEqual(await names('?failed_in_a_row=gt:0'), []);
  });
});
