import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MadeUser, makeClient, makeUser } from '../../../test/server/builders.ts';
import { type Answer, startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { serveVariant } from '../../../test/server/pipeline.ts';
import type { Origin } from '../../caller.ts';
import { commandLine } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import { formatRfc3339 } from '../../values/time.ts';
import { recordAudit } from './record.ts';

const day = 86_400_000;
const origin = (actor: Origin['actor'], requestId: string, address = '192.0.2.1'): Origin => ({
  actor,
  requestId,
  address,
});
const requestIds = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
];

let server: TestServer;
let auditor: MadeUser;
let actor: MadeUser;
let collector: MadeUser;
let now: number;
let outsider: MadeUser;

before(async () => {
  server = await startTestServer();
  const { deps } = server;
  auditor = await makeUser(deps, 'Auditor');
  outsider = await makeUser(deps, 'User');
  actor = await makeUser(deps, 'Administrator', { emailAddress: 'zoe@example.com' });
  collector = await makeClient(deps);
  now = deps.clock();
  const user = { kind: 'user', id: actor.id, name: actor.name } as const;
  const client = { kind: 'client', id: collector.id, name: collector.name } as const;
  await deps.db.transaction(async (db) => {
    await db.execute('delete from audit_log');
    await recordAudit(db, origin(user, requestIds[0] ?? ''), now - 400 * day, {
      action: 'Ancient',
      fields: {},
    });
    await recordAudit(db, origin(user, requestIds[1] ?? ''), now - 2 * day, {
      action: 'UpdateThing',
      fields: { thing: 7, name: { before: 'a', after: 'b' } },
    });
    await recordAudit(db, origin(client, requestIds[2] ?? '', '192.0.2.2'), now - day, {
      action: 'EndJob',
      fields: {},
      outcome: 'failure',
    });
    await recordAudit(db, commandLine, now - day, { action: 'IssueToken', fields: {} });
  });
});
after(() => server.stop());

const get = (query = '', token: string | undefined = auditor.token) =>
  server.call('GET', `/api/v2/audit${query}`, { token });
const actionsOf = (answer: Pick<Answer, 'body'>): string[] =>
  answer.body.data.logs.map(({ action }: { action: string }) => action);
const actions = async (query: string) => {
  const answer = await get(query);
  assert.equal(answer.status, 200, answer.text);
  return actionsOf(answer);
};
const at = (ms: number) => encodeURIComponent(formatRfc3339(ms));

describe('GET /api/v2/audit', () => {
  it('answers 200 with the records of the last 365 days, newest first', async () => {
    const answer = await get();
    assert.equal(answer.status, 200);
    const { count, limit, skip, data } = answer.body;
    assert.deepEqual([count, limit, skip], [3, 1000, 0]);
    const [command, failed, updated] = data.logs;
    assert.deepEqual(updated, {
      id: updated.id,
      created_at: formatRfc3339(now - 2 * day),
      actor_id: actor.id,
      actor_name: actor.name,
      actor_email: 'zoe@example.com',
      action: 'UpdateThing',
      fields: { thing: 7, name: { before: 'a', after: 'b' } },
      request_id: requestIds[1],
      source_ip_address: '192.0.2.1',
      commit_id: requestIds[1],
      status: 'success',
    });
    assert.deepEqual(
      [failed.actor_id, failed.actor_email, failed.status, failed.commit_id],
      [collector.id, null, 'failure', requestIds[2]],
    );
    assert.deepEqual([command.actor_id, command.actor_name, command.request_id], ['', 'kennel', '']);
    assert.equal(Number.parseInt(command.commit_id.slice(-12), 16), command.id);
    assert.equal(answer.headers.get('etag'), null);
    assert.equal(answer.headers.get('vary')?.includes('accept'), true);
  });

  it('answers 200 in the community edition too', async () => {
    const settings = { ...server.deps.settings, edition: 'community' as const };
    const community = await serveVariant(server.deps, { settings });
    const answer = await community.call('GET', '/api/v2/audit', { token: auditor.token });
    assert.equal(answer.status, 200);
    await community.stop();
  });

  it('answers 200 with a period: from `after` on, up to but not including `before`', async () => {
    assert.deepEqual(await actions(`?after=${at(now - 500 * day)}`), [
      'IssueToken',
      'EndJob',
      'UpdateThing',
      'Ancient',
    ]);
    assert.deepEqual(await actions(`?before=${at(now - day)}`), ['UpdateThing']);
    assert.deepEqual(await actions(`?before=${at(now - 2 * day)}&after=${at(now - 400 * day)}`), ['Ancient']);
    // 365 days before the end, not before now.
    assert.deepEqual(await actions(`?before=${at(now - 399 * day)}`), ['Ancient']);
  });

  it('answers 200 with filters on every column', async () => {
    const { id } = (await get('?action=UpdateThing')).body.data.logs[0];
    for (const filter of [
      `id=${id}`,
      `created_at=eq:${at(now - 2 * day)}`,
      `actor_id=${actor.id}`,
      `actor_name=eq:${actor.name}`,
      'action=~eq:update',
      `request_id=${requestIds[1]}`,
      'source_ip_address=192.0.2.1',
      'status=success&actor_name=neq:kennel',
    ])
      assert.deepEqual(await actions(`?${filter}`), ['UpdateThing'], filter);
    assert.deepEqual(await actions('?status=failure'), ['EndJob']);
    assert.deepEqual(await actions('?action=Nothing'), []);
  });

  it('answers 200 with pages, by skip or offset, and other orders', async () => {
    for (const name of ['skip', 'offset']) {
      const answer = await get(`?limit=1&${name}=1`);
      const { count, limit, skip } = answer.body;
      assert.deepEqual([count, limit, skip, ...actionsOf(answer)], [3, 1, 1, 'EndJob']);
    }
    assert.deepEqual(await actions('?sort_by=action'), ['EndJob', 'IssueToken', 'UpdateThing']);
    assert.deepEqual(await actions('?sort_by=-status&sort_by=-action'), [
      'UpdateThing',
      'IssueToken',
      'EndJob',
    ]);
    assert.deepEqual(await actions('?limit=0'), []);
  });

  it('answers 200 though a record was tampered with', async () => {
    const { id, fields } = (await get('?action=UpdateThing')).body.data.logs[0];
    const write = (text: string) =>
      server.deps.db.transaction((db) =>
        db.execute('update audit_log set fields = $2 where id = $1', [id, text]),
      );
    for (const text of ['{broken', '[1]', 'null']) {
      await write(text);
      assert.deepEqual((await get(`?id=${id}`)).body.data.logs[0].fields, { unreadable: text });
    }
    await write(JSON.stringify(fields));
  });

  it('answers 400 and says what is wrong', async () => {
    for (const [query, context, message] of [
      ['?skip=1&offset=1', 'offset', /another name for skip/],
      ['?offset=-1', 'offset', /whole number from 0/],
      ['?before=yesterday', 'before', /RFC 3339/],
      [`?after=${at(now)}&before=${at(now)}`, 'after', /earlier than before/],
      ['?fields=x', 'fields', /cannot be filtered/],
      ['?sort_by=fields', 'sort_by', /cannot be sorted/],
      ['?id=x', 'id', /whole number/],
      ['?limit=10001', 'limit', /from 0 to 10000/],
    ] as const) {
      const answer = await get(query);
      assert.equal(answer.status, 400, query);
      assert.equal(answer.body.errors.length, 1, query);
      assert.equal(answer.body.errors[0].context, context);
      assert.match(answer.body.errors[0].message, message);
    }
  });

  it('answers 403 without audit_log.Read, to users and collectors', async () => {
    assert.equal((await get('', outsider.token)).status, 403);
    assert.equal((await get('', collector.token)).status, 403);
  });
});

describe('GET /api/v2/audit as application/x-ndjson', () => {
  const lines = async (query = '') => {
    const response = await fetch(`${server.url}/api/v2/audit${query}`, {
      headers: { authorization: `Bearer ${auditor.token}`, accept: 'application/x-ndjson' },
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  };

  before(() =>
    server.deps.db.transaction(async (db) => {
      const user = { kind: 'user', id: actor.id, name: actor.name } as const;
      // Many of one moment: pages must neither repeat nor lose any of them.
      for (let n = 0; n < 1300; n += 1)
        await recordAudit(db, origin(user, ''), now - (n < 900 ? 1000 : n), {
          action: 'Bulk',
          fields: { n },
        });
    }),
  );

  it('answers 200 with everything that matches, as in the list, each once', async () => {
    const exported = await lines('?action=Bulk');
    assert.equal(exported.length, 1300);
    assert.equal(new Set(exported.map(({ id }) => id)).size, 1300);
    const page = (await get('?action=Bulk&limit=10000')).body.data.logs;
    assert.deepEqual(exported, page);
    assert.equal((await lines()).length, 1303);
  });

  it('answers 200 with skip and limit only where they are given', async () => {
    const all = await lines('?action=Bulk');
    assert.deepEqual(await lines('?action=Bulk&skip=3&limit=600'), all.slice(3, 603));
    assert.deepEqual(await lines('?action=Bulk&offset=1295'), all.slice(1295));
    assert.deepEqual(await lines('?action=Bulk&limit=500'), all.slice(0, 500));
    assert.deepEqual(await lines('?limit=0'), []);
    assert.deepEqual(await lines('?action=Nothing'), []);
  });

  it('answers 200 to HEAD without reading more than the first page', async () => {
    const { db } = server.deps;
    let reads = 0;
    const counted: Db = {
      dialect: db.dialect,
      query: (...args) => {
        if (String(args[0]).includes('from audit_log a')) reads += 1;
        return db.query(...args);
      },
      one: (...args) => db.one(...args),
      snapshot: (read) => db.snapshot(read),
      slowly: (read) => {
        reads += 1;
        return db.slowly(read);
      },
      transaction: (write) => db.transaction(write),
      // The first page is read within the request's own time, the others are not.
      within: (deadline) => db.within(deadline),
      deadline: db.deadline,
      onCommit: (listener) => db.onCommit(listener),
      close: () => db.close(),
    };
    const variant = await serveVariant(server.deps, { db: counted });
    const ask = (method: string) =>
      fetch(`${variant.url}/api/v2/audit`, {
        method,
        headers: { authorization: `Bearer ${auditor.token}`, accept: 'application/x-ndjson' },
      });
    const head = await ask('HEAD');
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal(head.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
    assert.equal(head.headers.get('content-length'), null);
    await sleep(300);
    assert.equal(reads, 0);
    assert.equal((await (await ask('GET')).text()).split('\n').length, 1304);
    assert.equal(reads, 2);
    await variant.stop();
  });

  it('answers 400 to another order and 403 without the permission', async () => {
    const ask = (query: string, token: string) =>
      server.call('GET', `/api/v2/audit${query}`, { token, headers: { accept: 'application/x-ndjson' } });
    const refused = await ask('?sort_by=id', auditor.token);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.errors[0].context, 'sort_by');
    assert.equal((await ask('', outsider.token)).status, 403);
  });
});
