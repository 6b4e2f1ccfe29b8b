import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, store, type TestServer } from '../../../test/server/harness.ts';

const records = 200_000;
let server: TestServer;
let auditor: MadeUser;

before(async () => {
  server = await startTestServer();
  auditor = await makeUser(server.deps, 'Auditor');
  const now = server.now();
  await server.deps.db.transaction((db) =>
    db.execute(
      `insert into audit_log (created_at, actor_kind, actor_id, actor_name, action, outcome, fields, request_id, source_address)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < ${records})
       select ${now} - i, 'user', '', 'zoë', 'Test', 'success', '{}', '', '192.0.2.' || (i % 97) from n`,
    ),
  );
});
after(() => server.stop());

const get = (path: string) => server.call('GET', path, { token: auditor.token });

/** How many times the server said that it is alive before the list was answered. */
async function aliveDuring(path: string): Promise<number> {
  let answered = false;
  const list = get(path).finally(() => {
    answered = true;
  });
  let alive = 0;
  for (let probe = 0; probe < 10_000 && !answered; probe += 1) {
    const { status } = await get('/health/live');
    assert.equal(status, 200);
    if (!answered) alive += 1;
  }
  assert.equal((await list).status, 200);
  return alive;
}

describe('GET /api/v2/audit on a large log', () => {
  it('lets the server answer others before it is answered itself', async () => {
    // The connections and the thread are there, so that only the list itself is under way.
    await Promise.all([get('/api/v2/audit?limit=1'), get('/health/live')]);
    for (const query of [
      `sort_by=source_ip_address&sort_by=action&skip=${records - 100}&limit=1`,
      'action=~eq:zzz&source_ip_address=~eq:zzz&limit=1',
    ]) {
      const alive = await aliveDuring(`/api/v2/audit?${query}`);
      assert.ok(alive >= 2, `${query}: it was alive ${alive} times`);
    }
  });

  if (store === 'sqlite') {
    it('answers 504 at the end of the wait for a longer read, and the next request as ever', async () => {
      let letGo = () => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const longer = server.deps.db.slowly(async (db) => {
        await db.query('select 1 as one');
        await held;
      });
      const options = { token: auditor.token, headers: { prefer: 'wait=1' } };
      assert.equal((await server.call('GET', '/api/v2/audit?limit=1', options)).status, 504);
      letGo();
      await longer;
      const answer = await get('/api/v2/audit?action=Test&limit=1');
      assert.deepEqual([answer.status, answer.body.count], [200, records]);
    });
  }
});
