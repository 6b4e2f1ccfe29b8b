import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  auditRows,
  type MadeUser,
  makeProvider,
  makeToken,
  makeUser,
  sharedPassword,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { codeAt } from '../auth/totp.ts';

let server: TestServer;
let administrator: MadeUser;
const fresh = 'Another-good-one-2';
const put = (id: string, body: object, token = administrator.token) =>
  server.call('PUT', `/api/v2/bloodhound-users/${id}/secret`, { token, body });
const signIn = (username: string, secret: string, otp?: string) =>
  server.call('POST', '/api/v2/login', {
    body: { login_method: 'secret', username, secret, ...(otp === undefined ? {} : { otp }) },
  });
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

describe('one-time passwords', () => {
  const path = (id: string, rest = 'mfa') => `/api/v2/bloodhound-users/${id}/${rest}`;
  const enrol = (user: MadeUser, secret = sharedPassword) =>
    server.call('POST', path(user.id), { token: user.token, body: { secret } });
  const activate = (user: MadeUser, otp: string) =>
    server.call('POST', path(user.id, 'mfa-activation'), { token: user.token, body: { otp } });
  const state = async (user: MadeUser, token = user.token) =>
    (await server.call('GET', path(user.id, 'mfa-activation'), { token })).body.data?.status;
  const step = (ahead = 0) => Math.floor(server.now() / 30_000) + ahead;
  /** A user with an active one-time password, whose code of the present step is used up. */
  const enrolled = async () => {
    const user = await makeUser(server.deps, 'User');
    const seed: string = (await enrol(user)).body.data.totp_secret;
    assert.equal((await activate(user, codeAt(seed, step()))).status, 200);
    return { user, seed };
  };

  it('are enrolled, activated, asked for at sign-in, and removed', async () => {
    const user = await makeUser(server.deps, 'User');
    assert.equal(await state(user), 'deactivated');
    const answer = await enrol(user);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const { totp_secret: seed, qr_code: picture } = answer.body.data;
    assert.match(seed, /^[A-Z2-7]{32}$/);
    const svg = Buffer.from(picture.replace('data:image/svg+xml;base64,', ''), 'base64').toString();
    assert.match(svg, /^<svg /);
    assert.equal(await state(user), 'pending');
    assert.equal((await signIn(user.name, sharedPassword)).status, 200);

    assert.equal((await activate(user, '000000')).status, 400);
    assert.deepEqual((await activate(user, codeAt(seed, step()))).body, { data: { status: 'activated' } });
    assert.equal(await state(user, administrator.token), 'activated');
    const view = (await server.call('GET', '/api/v2/self', { token: user.token })).body.data;
    assert.equal(view.AuthSecret.totp_activated, true);

    server.advance(60_000);
    const missing = await signIn(user.name, sharedPassword);
    assert.deepEqual([missing.status, missing.body.errors[0].message], [400, 'one time password is invalid']);
    assert.equal((await signIn(user.name, sharedPassword, '123')).status, 400);
    const wrongPassword = await signIn(user.name, 'wrong', codeAt(seed, step()));
    assert.equal(wrongPassword.status, 401);
    const signedIn = await signIn(user.name, sharedPassword, codeAt(seed, step()));
    assert.equal(signedIn.status, 200);

    const removed = await server.call('DELETE', path(user.id), {
      token: user.token,
      body: { secret: sharedPassword },
    });
    assert.deepEqual(removed.body, { data: { status: 'deactivated' } });
    assert.equal(await statusOf(signedIn.body.data.session_token), 401);
    assert.equal((await signIn(user.name, sharedPassword)).status, 200);
  });

  it('work once, and not after a later one', async () => {
    const { user, seed } = await enrolled();
    const used = codeAt(seed, step());
    assert.equal((await signIn(user.name, sharedPassword, used)).status, 400);
    server.advance(30_000);
    const present = step();
    const results = await Promise.all(
      [1, 2, 3].map(() => signIn(user.name, sharedPassword, codeAt(seed, present))),
    );
    assert.deepEqual(results.map(({ status }) => status).sort(), [200, 400, 400]);
    assert.equal((await signIn(user.name, sharedPassword, codeAt(seed, present - 1))).status, 400);
    assert.equal((await signIn(user.name, sharedPassword, codeAt(seed, present + 1))).status, 200);
  });

  it('are taken one step early or late, and no more', async () => {
    const { user, seed } = await enrolled();
    server.advance(300_000);
    for (const ahead of [-2, 2])
      assert.equal((await signIn(user.name, sharedPassword, codeAt(seed, step(ahead)))).status, 400);
    assert.equal((await signIn(user.name, sharedPassword, codeAt(seed, step(-1)))).status, 200);
  });

  it('count as failed sign-ins when they are wrong', async () => {
    const { user, seed } = await enrolled();
    server.advance(120_000);
    for (let tries = 0; tries < 10; tries += 1)
      assert.equal((await signIn(user.name, sharedPassword, '000000')).status, 400);
    assert.equal((await signIn(user.name, sharedPassword, codeAt(seed, step()))).status, 429);
    server.advance(61_000);
    assert.equal((await signIn(user.name, sharedPassword, codeAt(seed, step()))).status, 200);
  });

  it('need the password and the own account; an administrator may remove them', async () => {
    const { user } = await enrolled();
    assert.equal((await enrol(user)).status, 409);
    const stranger = await makeUser(server.deps, 'User');
    assert.equal((await enrol(stranger, 'wrong')).status, 403);
    const foreign = await server.call('POST', path(user.id), {
      token: administrator.token,
      body: { secret: sharedPassword },
    });
    assert.equal(foreign.status, 403);
    assert.equal((await activate(stranger, '123456')).status, 409);
    assert.equal(await state(user, stranger.token), undefined);
    const remove = (token: string, body?: object) => server.call('DELETE', path(user.id), { token, body });
    assert.equal((await remove(stranger.token, { secret: sharedPassword })).status, 403);
    assert.equal((await remove(user.token)).status, 400);
    assert.equal((await remove(administrator.token)).status, 200);
    assert.equal((await remove(administrator.token)).status, 404);
  });

  it('never show their seed again, and keep it encrypted', async () => {
    const { user, seed } = await enrolled();
    const row = await server.deps.db.one<{ totp_seed: string }>(
      'select totp_seed from auth_secrets where user_id = $1',
      [user.id],
    );
    assert.ok(row !== undefined && !row.totp_seed.includes(seed));
    assert.ok(!JSON.stringify(await auditRows(server.deps)).includes(seed));
  });
});
