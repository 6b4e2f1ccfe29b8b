import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  auditRows,
  type MadeUser,
  makeProvider,
  makeSigningToken,
  makeUser,
  sharedPassword,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { suspendTokens } from '../api-tokens/index.ts';
import { findSecret } from './secret-store.ts';

let server: TestServer;
let administrator: MadeUser;
const users = '/api/v2/bloodhound-users';
const fresh = 'Another-good-one-2';
const call = (method: string, path: string, body?: unknown, token = administrator.token) =>
  server.call(method, path, { token, body });
const signIn = (username: string, secret: string) =>
  server.call('POST', '/api/v2/login', { body: { login_method: 'secret', username, secret } });

before(async () => {
  server = await startTestServer();
  administrator = await makeUser(server.deps);
});
after(() => server.stop());

describe('a password', () => {
  it('is not set while the user moves to a provider', async () => {
    const user = await makeUser(server.deps, 'User');
    const { ssoProviderId } = await makeProvider(server.deps);
    let reset: Promise<{ status: number }> | undefined;
    await server.deps.db.transaction(async (db) => {
      await db.execute('update users set sso_provider_id = $2 where id = $1', [user.id, ssoProviderId]);
      await db.execute('delete from auth_secrets where user_id = $1', [user.id]);
      reset = call('PUT', `${users}/${user.id}/secret`, { secret: fresh });
      await sleep(300); // long enough for the request to have read what this is about to change
    });
    assert.equal((await reset)?.status, 409);
    assert.equal(await findSecret(server.deps.db, user.id), undefined);
  });

  it('must be another one, also at a forced reset', async () => {
    const user = await makeUser(server.deps, 'User', { secret: 'expired' });
    const body = { current_secret: sharedPassword, secret: sharedPassword };
    const answer = await call('PUT', `${users}/${user.id}/secret`, body, user.token);
    assert.deepEqual([answer.status, answer.body.errors[0].context], [400, 'secret']);
    assert.equal((await server.call('GET', '/api/v2/self', { token: user.token })).status, 403);
  });

  it('of their own does not let a user use suspended tokens again', async () => {
    const user = await makeUser(server.deps, 'User');
    await makeSigningToken(server.deps, { userId: user.id });
    await server.deps.db.transaction((db) => suspendTokens(db, user.id));
    const body = { current_secret: sharedPassword, secret: fresh, keep_tokens: true };
    assert.equal((await call('PUT', `${users}/${user.id}/secret`, body, user.token)).status, 200);
    const row = await server.deps.db.one<{ suspended: number }>(
      'select suspended from api_tokens where user_id = $1',
      [user.id],
    );
    assert.equal(row?.suspended, 1);
  });

  it('can be made to expire with a change of the user', async () => {
    const user = await makeUser(server.deps, 'User');
    assert.equal((await call('PATCH', `${users}/${user.id}`, { needs_password_reset: false })).status, 200);
    assert.equal((await signIn(user.name, sharedPassword)).body.data.auth_expired, false);
    assert.equal((await call('PATCH', `${users}/${user.id}`, { needs_password_reset: true })).status, 200);
    assert.equal((await signIn(user.name, sharedPassword)).body.data.auth_expired, true);
    assert.equal((await server.call('GET', '/api/v2/self', { token: user.token })).status, 403);
  });
});

describe('a change that changes nothing', () => {
  it('leaves the user as they were, and no record', async () => {
    const user = await makeUser(server.deps, 'User', { firstName: 'Ada' });
    const before = (await call('GET', `${users}/${user.id}`)).body.data;
    const records = (await auditRows(server.deps)).length;
    for (const body of [{}, { first_name: 'Ada' }, { first_name: ' Ada ', is_disabled: false }])
      assert.deepEqual((await call('PATCH', `${users}/${user.id}`, body)).body.data, before);
    assert.equal((await auditRows(server.deps)).length, records);
  });
});

describe('a name', () => {
  it('has no control, invisible or unstorable characters', async () => {
    for (const principal of ['line\nbreak', 'a\u202eb', 'zero\u200bwidth', 'nul\u0000l']) {
      const answer = await call('POST', users, { principal, roles: [3], secret: fresh });
      assert.deepEqual([answer.status, answer.body.errors[0].context], [400, 'principal'], principal);
    }
    const mail = { principal: 'mail', roles: [3], secret: fresh, email_address: 'a@b\u0000c' };
    assert.equal((await call('POST', users, mail)).body.errors[0].context, 'email_address');
  });

  it('and a password that are both wrong are both told', async () => {
    const answer = await call('POST', users, { principal: ' ', roles: [77], secret: 'Weak-password' });
    const contexts = answer.body.errors.map(({ context }: { context: string }) => context);
    assert.deepEqual([...new Set(contexts)].sort(), ['principal', 'roles', 'secret']);
  });

  it('and an e-mail address are counted apart when they are guessed at, or it would show whose they are', async () => {
    const user = await makeUser(server.deps, 'User', { emailAddress: 'guess@example.org' });
    for (let tries = 0; tries < 10; tries += 1)
      assert.equal((await signIn('GUESS@example.org', 'wrong')).status, 401);
    assert.equal((await signIn('guess@example.org', sharedPassword)).status, 429);
    assert.equal((await signIn(user.name, 'wrong')).status, 401);
    const [record] = (await auditRows(server.deps)).filter(({ action }) => action === 'SignIn');
    assert.equal(record?.fields.reason, 'wrong password');
  });
});

describe('GET /api/v2/bloodhound-users-minimal', () => {
  it('can be filtered and sorted by nothing that it does not show', async () => {
    const reader = await makeUser(server.deps, 'Read-Only');
    for (const query of [
      'principal_name=~eq:a',
      'last_login=gt:2020-01-01T00:00:00Z',
      'sort_by=created_at',
    ]) {
      const answer = await call('GET', `${users}-minimal?${query}`, undefined, reader.token);
      assert.equal(answer.status, 400, query);
    }
    assert.equal((await call('GET', `${users}-minimal?email=neq:null`, undefined, reader.token)).status, 200);
  });
});

describe("the first administrator's password file", () => {
  it('goes with their password under any name, and with themselves', async () => {
    const alone = await startTestServer();
    try {
      const file = join(alone.deps.settings.dataDir, 'initial-admin-password');
      const first = await makeUser(alone.deps, 'Administrator', { principalName: 'admin' });
      const second = await makeUser(alone.deps);
      const by = (user: MadeUser, method: string, path: string, body?: unknown) =>
        alone.call(method, `${users}/${first.id}${path}`, { token: user.token, body });
      await by(second, 'PATCH', '', { principal: 'root' });
      writeFileSync(file, 'secret\n');
      await by(first, 'PUT', '/secret', { current_secret: sharedPassword, secret: fresh });
      assert.ok(!existsSync(file));
      writeFileSync(file, 'secret\n');
      assert.equal((await by(second, 'DELETE', '')).status, 200);
      assert.ok(!existsSync(file));
    } finally {
      await alone.stop();
    }
  });
});

describe('a user who is deleted', () => {
  it('while they sign in or get a token is gone or not, but nothing breaks', async () => {
    for (let round = 0; round < 5; round += 1) {
      const user = await makeUser(server.deps, 'User');
      const answers = await Promise.all([
        signIn(user.name, sharedPassword),
        call('POST', '/api/v2/tokens', { token_name: 'x', user_id: user.id }),
        call('DELETE', `${users}/${user.id}`),
      ]);
      const statuses = answers.map(({ status }) => status);
      assert.ok(statuses[0] === 200 || statuses[0] === 401, String(statuses));
      assert.ok(statuses[1] === 200 || statuses[1] === 404, String(statuses));
      assert.equal(statuses[2], 200);
    }
  });
});
