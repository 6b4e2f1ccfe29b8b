import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SigningToken, signedHeaders } from '../../../test/collectors/signing.ts';
import {
  auditRows,
  type MadeUser,
  makeProvider,
  makeSigningToken,
  makeToken,
  makeUser,
  sharedPassword,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

let server: TestServer;
let administrator: MadeUser;
const fresh = 'Another-good-one-2';
const put = (id: string, body: object, token = administrator.token) =>
  server.call('PUT', `/api/v2/bloodhound-users/${id}/secret`, { token, body });
const signIn = (username: string, secret: string) =>
  server.call('POST', '/api/v2/login', { body: { login_method: 'secret', username, secret } });
const statusOf = async (token: string) => (await server.call('GET', '/api/v2/self', { token })).status;

before(async () => {
  server = await startTestServer();
  administrator = await makeUser(server.deps);
});
after(() => server.stop());

describe('PUT /api/v2/bloodhound-users/{user_id}/secret', () => {
  it('changes the own password and ends every other session', async () => {
    const user = await makeUser(server.deps, 'Upload-Only');
    const other = await makeToken(server.deps, 'user', user.id);
    const answer = await put(user.id, { current_secret: sharedPassword, secret: fresh }, user.token);
    assert.deepEqual([answer.status, answer.text], [200, '']);
    assert.deepEqual([await statusOf(user.token), await statusOf(other)], [200, 401]);
    assert.equal((await signIn(user.name, sharedPassword)).status, 401);
    assert.equal((await signIn(user.name, fresh)).status, 200);
    const record = (await auditRows(server.deps)).find(({ action }) => action === 'ChangePassword');
    assert.equal(record?.actor_name, user.name);
    assert.ok(!JSON.stringify(record).includes(fresh));
  });

  it('lets an expired password do this and nothing else', async () => {
    const user = await makeUser(server.deps, 'User', { secret: 'expired' });
    assert.equal(await statusOf(user.token), 403);
    const victim = await makeUser(server.deps, 'User');
    const boss = await makeUser(server.deps, 'Administrator', { secret: 'expired' });
    assert.equal((await put(victim.id, { secret: fresh }, boss.token)).status, 403);
    assert.equal(
      (await put(user.id, { current_secret: sharedPassword, secret: fresh }, user.token)).status,
      200,
    );
    assert.equal(await statusOf(user.token), 200);
  });

  it('needs the present password for the own one, and counts wrong ones', async () => {
    const user = await makeUser(server.deps, 'User');
    const missing = await put(user.id, { secret: fresh }, user.token);
    assert.deepEqual([missing.status, missing.body.errors[0].context], [400, 'current_secret']);
    const wrong = await put(user.id, { current_secret: 'nope', secret: fresh }, user.token);
    assert.equal(wrong.status, 403);
    const [record] = await auditRows(server.deps);
    assert.deepEqual([record?.action, record?.outcome], ['ConfirmPassword', 'failure']);
    for (let tries = 2; tries <= 10; tries += 1)
      assert.equal((await put(user.id, { current_secret: 'nope', secret: fresh }, user.token)).status, 403);
    const limited = await put(user.id, { current_secret: sharedPassword, secret: fresh }, user.token);
    assert.equal(limited.status, 429);
    server.advance(61_000);
    const right = await put(user.id, { current_secret: sharedPassword, secret: fresh }, user.token);
    assert.equal(right.status, 200);
  });

  it("lets an administrator set another user's, once or with a reset at the next sign-in", async () => {
    const user = await makeUser(server.deps, 'User');
    assert.equal((await put(user.id, { secret: fresh, needs_password_reset: true })).status, 200);
    assert.equal(await statusOf(user.token), 401);
    const signedIn = await signIn(user.name, fresh);
    assert.deepEqual([signedIn.status, signedIn.body.data.auth_expired], [200, true]);
    assert.equal(
      (await auditRows(server.deps)).find(({ action }) => action === 'ResetPassword')?.actor_name,
      administrator.name,
    );
  });

  it('uses the configured window for the new password', async () => {
    const user = await makeUser(server.deps, 'User');
    await server.call('PUT', '/api/v2/config', {
      token: administrator.token,
      body: { key: 'auth.password_expiration_window', value: { duration: 'P2D' } },
    });
    await put(user.id, { secret: fresh });
    const token = (await signIn(user.name, fresh)).body.data.session_token;
    const self = (await server.call('GET', '/api/v2/self', { token })).body.data;
    const days = (Date.parse(self.AuthSecret.expires_at) - server.now()) / 86_400_000;
    assert.ok(days > 1.9 && days <= 2, String(days));
  });

  it('answers 400 to a weak password with every rule it breaks, 403 to others, 404 and 409', async () => {
    const weak = await put(administrator.id, { current_secret: sharedPassword, secret: 'weak' });
    assert.equal(weak.status, 400);
    assert.ok(weak.body.errors.length >= 3);
    const user = await makeUser(server.deps, 'Power User');
    assert.equal((await put(administrator.id, { secret: fresh }, user.token)).status, 403);
    assert.equal((await put('00000000-0000-4000-8000-000000000000', { secret: fresh })).status, 404);
    const { ssoProviderId } = await makeProvider(server.deps);
    const viaProvider = await makeUser(server.deps, 'User', { ssoProviderId });
    assert.equal((await put(viaProvider.id, { secret: fresh })).status, 409);
    const own = await put(viaProvider.id, { current_secret: 'x', secret: fresh }, viaProvider.token);
    assert.equal(own.status, 409);
  });
});

describe('DELETE /api/v2/bloodhound-users/{user_id}/secret', () => {
  it('takes the password away until an administrator gives a new one', async () => {
    const user = await makeUser(server.deps, 'User');
    const remove = () =>
      server.call('DELETE', `/api/v2/bloodhound-users/${user.id}/secret`, { token: administrator.token });
    assert.equal((await remove()).status, 200);
    assert.equal(await statusOf(user.token), 401);
    assert.equal((await signIn(user.name, sharedPassword)).status, 401);
    assert.equal((await remove()).status, 404);
    await put(user.id, { secret: fresh });
    assert.equal((await signIn(user.name, fresh)).status, 200);
  });
});

describe('API tokens of a user whose password an administrator resets or deletes', () => {
  const self = '/api/v2/self';
  const statusOfSigned = async (token: SigningToken) =>
    (await server.call('GET', self, { headers: signedHeaders(token, 'GET', self) })).status;
  const url = (id: string, query = '') => `/api/v2/bloodhound-users/${id}/secret${query}`;
  const remove = (id: string, query = '') =>
    server.call('DELETE', url(id, query), { token: administrator.token });

  const changes: Record<string, (id: string) => Promise<{ status: number }>> = {
    'a reset': (id) => put(id, { secret: fresh }),
    'a reset with keep_tokens': (id) => put(id, { secret: fresh, keep_tokens: true }),
    'a reset without keep_tokens': (id) => put(id, { secret: fresh, keep_tokens: false }),
    'a deletion': (id) => remove(id),
    'a deletion with keep_tokens': (id) => remove(id, '?keep_tokens=true'),
    'a deletion without keep_tokens': (id) => remove(id, '?keep_tokens=false'),
  };
  for (const [name, change] of Object.entries(changes)) {
    const keeps = name.endsWith('with keep_tokens');
    it(`are ${keeps ? 'kept' : 'suspended'} by ${name}`, async () => {
      const user = await makeUser(server.deps, 'User');
      const token = await makeSigningToken(server.deps, { userId: user.id });
      assert.equal((await change(user.id)).status, 200);
      assert.equal(await statusOfSigned(token), keeps ? 200 : 401);
      const [record] = await auditRows(server.deps);
      assert.equal(record?.fields.tokens_suspended, keeps ? undefined : 1);
    });
  }

  it('are kept by a change of the own password, unless the user says otherwise', async () => {
    const user = await makeUser(server.deps, 'User');
    const token = await makeSigningToken(server.deps, { userId: user.id });
    const own = (current_secret: string, secret: string, more = {}) =>
      put(user.id, { current_secret, secret, ...more }, user.token);
    assert.equal((await own(sharedPassword, fresh)).status, 200);
    assert.equal(await statusOfSigned(token), 200);
    assert.equal((await own(fresh, sharedPassword, { keep_tokens: false })).status, 200);
    assert.equal(await statusOfSigned(token), 401);
  });

  it('stay as they are when administrators try to delete their own secret: that is refused', async () => {
    const token = await makeSigningToken(server.deps, { userId: administrator.id });
    const answer = await remove(administrator.id);
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body.errors, [
      {
        context: 'user_id',
        message:
          'you cannot delete your own secret: change it with PUT, or let another administrator delete it',
      },
    ]);
    assert.equal(await statusOfSigned(token), 200);
    assert.equal((await signIn(administrator.name, sharedPassword)).status, 200);
    assert.equal((await remove(administrator.id, '?keep_token=true')).status, 400);
  });
});
