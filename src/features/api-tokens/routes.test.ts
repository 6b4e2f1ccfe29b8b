import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { signedHeaders } from '../../../test/collectors/signing.ts';
import { auditRows, type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { commandLine } from '../../caller.ts';
import { setParameter } from '../app-config/index.ts';

let server: TestServer;
let administrator: MadeUser;
let reader: MadeUser;

const create = (by: MadeUser, body: unknown) =>
  server.call('POST', '/api/v2/tokens', { token: by.token, body });
const list = (by: MadeUser, query = '') => server.call('GET', `/api/v2/tokens${query}`, { token: by.token });
const remove = (by: MadeUser, id: string) =>
  server.call('DELETE', `/api/v2/tokens/${id}`, { token: by.token });

before(async () => {
  server = await startTestServer();
  administrator = await makeUser(server.deps);
  reader = await makeUser(server.deps, 'Read-Only');
});
after(() => server.stop());

describe('POST /api/v2/tokens', () => {
  it('makes a token for the caller and shows its key this once', async () => {
    const answer = await create(reader, { token_name: 'report' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const token = answer.body.data;
    assert.equal(Buffer.from(token.key, 'base64').length, 40);
    assert.deepEqual(token.user_id, reader.id);
    assert.deepEqual(token.created_by, reader.id);
    assert.deepEqual(token.name, 'report');
    assert.deepEqual([token.hmac_method, token.replay_protection], ['hmac-sha2-256', false]);
    assert.deepEqual(token.expires_at, { Time: '0001-01-01T00:00:00Z', Valid: false });
    const listed = await list(reader);
    assert.ok(!listed.text.includes(token.key));
    assert.deepEqual(
      listed.body.data.tokens.map(({ id }: { id: string }) => id),
      [token.id],
    );
  });

  it('does not keep the key where the store could be read', async () => {
    const { key, id } = (await create(reader, { token_name: 'sealed' })).body.data;
    const row = await server.deps.db.one<{ sealed_key: string }>(
      'select sealed_key from api_tokens where id = $1',
      [id],
    );
    assert.ok(row !== undefined && !row.sealed_key.includes(key) && !key.includes(row.sealed_key));
  });

  it('records who made it, without the key', async () => {
    const { id, key } = (await create(administrator, { token_name: 'for you', user_id: reader.id })).body
      .data;
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'CreateAuthToken');
    assert.equal(record?.actor_name, administrator.name);
    assert.deepEqual(record?.fields.user, { id: reader.id, principal_name: reader.name });
    assert.ok(JSON.stringify(record).includes(id) && !JSON.stringify(record).includes(key));
  });

  it('answers 400 when the name is missing, empty or too long, or the user is no UUID', async () => {
    for (const body of [{}, { token_name: '' }, { token_name: 'x'.repeat(251) }, { token_name: 7 }])
      assert.equal((await create(reader, body)).status, 400);
    assert.equal((await create(administrator, { token_name: 'x', user_id: 'me' })).status, 400);
    assert.equal((await create(reader, { token_name: 'x', scope: 'all' })).status, 400);
  });

  it('answers 403 when somebody makes one for another user without managing users', async () => {
    const answer = await create(reader, { token_name: 'x', user_id: administrator.id });
    assert.equal(answer.status, 403);
    assert.match(answer.body.errors[0].message, /auth\.ManageUsers/);
  });

  it('answers 404 when the user does not exist', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';
    const answer = await create(administrator, { token_name: 'x', user_id: nobody });
    assert.equal(answer.status, 404);
    assert.match(answer.body.errors[0].message, new RegExp(nobody));
  });
});

describe('GET /api/v2/tokens', () => {
  it("shows everybody's to who may manage users, and their own to others", async () => {
    const mine = (await create(administrator, { token_name: 'mine' })).body.data.id;
    const all: { id: string; user_id: string }[] = (await list(administrator)).body.data.tokens;
    assert.ok(all.some(({ id }) => id === mine));
    assert.ok(all.some(({ user_id }) => user_id === reader.id));
    const own = (await list(reader)).body.data.tokens;
    assert.ok(own.length > 0);
    for (const token of own) assert.equal(token.user_id, reader.id);
    const foreign = await list(reader, `?user_id=eq:${administrator.id}`);
    assert.deepEqual(foreign.body.data.tokens, []);
  });

  it('filters by name', async () => {
    await create(administrator, { token_name: 'Nightly Export' });
    const found = (await list(administrator, '?name=~eq:nightly')).body.data.tokens;
    assert.deepEqual(
      found.map(({ name }: { name: string }) => name),
      ['Nightly Export'],
    );
  });
});

describe('DELETE /api/v2/tokens/{token_id}', () => {
  it('ends the token at once and is recorded', async () => {
    const token = (await create(reader, { token_name: 'short-lived' })).body.data;
    const use = () =>
      server.call('GET', '/api/v2/self', { headers: signedHeaders(token, 'GET', '/api/v2/self') });
    assert.equal((await use()).status, 200);
    const answer = await remove(reader, token.id);
    assert.deepEqual([answer.status, answer.text], [200, '']);
    assert.equal((await use()).status, 401);
    assert.equal((await auditRows(server.deps))[0]?.action, 'DeleteAuthToken');
    assert.equal((await remove(reader, token.id)).status, 404);
  });

  it("answers 404 for somebody else's, unless the caller manages users", async () => {
    const token = (await create(administrator, { token_name: 'not yours' })).body.data;
    assert.equal((await remove(reader, token.id)).status, 404);
    assert.equal((await remove(administrator, token.id.toUpperCase())).status, 200);
  });

  it('answers 400 when the id is no UUID', async () => {
    assert.equal((await remove(reader, '7')).status, 400);
  });
});

describe('auth.api_token_expiration', () => {
  const day = 86_400_000;
  const set = (enabled: boolean, expiration_period: number) =>
    server.call('PUT', '/api/v2/config', {
      token: administrator.token,
      body: { key: 'auth.api_token_expiration', value: { enabled, expiration_period } },
    });
  const use = async (token: { id: string; key: string }) => {
    const date = new Date(server.now()).toISOString();
    const headers = signedHeaders(token, 'GET', '/api/v2/self', '', date);
    return (await server.call('GET', '/api/v2/self', { headers })).status;
  };
  const expiryOf = async (id: string) =>
    (await list(administrator, `?id=eq:${id}`)).body.data.tokens[0].expires_at;

  it('limits old and new tokens of users from the moment it is switched on, and lets go when it is off', async () => {
    const old = (await create(reader, { token_name: 'old' })).body.data;
    assert.equal((await set(true, 2)).status, 200);
    const young = (await create(reader, { token_name: 'young' })).body.data;
    assert.equal(young.expires_at.Valid, true);
    assert.equal((await expiryOf(old.id)).Valid, true);
    assert.equal(await use(old), 200);
    // A longer period does not prolong what was promised to end sooner; a shorter one shortens.
    const before = await expiryOf(old.id);
    await set(true, 30);
    assert.deepEqual(await expiryOf(old.id), before);
    await set(true, 1);
    assert.ok((await expiryOf(old.id)).Time < before.Time);
    server.advance(day + 1000);
    assert.equal(await use(old), 401);
    administrator = await makeUser(server.deps);
    const late = (await create(administrator, { token_name: 'late' })).body.data;
    await set(false, 90);
    // What has expired stays so; the rest has no end any more.
    assert.equal(await use(old), 401);
    assert.equal((await expiryOf(young.id)).Valid, true);
    assert.equal((await expiryOf(late.id)).Valid, false);
    const [record] = await auditRows(server.deps);
    assert.deepEqual([record?.action, record?.fields.tokens_changed], ['UpdateParameter', 1]);
    await set(true, 5);
    assert.equal(await use(old), 401);
    await set(false, 90);
  });
});

describe('auth.api_tokens', () => {
  it('switches the tokens of users off and on again', async () => {
    const set = (enabled: boolean) =>
      setParameter(
        server.deps,
        server.deps.db,
        commandLine,
        { key: 'auth.api_tokens', value: { enabled } },
        {},
        { allowProtected: true },
      );
    const owner = await makeUser(server.deps);
    const token = (await create(owner, { token_name: 'x' })).body.data;
    const use = () => {
      const date = new Date(server.now()).toISOString();
      return server.call('GET', '/api/v2/self', {
        headers: signedHeaders(token, 'GET', '/api/v2/self', '', date),
      });
    };
    await set(false);
    const refused = await use();
    assert.equal(refused.status, 401);
    assert.equal(refused.body.errors[0].message, 'use of API keys has been disabled');
    assert.equal((await create(owner, { token_name: 'y' })).status, 403);
    await set(true);
    assert.equal((await use()).status, 200);
  });
});
