import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  type MadeUser,
  makeClient,
  makeEvent,
  makeUser,
  type RoleName,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph } from '../../graph/store.ts';
import { findEvent } from './store.ts';

const path = '/api/v2/events';
const daily = 'DTSTART;TZID=Europe/Berlin:20260105T023000\nRRULE:FREQ=DAILY';
const weekly = 'DTSTART:20260105T060000Z\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH';

let server: TestServer;
let admin: MadeUser;
let collector: MadeUser;

const call = (method: string, url: string, body?: unknown, token = admin.token) =>
  server.call(method, url, { token, body });

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

describe('GET /api/v2/events', () => {
  it('answers 200 with a page of schedules by id', async () => {
    const other = await makeClient(server.deps);
    const ids: number[] = [];
    for (const [client, rrule] of [
      [collector, daily],
      [other, weekly],
      [collector, weekly],
    ] as const)
      ids.push((await makeEvent(server.deps, client, rrule)).id);
    const all = await call('GET', path);
    assert.equal(all.status, 200);
    const { count, limit, skip, data } = all.body;
    assert.deepEqual([count, limit, skip], [3, 100, 0]);
    assert.deepEqual(
      data.map(({ id }: { id: number }) => id),
      ids,
    );
    const idsOf = async (query: string) => {
      const { status, body, text } = await call('GET', `${path}?${query}`);
      assert.equal(status, 200, text);
      return body.data.map(({ id }: { id: number }) => id);
    };
    assert.deepEqual(await idsOf('skip=1&limit=1'), [ids[1]]);
    assert.deepEqual(await idsOf(`client_id=eq:${collector.id}&sort_by=-id`), [ids[2], ids[0]]);
    assert.deepEqual(await idsOf('rrule=~eq:weekly'), [ids[1], ids[2]]);
    assert.deepEqual(await idsOf('session_collection=eq:false'), []);
    assert.deepEqual(await idsOf('next_scheduled_at=eq:null'), []);
    assert.equal((await call('GET', `${path}?title=eq:x`)).status, 400);
  });

  it('answers 200 with ids alone where that is asked for', async () => {
    await makeEvent(server.deps, collector, daily, { domains: ['S-1-5-21-1'] });
    await makeEvent(server.deps, collector, daily, { ous: ['OU-1'] });
    const read = async (query: string) =>
      (await call('GET', `${path}?${query}`)).body.data.map(
        (event: { ous: unknown[]; domains: unknown[] }) => [...event.ous, ...event.domains],
      );
    const ou = {
      objectid: 'OU-1',
      name: 'SERVERS@CORP.EXAMPLE',
      exists: true,
      distinguishedname: 'OU=SERVERS,DC=CORP,DC=EXAMPLE',
      type: 'OU',
    };
    const domain = { objectid: 'S-1-5-21-1', name: 'CORP.EXAMPLE', exists: true, type: 'Domain' };
    assert.deepEqual(await read(''), [[domain], [ou]]);
    assert.deepEqual(await read('hydrate_ous=false'), [[domain], ['OU-1']]);
    assert.deepEqual(await read('hydrate_domains=false'), [['S-1-5-21-1'], [ou]]);
    assert.deepEqual(await read('hydrate_ous=false&hydrate_domains=false'), [['S-1-5-21-1'], ['OU-1']]);
    assert.equal((await call('GET', `${path}?hydrate_ous=maybe`)).status, 400);
  });
});

describe('GET /api/v2/events/:event_id', () => {
  it('answers 200 with the schedule', async () => {
    const { id, next_scheduled_at } = await makeEvent(server.deps, collector, weekly, { ous: ['OU-1'] });
    const { status, body } = await call('GET', `${path}/${id}`);
    assert.equal(status, 200);
    assert.equal(body.data.id, id);
    assert.equal(body.data.rrule, weekly);
    assert.equal(Date.parse(body.data.next_scheduled_at), next_scheduled_at);
    assert.equal(body.data.ous[0].name, 'SERVERS@CORP.EXAMPLE');
    const plain = await call('GET', `${path}/${id}?hydrate_ous=false`);
    assert.deepEqual(plain.body.data.ous, ['OU-1']);
  });

  it('answers 400 to an id that is no number, and 404 to one of nothing', async () => {
    assert.equal((await call('GET', `${path}/x`)).status, 400);
    assert.equal((await call('GET', `${path}/99999999999`)).status, 400);
    const { status, body } = await call('GET', `${path}/999999`);
    assert.equal(status, 404);
    assert.deepEqual(body.errors, [{ context: 'event_id', message: 'schedule 999999 does not exist' }]);
  });
});

describe('GET /api/v2/events/:event_id/occurrences', () => {
  const occurrences = (id: number, query = '') => call('GET', `${path}/${id}/occurrences${query}`);

  it('answers 200 with the next ones in UTC, ten unless told otherwise', async () => {
    const until = `${new Date(server.now() + 40 * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}T000000Z`;
    const { id, next_scheduled_at } = await makeEvent(server.deps, collector, `${daily};UNTIL=${until}`);
    const { status, headers, body } = await occurrences(id);
    assert.equal(status, 200);
    assert.equal(headers.get('etag'), null);
    assert.equal(body.data.length, 10);
    assert.equal(Date.parse(body.data[0]), next_scheduled_at);
    for (const time of body.data) assert.match(time, /T0[01]:30:00Z$/);
    assert.equal((await occurrences(id, '?limit=1')).body.data.length, 1);
    const all = (await occurrences(id, '?limit=100')).body.data;
    assert.ok(all.length >= 38 && all.length <= 41, `${all.length}`);
  });

  it('answers 400 to a limit beyond 1 to 100, and 404 to an id of nothing', async () => {
    const { id } = await makeEvent(server.deps, collector, daily);
    for (const limit of ['0', '101', 'x'])
      assert.equal((await occurrences(id, `?limit=${limit}`)).status, 400, limit);
    assert.equal((await occurrences(999_999)).status, 404);
  });
});

describe('who may use schedules', () => {
  it('answers 403 without the permission, and nothing changes', async () => {
    const { id } = await makeEvent(server.deps, collector, weekly);
    const body = { client_id: collector.id, rrule: daily, session_collection: true };
    const readers: RoleName[] = ['User', 'Auditor', 'Power User'];
    const writers: RoleName[] = ['Power User'];
    for (const role of ['User', 'Auditor', 'Power User', 'Read-Only', 'Upload-Only'] as const) {
      const { token } = await makeUser(server.deps, role);
      const reads = readers.includes(role) ? 200 : 403;
      for (const url of [path, `${path}/${id}`, `${path}/${id}/occurrences`])
        assert.equal((await call('GET', url, undefined, token)).status, reads, `${role} ${url}`);
      if (writers.includes(role)) {
        assert.equal((await call('POST', path, body, token)).status, 200, role);
        continue;
      }
      assert.equal((await call('POST', path, body, token)).status, 403, role);
      assert.equal((await call('PUT', `${path}/${id}`, body, token)).status, 403, role);
      assert.equal((await call('DELETE', `${path}/${id}`, undefined, token)).status, 403, role);
    }
    assert.equal((await call('GET', path, undefined, collector.token)).status, 403);
    assert.equal((await findEvent(server.deps.db, id))?.rrule, weekly);
  });

  it('answers 404 in the community edition', async () => {
    const community = await startTestServer({ KENNEL_EDITION: 'community' });
    try {
      const { token } = await makeUser(community.deps);
      assert.equal((await community.call('GET', path, { token })).status, 404);
    } finally {
      await community.stop();
    }
  });
});
