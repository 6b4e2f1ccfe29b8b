import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { auditRows, makeProvider, makeUser, sharedPassword } from '../../../test/server/builders.ts';
import { type Answer, startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { putSecret } from '../users/index.ts';
import { digestOf, endSessionsOfUser } from './index.ts';

const hour = 3_600_000;

describe('POST /api/v2/login', () => {
  let server: TestServer;
  const send = (body: unknown, headers?: Record<string, string>) =>
    server.call('POST', '/api/v2/login', { body, ...(headers === undefined ? {} : { headers }) });
  const login = (username: string, secret = sharedPassword) =>
    send({ login_method: 'secret', username, secret });
  const self = (token: string) => server.call('GET', '/api/v2/self', { token });

  before(async () => {
    server = await startTestServer();
  });

  // No test is in the way of the next one's limits.
  beforeEach(() => server.advance(61_000));

  after(() => server.stop());

  it('answers 200 with the user and a token that works', async () => {
    const user = await makeUser(server.deps, 'Read-Only');
    const { status, headers, body } = await login(user.name);
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('etag'), null);
    const { session_token } = body.data;
    assert.deepEqual(body, { data: { user_id: user.id, auth_expired: false, session_token } });
    assert.equal((await self(session_token)).body.data.id, user.id);
  });

  it('answers 200 with a JWT of the documented claims that lasts as long as its session', async () => {
    const user = await makeUser(server.deps);
    const earliest = Math.floor(server.now() / 1000);
    const token = (await login(user.name)).body.data.session_token;
    assert.deepEqual(decodeProtectedHeader(token), { alg: 'HS256', typ: 'JWT' });
    const { iat = 0, exp = 0, jti = '', ...named } = decodeJwt(token);
    assert.deepEqual(named, { iss: `kennel:${server.deps.instanceId}`, aud: 'user', sub: user.id });
    assert.ok(iat >= earliest && iat * 1000 <= server.now());
    assert.equal(exp - iat, 8 * 3600);
    const session = await server.deps.db.one<{
      user_id: string;
      expires_at: number;
      ended_at: number | null;
    }>('select user_id, expires_at, ended_at from sessions where id = $1', [jti]);
    assert.equal(session?.user_id, user.id);
    assert.equal(Math.floor(Number(session?.expires_at) / 1000), exp);
    assert.equal(session?.ended_at, null);
  });

  it('answers 200 with a session of its own every time, and notes the time', async () => {
    const user = await makeUser(server.deps);
    const first = (await login(user.name)).body.data.session_token;
    const at = server.now();
    const second = (await login(user.name)).body.data.session_token;
    assert.notEqual(decodeJwt(first).jti, decodeJwt(second).jti);
    assert.equal((await self(first)).status, 200);
    assert.ok(Date.parse((await self(second)).body.data.last_login) >= at);
  });

  it('answers 200 by e-mail address in any case, and by a name with blanks around it', async () => {
    const user = await makeUser(server.deps, 'User', {
      principalName: 'Mixed Case',
      emailAddress: 'Élan@Example.org',
    });
    for (const username of [
      'Élan@Example.org',
      'élan@example.ORG',
      ' \t ÉLAN@example.org\n',
      '  Mixed Case ',
    ]) {
      const { status, body } = await login(username);
      assert.equal(status, 200, username);
      assert.equal(body.data.user_id, user.id);
    }
  });

  it('answers 200 for the name before the e-mail address of somebody else', async () => {
    const named = await makeUser(server.deps, 'User', { principalName: 'both@example.org' });
    await makeUser(server.deps, 'User', { emailAddress: 'both@example.org' });
    assert.equal((await login('both@example.org')).body.data.user_id, named.id);
  });

  it('answers 200 for the login method in any case, with an otp that is not needed', async () => {
    const { name } = await makeUser(server.deps);
    const body = { login_method: 'SeCReT', username: name, secret: sharedPassword, otp: '123456' };
    assert.equal((await send(body)).status, 200);
  });

  it('answers 200 for an expired password, with a session that may do nothing but end itself', async () => {
    const { name } = await makeUser(server.deps, 'Administrator', { secret: 'expired' });
    const { status, body } = await login(name);
    assert.equal(status, 200);
    assert.equal(body.data.auth_expired, true);
    const token = body.data.session_token;
    for (const [method, path] of [
      ['GET', '/api/v2/self'],
      ['GET', '/api/v2/saml'],
      ['DELETE', '/api/v2/saml/providers/1'],
      ['PUT', '/api/v2/config'],
      ['GET', '/api/v2/custom-nodes/User'],
    ] as const) {
      const refused = await server.call(method, path, { token });
      assert.equal(refused.status, 403, path);
      assert.equal(
        refused.body.errors[0].message,
        'your password has expired: change it before anything else',
      );
    }
    assert.equal((await server.call('POST', '/api/v2/logout', { token })).status, 200);
  });

  it('answers 200 and the session is restricted as soon as the password expires', async () => {
    const user = await makeUser(server.deps);
    const token = (await login(user.name)).body.data.session_token;
    await server.deps.db.transaction(async (db) => {
      await db.execute('update auth_secrets set expires_at = $2 where user_id = $1', [
        user.id,
        server.now() + hour,
      ]);
      await server.deps.changes.announce(db);
    });
    assert.equal((await self(token)).status, 200);
    server.advance(hour + 1);
    assert.equal((await self(token)).status, 403);
  });

  it('answers 200 and records the sign-in with its outcome', async () => {
    const user = await makeUser(server.deps, 'User', { emailAddress: 'recorded@example.org' });
    const before = (await auditRows(server.deps)).length;
    const { headers } = await login('RECORDED@example.org');
    const rows = await auditRows(server.deps);
    assert.equal(rows.length, before + 1);
    assert.deepEqual(rows[0], {
      action: 'SignIn',
      outcome: 'success',
      actor_name: user.name,
      request_id: headers.get('x-request-id'),
      fields: { method: 'secret', user_id: user.id, username: user.name },
    });
  });

  const good = { login_method: 'secret', username: 'someone', secret: 'x' };
  const badBodies: Record<string, [body: unknown, ...contexts: string[]]> = {
    'a login method that is not known': [{ ...good, login_method: 'sso' }, 'login_method'],
    'no login method': [{ username: 'someone', secret: 'x' }, 'login_method'],
    'an empty username': [{ ...good, username: '' }, 'username'],
    'a username that is too long': [{ ...good, username: 'x'.repeat(1001) }, 'username'],
    'a secret that is too long': [{ ...good, secret: 'x'.repeat(1025) }, 'secret'],
    'a secret that is null': [{ ...good, secret: null }, 'secret'],
    'an otp that is a number': [{ ...good, otp: 123456 }, 'otp'],
    'a member that is not known': [{ ...good, remember: true }, 'remember'],
    'several problems': [
      { username: 7, secret: ['x'], remember: true },
      'login_method',
      'remember',
      'secret',
      'username',
    ],
    'an array': [[good], ''],
    null: ['null', ''],
    'text that is not JSON': ['{"login_method":"secret"', 'body'],
    'a member given twice': ['{"login_method":"secret","username":"a","username":"b","secret":"x"}', 'body'],
    'no body': [undefined, 'body'],
  };
  for (const [description, [body, ...contexts]] of Object.entries(badBodies)) {
    it(`answers 400 for ${description}`, async () => {
      const before = (await auditRows(server.deps)).length;
      const answer = await send(body, { 'content-type': 'application/json' });
      assert.equal(answer.status, 400);
      // A problem with the body as a whole has the operation as its context.
      const named = answer.body.errors.map((error: { context: string }) =>
        error.context.replace(/^Login$/, ''),
      );
      assert.deepEqual(named.sort(), contexts);
      assert.ok(!answer.text.includes('someone'), 'what was typed is not repeated');
      assert.equal((await auditRows(server.deps)).length, before);
    });
  }

  it('answers 401 in the same words for an unknown, wrong, locked, SSO or secretless user', async () => {
    const { ssoProviderId } = await makeProvider(server.deps);
    const names = {
      unknown: 'nobody',
      blank: '   ',
      wrong: (await makeUser(server.deps)).name,
      locked: (await makeUser(server.deps, 'User', { secret: 'locked' })).name,
      secretless: (await makeUser(server.deps, 'User', { secret: 'none' })).name,
      sso: (await makeUser(server.deps, 'User', { ssoProviderId })).name,
      'sso with a secret': (await makeUser(server.deps, 'User', { ssoProviderId, secret: 'usable' })).name,
      disabled: (await makeUser(server.deps, 'User', { isDisabled: true })).name,
    };
    const rightIsNoUse = ['unknown', 'blank', 'locked', 'secretless', 'sso', 'sso with a secret'];
    for (const [kind, name] of Object.entries(names)) {
      const secret = rightIsNoUse.includes(kind) ? sharedPassword : `${sharedPassword}!`;
      const answer = await login(name, secret);
      assert.equal(answer.status, 401, kind);
      assert.deepEqual(
        comparable(answer),
        {
          body: {
            http_status: 401,
            errors: [{ context: 'Login', message: 'authentication is invalid' }],
          },
          authenticate: 'Bearer',
          headers:
            'cache-control connection content-length content-security-policy content-type ' +
            'cross-origin-resource-policy date keep-alive referrer-policy requestid www-authenticate ' +
            'x-content-type-options x-frame-options x-request-id',
          length: answer.headers.get('content-length'),
        },
        kind,
      );
    }
  });

  it('answers 401 for a name in another case, a secret in another case or with blanks, or none', async () => {
    const { name } = await makeUser(server.deps, 'User', { principalName: 'CaseMatters' });
    assert.equal((await login('casematters')).status, 401);
    for (const secret of [sharedPassword.toLowerCase(), ` ${sharedPassword}`, `${sharedPassword} `, '']) {
      assert.equal((await login(name, secret)).status, 401, secret);
    }
  });

  it('answers 401 and records the failure, but never a name that belongs to nobody', async () => {
    const user = await makeUser(server.deps);
    await login(user.name, 'wrong');
    await login('My-Secret-In-The-Wrong-Field', 'x');
    const [unknown, wrong] = await auditRows(server.deps);
    const fields = { method: 'secret', user_id: null, username: null, reason: 'unknown user' };
    assert.deepEqual([unknown?.action, unknown?.outcome, unknown?.fields], ['SignIn', 'failure', fields]);
    assert.deepEqual(
      [wrong?.action, wrong?.outcome, wrong?.fields],
      ['SignIn', 'failure', { ...fields, user_id: user.id, username: user.name, reason: 'wrong password' }],
    );
    for (const table of ['audit_log', 'sign_in_attempts', 'sessions', 'users']) {
      const rows = JSON.stringify(await server.deps.db.query(`select * from ${table}`));
      assert.doesNotMatch(rows, /my-secret-in-the-wrong-field/i, table);
    }
  });

  it('answers 401 or a token that is of no use when the password is replaced meanwhile', async () => {
    const otherDigest = await digestOf('Another-horse-battery-9');
    for (let round = 0; round < 3; round += 1) {
      const user = await makeUser(server.deps);
      await server.deps.db.transaction((db) => db.execute('delete from sign_in_attempts'));
      let answered = false;
      const signingIn = login(user.name).finally(() => {
        answered = true;
      });
      const attempts = async () => (await server.deps.db.query('select id from sign_in_attempts')).length;
      // A quick sign-in may be over before it is seen: then its session must end like any other.
      while (!answered && (await attempts()) === 0) await new Promise(setImmediate);
      await server.deps.db.transaction(async (db) => {
        await putSecret(db, user.id, { digest: otherDigest, expiresAt: server.now() + hour }, server.now());
        await db.execute('update users set updated_at = $2 where id = $1', [user.id, server.now()]);
        await endSessionsOfUser(db, user.id, server.now());
        await server.deps.changes.announce(db);
      });
      const { status, body } = await signingIn;
      if (status === 200) assert.equal((await self(body.data.session_token)).status, 401);
      else assert.equal(status, 401);
    }
  });

  it('answers 403 for a disabled user, but only after the right secret', async () => {
    const user = await makeUser(server.deps, 'User', { isDisabled: true });
    assert.equal((await login(user.name, 'wrong')).status, 401);
    const { status, body } = await login(user.name);
    assert.equal(status, 403);
    assert.deepEqual(body.errors, [{ context: 'Login', message: 'user disabled' }]);
    const [row] = await auditRows(server.deps);
    assert.deepEqual([row?.outcome, row?.fields.user_id], ['failure', user.id]);
  });

  it('answers 415 for a body that is not JSON by its Content-Type', async () => {
    const { status } = await send(JSON.stringify(good), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    assert.equal(status, 415);
  });
});

/** What could tell one refusal from another, without what differs between any two answers. */
function comparable({ body, headers }: Answer): object {
  const { http_status, errors } = body;
  return {
    body: { http_status, errors },
    authenticate: headers.get('www-authenticate'),
    headers: [...headers.keys()].sort().join(' '),
    length: headers.get('content-length'),
  };
}
