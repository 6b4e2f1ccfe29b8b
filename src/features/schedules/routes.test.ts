import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  auditRows,
  type MadeUser,
  makeClient,
  makeEvent,
  makeJob,
  makeUser,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph } from '../../graph/store.ts';
import { insertClient } from '../clients/registry/index.ts';
import { findJob, jobStatus } from '../jobs/index.ts';
import { findEvent } from './store.ts';

const path = '/api/v2/events';
const daily = 'DTSTART;TZID=Europe/Berlin:20260105T023000\nRRULE:FREQ=DAILY';
const weekly = 'DTSTART:20260105T060000Z\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH';
const noFlags = {
  session_collection: false,
  local_group_collection: false,
  ad_structure_collection: false,
  cert_services_collection: false,
  ca_registry_collection: false,
  dc_registry_collection: false,
  all_trusted_domains: false,
};

let server: TestServer;
let admin: MadeUser;
let collector: MadeUser;

const call = (method: string, url: string, body?: unknown, token = admin.token) =>
  server.call(method, url, { token, body });
const eventCount = async () =>
  (await server.deps.db.one<{ n: number }>('select cast(count(*) as bigint) as n from events'))?.n;
const auditOf = async (action: string, id: number) =>
  (await auditRows(server.deps)).filter((row) => row.action === action && row.fields.event_id === id);

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps, 'Administrator', { principalName: 'ada' });
  collector = await makeClient(server.deps);
  const nodes = [
    {
      objectId: 'OU-1',
      kinds: ['Base', 'OU'],
      name: 'SERVERS@CORP.EXAMPLE',
      properties: { distinguishedname: 'OU=SERVERS,DC=CORP,DC=EXAMPLE' },
    },
    { objectId: 'S-1-5-21-1', kinds: ['Base', 'Domain'], name: 'CORP.EXAMPLE' },
  ];
  await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, [], server.now()));
});

beforeEach(() => server.deps.db.transaction((db) => db.execute('delete from events')));

after(() => server.stop());

describe('POST /api/v2/events', () => {
  it('answers 200 with the schedule, which begins after now', async () => {
    const body = {
      client_id: collector.id.toUpperCase(),
      rrule: daily,
      session_collection: true,
      cert_services_collection: true,
      ous: ['ou-1', 'OU-2', 'ou-1'],
    };
    const sentAt = server.now();
    const answer = await call('POST', path, body);
    assert.equal(answer.status, 200, answer.text);
    const { id, next_scheduled_at, ...rest } = answer.body.data;
    assert.deepEqual(rest, {
      client_id: collector.id,
      rrule: daily,
      ...noFlags,
      session_collection: true,
      cert_services_collection: true,
      ous: [
        {
          objectid: 'ou-1',
          name: 'SERVERS@CORP.EXAMPLE',
          exists: true,
          distinguishedname: 'OU=SERVERS,DC=CORP,DC=EXAMPLE',
          type: 'OU',
        },
        { objectid: 'OU-2', name: '', exists: false, distinguishedname: '', type: 'OU' },
      ],
      domains: [],
    });
    const next = Date.parse(next_scheduled_at);
    assert.ok(next > sentAt && next <= sentAt + 25 * 3_600_000, next_scheduled_at);
    assert.match(next_scheduled_at, /T0[01]:30:00Z$/);
    const [record, ...others] = await auditOf('CreateEvent', id);
    assert.deepEqual(others, []);
    assert.equal(record?.actor_name, 'ada');
    assert.deepEqual(record?.fields, {
      event_id: id,
      client: { id: collector.id, name: collector.name },
      after: {
        rrule: daily,
        ...noFlags,
        session_collection: true,
        cert_services_collection: true,
        ous: ['ou-1', 'OU-2'],
        domains: [],
      },
    });
  });

  it('answers 200 to one of a collector that needs no flags, and to null for no scope', async () => {
    const azure = await server.deps.db.transaction((db) =>
      insertClient(db, { name: `azure-${randomUUID()}`, type: 'azurehound' }, server.now()),
    );
    const { status, body } = await call('POST', path, {
      client_id: azure,
      rrule: weekly,
      ous: null,
      domains: null,
    });
    assert.equal(status, 200);
    assert.deepEqual([body.data.ous, body.data.domains], [[], []]);
  });

  it('answers 400 with every problem, and stores nothing', async () => {
    const cases: [body: object, contexts: string[]][] = [
      [{}, ['client_id', 'rrule']],
      [{ client_id: 'x', rrule: 5, session_collection: 1, colour: 'red' }, []],
      [{ client_id: collector.id, rrule: 'FREQ=DAILY' }, ['rrule', 'session_collection']],
      [{ client_id: collector.id, rrule: daily }, ['session_collection']],
      [{ client_id: collector.id, rrule: daily, session_collection: true, ous: [''] }, ['ous.0']],
      [
        { client_id: collector.id, rrule: daily, session_collection: true, ous: ['A'], domains: ['B'] },
        ['ous'],
      ],
      [
        {
          client_id: collector.id,
          rrule: daily,
          session_collection: true,
          domains: ['B'],
          all_trusted_domains: true,
        },
        ['ous'],
      ],
      // A bad body comes before a collector that does not exist.
      [{ client_id: randomUUID(), rrule: 'nonsense' }, ['rrule']],
    ];
    for (const [body, contexts] of cases) {
      const answer = await call('POST', path, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      const found = answer.body.errors.map(({ context }: { context: string }) => context);
      if (contexts.length > 0) assert.deepEqual(found, contexts, JSON.stringify(body));
      else assert.deepEqual(found.sort(), ['client_id', 'colour', 'rrule', 'session_collection']);
    }
    assert.equal(await eventCount(), 0);
  });

  it('answers 404 when there is no such collector', async () => {
    const unknown = randomUUID();
    const body = { client_id: unknown, rrule: daily, session_collection: true };
    const answer = await call('POST', path, body);
    assert.equal(answer.status, 404);
    assert.deepEqual(answer.body.errors, [
      { context: 'client_id', message: `client ${unknown} does not exist` },
    ]);
    assert.equal(await eventCount(), 0);
  });
});

describe('PUT /api/v2/events/:event_id', () => {
  it('answers 200 and replaces the settings; an unchanged rule keeps its next time', async () => {
    const made = await makeEvent(server.deps, collector, weekly, { ous: ['OU-1'] });
    // It is due, and not yet handled: a change of something else must not lose that.
    await server.deps.db.transaction((db) =>
      db.execute('update events set next_scheduled_at = 5000 where id = $1', [made.id]),
    );
    const body = {
      client_id: collector.id,
      rrule: weekly,
      local_group_collection: true,
      all_trusted_domains: true,
    };
    const { status, body: answer } = await call('PUT', `${path}/${made.id}`, body);
    assert.equal(status, 200);
    assert.deepEqual(answer.data, {
      id: made.id,
      client_id: collector.id,
      rrule: weekly,
      ...noFlags,
      local_group_collection: true,
      all_trusted_domains: true,
      next_scheduled_at: '1970-01-01T00:00:05Z',
      ous: [],
      domains: [],
    });
    const [record] = await auditOf('UpdateEvent', made.id);
    assert.deepEqual(record?.fields, {
      event_id: made.id,
      client: { id: collector.id, name: collector.name },
      changes: {
        session_collection: { before: true, after: false },
        local_group_collection: { before: false, after: true },
        all_trusted_domains: { before: false, after: true },
        ous: { before: ['OU-1'], after: [] },
      },
    });
  });

  it('answers 200 and counts a new rule from now, or from what had its job already', async () => {
    const { id } = await makeEvent(server.deps, collector, weekly);
    const next = async (rrule: string) => {
      const { status, body, text } = await call('PUT', `${path}/${id}`, { rrule, session_collection: true });
      assert.equal(status, 200, text);
      return Date.parse(body.data.next_scheduled_at);
    };
    const hour = 3_600_000;
    const hourly = 'DTSTART:20260101T000000Z\nRRULE:FREQ=HOURLY';
    const soon = await next(hourly);
    assert.ok(soon > server.now() && soon <= server.now() + hour);
    const handled = Math.floor(server.now() / hour) * hour + 3 * hour;
    await server.deps.db.transaction((db) =>
      db.execute('update events set handled_until = $2 where id = $1', [id, handled]),
    );
    assert.equal(await next(`${hourly};INTERVAL=1`), handled + hour);
  });

  it('answers 400 with every problem, and changes nothing', async () => {
    const { id } = await makeEvent(server.deps, collector, weekly);
    const earlier = await findEvent(server.deps.db, id);
    const other = await makeClient(server.deps);
    const cases: [body: object, contexts: string[]][] = [
      [{}, ['rrule']],
      [{ rrule: 'FREQ=NEVER' }, ['rrule', 'session_collection']],
      [{ client_id: other.id, rrule: weekly, session_collection: true }, ['client_id']],
    ];
    for (const [body, contexts] of cases) {
      const answer = await call('PUT', `${path}/${id}`, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.deepEqual(
        answer.body.errors.map(({ context }: { context: string }) => context),
        contexts,
      );
    }
    assert.deepEqual(await findEvent(server.deps.db, id), earlier);
    assert.deepEqual(await auditOf('UpdateEvent', id), []);
  });

  it('answers 404 when there is no such schedule', async () => {
    const body = { rrule: weekly, session_collection: true };
    assert.equal((await call('PUT', `${path}/999999`, body)).status, 404);
  });
});

describe('DELETE /api/v2/events/:event_id', () => {
  it('answers 200 without a body, and cancels the jobs that wait', async () => {
    const { id, title } = await makeEvent(server.deps, collector, weekly);
    const own = { event_id: id, event_title: title };
    const waiting = await makeJob(server.deps, collector, jobStatus.ready, own);
    const taken = await makeJob(server.deps, collector, jobStatus.running, own);
    const foreign = await makeJob(server.deps, collector, jobStatus.ready);
    const { status, text } = await call('DELETE', `${path}/${id}`);
    assert.deepEqual([status, text], [200, '']);
    assert.equal(await eventCount(), 0);
    const job = await findJob(server.deps.db, waiting);
    assert.equal(job?.status, jobStatus.canceled);
    assert.equal(job?.status_message, `Canceled because schedule ${id} was deleted`);
    assert.equal((await findJob(server.deps.db, taken))?.status, jobStatus.running);
    assert.equal((await findJob(server.deps.db, foreign))?.status, jobStatus.ready);
    const [record] = await auditOf('DeleteEvent', id);
    assert.equal(record?.fields.canceled_jobs, 1);
    assert.deepEqual(record?.fields.client, { id: collector.id, name: collector.name });
    assert.equal((await call('DELETE', `${path}/${id}`)).status, 404);
  });

  it('answers 400 to a query, and deletes nothing', async () => {
    const { id } = await makeEvent(server.deps, collector, weekly);
    assert.equal((await call('DELETE', `${path}/${id}?force=true`)).status, 400);
    assert.equal(await eventCount(), 1);
  });
});
