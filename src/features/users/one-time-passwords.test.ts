import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser, sharedPassword } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { countPauses, tooManyCodes } from '../auth/index.ts';
import { codeAt } from '../auth/totp.ts';

let server: TestServer;
let administrator: MadeUser;
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

  const minute = 60_000;
  const pauseRecords = async (user: MadeUser) =>
    (await auditRows(server.deps)).filter(
      ({ action, actor_name }) => action === 'PauseOneTimePasswords' && actor_name === user.name,
    );

  it('are paused after ten wrong ones within 15 minutes, with one record and a metric', async () => {
    const { user, seed } = await enrolled();
    const before = countPauses();
    // Slowly enough for every other limit.
    for (let tries = 0; tries < 10; tries += 1) {
      server.advance(tries < 5 ? 2 * minute : minute / 2);
      await server.deps.db.transaction((db) => db.execute('delete from sign_in_attempts'));
      assert.equal((await signIn(user.name, sharedPassword, '000000')).status, 400, String(tries));
    }
    const paused = async () => {
      const { status, headers, body } = await signIn(user.name, sharedPassword, codeAt(seed, step()));
      assert.deepEqual([status, body.errors[0].message], [429, tooManyCodes]);
      return Number(headers.get('retry-after'));
    };
    assert.equal(Math.ceil((await paused()) / 60), 15);
    assert.equal((await signIn(user.name, 'wrong', codeAt(seed, step()))).status, 401);
    server.advance(14 * minute);
    assert.equal(Math.ceil((await paused()) / 60), 1);
    const records = await pauseRecords(user);
    assert.deepEqual(
      records.map(({ outcome, fields }) => [outcome, fields.failures]),
      [['failure', 10]],
    );
    assert.equal(countPauses(), before + 1);
    server.advance(minute);
    await server.deps.db.transaction((db) => db.execute('delete from sign_in_attempts'));
    assert.equal((await signIn(user.name, sharedPassword, codeAt(seed, step()))).status, 200);
  });

  it('are not paused by fewer than ten within 15 minutes, nor by sign-ins that send none', async () => {
    const { user, seed } = await enrolled();
    for (let tries = 0; tries < 27; tries += 1) {
      if (tries % 9 === 0) server.advance(16 * minute);
      await server.deps.db.transaction((db) => db.execute('delete from sign_in_attempts'));
      assert.equal((await signIn(user.name, sharedPassword, '000000')).status, 400);
    }
    await server.deps.db.transaction((db) => db.execute('delete from sign_in_attempts'));
    for (let tries = 0; tries < 5; tries += 1)
      assert.equal((await signIn(user.name, sharedPassword)).status, 400);
    assert.equal((await signIn(user.name, sharedPassword, codeAt(seed, step()))).status, 200);
    assert.deepEqual(await pauseRecords(user), []);
  });

  it('are paused while they are set up too, for no longer than 15 minutes when the clock is set back', async () => {
    const user = await makeUser(server.deps, 'User');
    const seed: string = (await enrol(user)).body.data.totp_secret;
    for (let tries = 0; tries < 10; tries += 1) assert.equal((await activate(user, '000000')).status, 400);
    assert.equal((await activate(user, codeAt(seed, step()))).status, 429);
    server.advance(-24 * 60 * minute);
    const refused = await activate(user, codeAt(seed, step()));
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '900']);
    server.advance(15 * minute);
    assert.equal((await activate(user, codeAt(seed, step()))).status, 200);
    server.advance(24 * 60 * minute);
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
