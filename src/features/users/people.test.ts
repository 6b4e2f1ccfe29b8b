import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeProvider, makeUser, roleId } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

let server: TestServer;
let administrator: MadeUser;
const users = '/api/v2/bloodhound-users';
const password = 'A-good-password-1';
let serial = 0;

const post = (body: object) => server.call('POST', users, { token: administrator.token, body });
const patch = (id: string, body: object, token = administrator.token) =>
  server.call('PATCH', `${users}/${id}`, { token, body });
const get = (id: string) => server.call('GET', `${users}/${id}`, { token: administrator.token });
const remove = (id: string, token = administrator.token) =>
  server.call('DELETE', `${users}/${id}`, { token });
const signIn = (username: string, secret: string) =>
  server.call('POST', '/api/v2/login', { body: { login_method: 'secret', username, secret } });
const wish = (more: object = {}) => ({
  principal: `person-${++serial}`,
  roles: [roleId('User')],
  secret: password,
  ...more,
});
const problem = (answer: { body: { errors: { context: string; message: string }[] } }) =>
  answer.body.errors[0] ?? { context: '', message: '' };

before(async () => {
  server = await startTestServer();
  administrator = await makeUser(server.deps);
});
after(() => server.stop());

describe('POST /api/v2/bloodhound-users', () => {
  it('creates a user who can sign in, and answers with them as they are', async () => {
    const body = wish({ first_name: ' Ada ', last_name: 'Byron', email_address: 'Ada@Example.org' });
    const answer = await post(body);
    assert.equal(answer.status, 200);
    const user = answer.body.data;
    assert.deepEqual(user.first_name, 'Ada');
    assert.deepEqual(user.email_address, 'Ada@Example.org');
    assert.deepEqual(
      user.roles.map(({ name }: { name: string }) => name),
      ['User'],
    );
    assert.equal(user.one_time_secret, undefined);
    assert.equal(user.AuthSecret.digest_method, 'argon2');
    assert.ok(Date.parse(user.AuthSecret.expires_at) > server.now() + 89 * 86_400_000);
    assert.deepEqual((await get(user.id)).body.data, user);
    const signedIn = await signIn('ada@example.ORG', password);
    assert.deepEqual([signedIn.status, signedIn.body.data.auth_expired], [200, false]);
  });

  it('makes up a one-time secret for a forced reset, and shows it once', async () => {
    const { principal, roles } = wish();
    const answer = await post({ principal, roles, needs_password_reset: true });
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const { id, one_time_secret: secret } = answer.body.data;
    const again = await get(id);
    assert.equal(again.body.data.one_time_secret, undefined);
    const signedIn = await signIn(principal, secret);
    assert.equal(signedIn.body.data.auth_expired, true);
    const { session_token: token } = signedIn.body.data;
    assert.equal((await server.call('GET', '/api/v2/self', { token })).status, 403);
    const change = await server.call('PUT', `${users}/${id}/secret`, {
      token,
      body: { current_secret: secret, secret: password },
    });
    assert.equal(change.status, 200);
    assert.equal((await server.call('GET', '/api/v2/self', { token })).status, 200);
    assert.ok(!JSON.stringify(await auditRows(server.deps)).includes(secret));
  });

  it('creates one who signs in through a provider, named by either id', async () => {
    const { id: samlId, ssoProviderId } = await makeProvider(server.deps);
    for (const provider of [{ sso_provider_id: ssoProviderId }, { saml_provider_id: String(samlId) }]) {
      const { principal, roles } = wish();
      const user = (await post({ principal, roles, ...provider })).body.data;
      assert.deepEqual(user.sso_provider_id, ssoProviderId);
      assert.deepEqual(user.saml_provider_id, samlId);
      assert.equal(user.AuthSecret, null);
    }
  });

  it('answers 400 and names every member that is wrong', async () => {
    const cases: [object, string, RegExp][] = [
      [wish({ roles: [] }), 'roles', /roles/],
      [wish({ roles: [1, 2] }), 'roles', /roles/],
      [wish({ roles: [99] }), 'roles', /there is no role 99: choose one of 1 \(Administrator\)/],
      [wish({ principal: '   ' }), 'principal', /blank/],
      [wish({ principal: '' }), 'principal', /principal/],
      [wish({ email_address: 'nowhere' }), 'email_address', /e-mail address/],
      [wish({ secret: 'short' }), 'secret', /at least 12 characters/],
      [wish({ secret: undefined }), 'secret', /way to sign in/],
      [wish({ sso_provider_id: 4711, secret: undefined }), 'sso_provider_id', /no SSO provider 4711/],
      [wish({ saml_provider_id: 'x', secret: undefined }), 'saml_provider_id', /no SAML provider "x"/],
      [wish({ sso_provider_id: 1 }), 'secret', /leave it out/],
      [wish({ colour: 'red' }), 'colour', /not a known member/],
      [wish({ is_disabled: 'no' }), 'is_disabled', /boolean/],
    ];
    const before = (await server.call('GET', users, { token: administrator.token })).body.data.users.length;
    for (const [body, context, message] of cases) {
      const answer = await post(body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.equal(problem(answer).context, context);
      assert.match(problem(answer).message, message);
    }
    const weak = await post(wish({ secret: 'a' }));
    assert.equal(weak.body.errors.length, 4);
    const now = (await server.call('GET', users, { token: administrator.token })).body.data.users.length;
    assert.equal(now, before);
  });

  it('answers 409 when the principal name or the e-mail address is taken, whatever its case', async () => {
    const first = wish({ email_address: 'Only@example.org' });
    await post(first);
    const name = await post(wish({ principal: first.principal }));
    assert.deepEqual([name.status, problem(name).context], [409, 'principal']);
    const mail = await post(wish({ email_address: 'only@EXAMPLE.org' }));
    assert.deepEqual([mail.status, problem(mail).context], [409, 'email_address']);
  });

  it('leaves one record with everything but the secret', async () => {
    const body = wish({ first_name: 'Grace' });
    const { id } = (await post(body)).body.data;
    const [record, ...rest] = (await auditRows(server.deps)).filter(
      ({ action, fields }) => action === 'CreateUser' && (fields.user as { id: string }).id === id,
    );
    assert.equal(rest.length, 0);
    assert.equal(record?.actor_name, administrator.name);
    assert.deepEqual(record?.fields.user, {
      id,
      principal_name: body.principal,
      first_name: 'Grace',
      last_name: null,
      email_address: null,
      role: 'User',
      sso_provider_id: null,
      is_disabled: false,
      needs_password_reset: false,
    });
  });
});

describe('PATCH /api/v2/bloodhound-users/{user_id}', () => {
  it('changes what is given and leaves the rest, and records before and after', async () => {
    const { id } = (await post(wish({ first_name: 'Ada', email_address: `p${serial}@example.org` }))).body
      .data;
    const before = (await get(id)).body.data;
    const answer = await patch(id, { last_name: 'King', roles: [roleId('Auditor')] });
    assert.equal(answer.status, 200);
    const { updated_at, last_name, roles, ...same } = answer.body.data;
    assert.deepEqual(last_name, 'King');
    assert.equal(roles[0].name, 'Auditor');
    assert.ok(updated_at >= before.updated_at);
    for (const [member, value] of Object.entries(same)) assert.deepEqual(value, before[member], member);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'UpdateUser');
    assert.deepEqual(record?.fields.changes, {
      last_name: { before: null, after: 'King' },
      role: { before: 'User', after: 'Auditor' },
    });
  });

  it('unsets what is given as null or blank', async () => {
    const { id } = (await post(wish({ first_name: 'A', last_name: 'B' }))).body.data;
    const user = (await patch(id, { first_name: null, last_name: '  ' })).body.data;
    assert.deepEqual([user.first_name, user.last_name], [null, null]);
  });

  it('acts on a changed role at once', async () => {
    const user = await makeUser(server.deps, 'Administrator');
    assert.equal((await server.call('GET', users, { token: user.token })).status, 200);
    await patch(user.id, { roles: [roleId('Read-Only')] });
    assert.equal((await server.call('GET', users, { token: user.token })).status, 403);
  });

  it('ends the sessions of a user who is disabled, and refuses their sign-in', async () => {
    const user = await makeUser(server.deps, 'User');
    assert.equal((await patch(user.id, { is_disabled: true })).status, 200);
    assert.equal((await server.call('GET', '/api/v2/self', { token: user.token })).status, 401);
    await patch(user.id, { is_disabled: false });
    assert.equal((await server.call('GET', '/api/v2/self', { token: user.token })).status, 401);
  });

  it('takes the password of who moves to a provider, and locks who leaves one until a reset', async () => {
    const { ssoProviderId } = await makeProvider(server.deps);
    const body = wish();
    const { id } = (await post(body)).body.data;
    const token = (await signIn(body.principal, password)).body.data.session_token;
    const moved = (await patch(id, { sso_provider_id: ssoProviderId })).body.data;
    assert.deepEqual([moved.sso_provider_id, moved.AuthSecret], [ssoProviderId, null]);
    assert.equal((await server.call('GET', '/api/v2/self', { token })).status, 401);
    assert.equal((await signIn(body.principal, password)).status, 401);
    const back = (await patch(id, { sso_provider_id: null })).body.data;
    assert.equal(back.sso_provider_id, null);
    assert.ok(back.AuthSecret.id > 0);
    assert.equal((await signIn(body.principal, password)).status, 401);
    await server.call('PUT', `${users}/${id}/secret`, {
      token: administrator.token,
      body: { secret: password },
    });
    assert.equal((await signIn(body.principal, password)).status, 200);
  });

  it('answers 400 to who disables themselves', async () => {
    const answer = await patch(administrator.id, { is_disabled: true });
    assert.deepEqual([answer.status, problem(answer).message], [400, 'you cannot disable yourself']);
  });

  it('answers 404 when there is no such user, 400 when the id is none', async () => {
    assert.equal((await patch('00000000-0000-4000-8000-000000000000', {})).status, 404);
    assert.equal((await patch('admin', {})).status, 400);
  });

  it('answers 409 when the name is taken', async () => {
    const { id } = (await post(wish())).body.data;
    assert.equal((await patch(id, { principal: administrator.name })).status, 409);
  });
});

describe('DELETE /api/v2/bloodhound-users/{user_id}', () => {
  it('removes the user with sessions and tokens, and records who they were', async () => {
    const user = await makeUser(server.deps, 'User');
    await server.call('POST', '/api/v2/tokens', { token: user.token, body: { token_name: 'x' } });
    const answer = await remove(user.id);
    assert.deepEqual([answer.status, answer.text, answer.headers.get('content-length')], [200, '', '0']);
    assert.equal((await get(user.id)).status, 404);
    assert.equal((await server.call('GET', '/api/v2/self', { token: user.token })).status, 401);
    const left = await server.deps.db.query('select id from api_tokens where user_id = $1', [user.id]);
    assert.equal(left.length, 0);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'DeleteUser');
    assert.ok(JSON.stringify(record?.fields.user).includes(user.name));
    assert.equal((await remove(user.id)).status, 404);
  });

  it('answers 400 to who deletes themselves', async () => {
    const answer = await remove(administrator.id);
    assert.deepEqual([answer.status, problem(answer).message], [400, 'you cannot delete yourself']);
  });
});

describe('GET /api/v2/bloodhound-users-minimal', () => {
  it('tells names of enabled users to who may not see more', async () => {
    const reader = await makeUser(server.deps, 'Read-Only', { firstName: 'Mini', emailAddress: 'm@x.org' });
    const gone = await makeUser(server.deps, 'Read-Only', { isDisabled: true });
    assert.equal((await server.call('GET', users, { token: reader.token })).status, 403);
    const answer = await server.call('GET', '/api/v2/bloodhound-users-minimal', { token: reader.token });
    const found = answer.body.data.users.find(({ id }: { id: string }) => id === reader.id);
    assert.deepEqual(found, { id: reader.id, first_name: 'Mini', last_name: '', email: 'm@x.org' });
    assert.ok(!answer.text.includes(gone.id));
  });
});

describe('the last administrator', () => {
  it('can neither be deleted, disabled, demoted, moved to a provider nor lose the secret', async () => {
    const alone = await startTestServer();
    try {
      const { ssoProviderId } = await makeProvider(alone.deps);
      const last = await makeUser(alone.deps);
      // Able to manage users, but not to sign in with a password.
      const viaProvider = await makeUser(alone.deps, 'Administrator', { ssoProviderId });
      const call = (method: string, path: string, body?: object) =>
        alone.call(method, `${users}/${last.id}${path}`, { token: viaProvider.token, body });
      const refused = [
        await call('DELETE', ''),
        await call('PATCH', '', { is_disabled: true }),
        await call('PATCH', '', { roles: [roleId('User')] }),
        await call('PATCH', '', { sso_provider_id: ssoProviderId }),
        await call('DELETE', '/secret'),
      ];
      for (const answer of refused) {
        assert.equal(answer.status, 409);
        assert.match(problem(answer).message, /would leave no administrator able to sign in$/);
      }
      const user = (await alone.call('GET', `${users}/${last.id}`, { token: last.token })).body.data;
      assert.deepEqual([user.is_disabled, user.roles[0].name], [false, 'Administrator']);
      // Nobody else is held up by the rule.
      const other = await makeUser(alone.deps, 'User');
      assert.equal((await alone.call('DELETE', `${users}/${other.id}`, { token: last.token })).status, 200);
    } finally {
      await alone.stop();
    }
  });
});
