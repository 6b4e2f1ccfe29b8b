import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
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
import { permissions } from '../../caller.ts';
import { formatRfc3339 } from '../../values/time.ts';
import { roles } from '../auth/index.ts';
import { resetPassword } from '../users/index.ts';

const unsetTime = { time: '0001-01-01T00:00:00Z', valid: false };

describe('DELETE /api/v2/saml/providers/:saml_provider_id', () => {
  let server: TestServer;
  let admin: MadeUser;
  const remove = (id: number | string, at: TestServer = server) =>
    at.call('DELETE', `/api/v2/saml/providers/${id}`, { token: admin.token });
  const self = (token: string, at: TestServer = server) => at.call('GET', '/api/v2/self', { token });

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
  });

  after(() => server.stop());

  it('answers 200 with nobody when the provider has no users', async () => {
    const { id } = await makeProvider(server.deps);
    const { status, body } = await remove(id);
    assert.equal(status, 200);
    assert.deepEqual(body, { data: { affected_user: [] } });
  });

  it('answers 200 with every member of a user, as the user is afterwards', async () => {
    const { id, ssoProviderId } = await makeProvider(server.deps);
    const createdAt = server.now();
    const user = await makeUser(server.deps, 'Read-Only', {
      ssoProviderId,
      principalName: 'ada',
      firstName: 'Ada',
      emailAddress: 'Ada@example.org',
      lastLogin: createdAt,
    });
    server.advance(60_000);
    const earliest = server.now();
    const { status, body } = await remove(id);
    const latest = server.now();
    assert.equal(status, 200);
    const [affected] = body.data.affected_user;
    const { AuthSecret: secret, roles: rolesOfUser, created_at, updated_at, ...plain } = affected;
    assert.deepEqual(plain, {
      id: user.id,
      deleted_at: unsetTime,
      saml_provider_id: { int32: 0, valid: false },
      sso_provider_id: { int32: 0, valid: false },
      first_name: { string: 'Ada', valid: true },
      last_name: { string: '', valid: false },
      email_address: { string: 'Ada@example.org', valid: true },
      principal_name: 'ada',
      last_login: formatRfc3339(createdAt),
      is_disabled: false,
      eula_accepted: true,
    });
    const changedAt = Date.parse(updated_at);
    assert.ok(changedAt >= earliest && changedAt <= latest, updated_at);
    assert.ok(Date.parse(created_at) < earliest, created_at);
    const { id: secretId, ...rest } = secret;
    assert.ok(Number.isInteger(secretId) && secretId > 0);
    // Locked and already expired: an administrator's reset is all it takes.
    assert.deepEqual(rest, {
      created_at: updated_at,
      updated_at,
      deleted_at: unsetTime,
      digest_method: 'argon2',
      expires_at: updated_at,
      totp_activated: false,
    });
    checkReadOnlyRole(rolesOfUser);
  });

  it('answers 200 with the users by principal name, in code point order', async () => {
    const { id, ssoProviderId } = await makeProvider(server.deps);
    for (const principalName of [
      'émile',
      'bob',
      'Zoe',
      'alice',
      'Bob',
      'a-2',
      'a10',
      '\u{1f415}',
      '\ufffd',
    ]) {
      await makeUser(server.deps, 'User', { ssoProviderId, principalName });
    }
    const { body } = await remove(id);
    assert.deepEqual(
      body.data.affected_user.map((user: { principal_name: string }) => user.principal_name),
      ['Bob', 'Zoe', 'a-2', 'a10', 'alice', 'bob', 'émile', '\ufffd', '\u{1f415}'],
    );
  });

  it('answers 200 and leaves a user who had a secret of their own with it', async () => {
    const { id, ssoProviderId } = await makeProvider(server.deps);
    const user = await makeUser(server.deps, 'User', { ssoProviderId, secret: 'usable' });
    const secretOf = () => server.deps.db.one('select * from auth_secrets where user_id = $1', [user.id]);
    const before = await secretOf();
    const { body } = await remove(id);
    assert.deepEqual(await secretOf(), before);
    assert.ok(Date.parse(body.data.affected_user[0].AuthSecret.expires_at) > server.now());
    const signedIn = await login(user.name);
    assert.equal(signedIn.status, 200);
    assert.equal((await self(signedIn.body.data.session_token)).status, 200);
  });

  it('answers 200 and locks a user without a secret until an administrator resets the password', async () => {
    const { id, ssoProviderId } = await makeProvider(server.deps);
    const user = await makeUser(server.deps, 'User', { ssoProviderId });
    await makeSigningToken(server.deps, { userId: user.id });
    await remove(id);
    const suspended = async () =>
      (
        await server.deps.db.query<{ suspended: number }>(
          'select suspended from api_tokens where user_id = $1',
          [user.id],
        )
      ).map((row) => row.suspended);
    assert.deepEqual(await suspended(), [1]);
    for (const secret of ['', sharedPassword]) assert.equal((await login(user.name, secret)).status, 401);
    assert.equal(await resetPassword(server.deps, user.name, sharedPassword), true);
    assert.deepEqual(await suspended(), [1], 'the tokens are another decision');
    assert.equal(await resetPassword(server.deps, user.name, sharedPassword, { keepTokens: true }), true);
    assert.deepEqual(await suspended(), [0]);
    assert.equal((await login(user.name)).body.data.auth_expired, false);
  });

  it('answers 200 and ends every session of those users at once, and no other', async () => {
    const { id, ssoProviderId } = await makeProvider(server.deps);
    const other = await makeProvider(server.deps);
    const user = await makeUser(server.deps, 'User', { ssoProviderId });
    const secondToken = await makeToken(server.deps, 'user', user.id);
    const bystanders = [
      await makeUser(server.deps, 'User'),
      await makeUser(server.deps, 'User', { ssoProviderId: other.ssoProviderId }),
    ];
    const tokens = [user.token, secondToken, ...bystanders.map(({ token }) => token)];
    // Asked before as well, so that the answers after it can't come from what was remembered.
    for (const token of tokens) assert.equal((await self(token)).status, 200);
    await remove(id);
    const statuses = [];
    for (const token of tokens) statuses.push((await self(token)).status);
    assert.deepEqual(statuses, [401, 401, 200, 200]);
    const open = await server.deps.db.query(
      'select id from sessions where user_id = $1 and ended_at is null',
      [user.id],
    );
    assert.equal(open.length, 0);
  });

  it('answers 200 and another process on the same store refuses those sessions within a second', async () => {
    const { dataDir, databaseUrl } = server.deps.settings;
    const beside = await startTestServer({
      KENNEL_DATA_DIR: dataDir,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    });
    try {
      const { id, ssoProviderId } = await makeProvider(server.deps);
      const user = await makeUser(server.deps, 'User', { ssoProviderId });
      assert.equal((await self(user.token, beside)).status, 200);
      await remove(id);
      const deletedAt = performance.now();
      while ((await self(user.token, beside)).status !== 401) {
        assert.ok(performance.now() - deletedAt < 1000, 'still accepted after a second');
      }
    } finally {
      await beside.stop();
    }
  });

  it('answers 200 and removes both rows of the provider, and only of that one', async () => {
    const gone = await makeProvider(server.deps);
    const kept = await makeProvider(server.deps);
    await remove(gone.id);
    const ids = async (table: string) =>
      (await server.deps.db.query<{ id: number }>(`select id from ${table}`)).map((row) => row.id);
    const [saml, sso] = [await ids('saml_providers'), await ids('sso_providers')];
    assert.deepEqual([saml.includes(gone.id), sso.includes(gone.ssoProviderId)], [false, false]);
    assert.deepEqual([saml.includes(kept.id), sso.includes(kept.ssoProviderId)], [true, true]);
  });

  it('answers 200 and writes exactly one audit record, with the provider and its users', async () => {
    const { id, ssoProviderId } = await makeProvider(server.deps, 'audited idp');
    const second = await makeUser(server.deps, 'User', { ssoProviderId, principalName: 'audit-b' });
    const first = await makeUser(server.deps, 'User', { ssoProviderId, principalName: 'audit-a' });
    const before = (await auditRows(server.deps)).length;
    const { headers } = await remove(id);
    const rows = await auditRows(server.deps);
    assert.equal(rows.length, before + 1);
    assert.deepEqual(rows[0], {
      action: 'DeleteSAMLProvider',
      outcome: 'success',
      actor_name: admin.name,
      request_id: headers.get('x-request-id'),
      fields: {
        provider: {
          id,
          name: 'audited idp',
          sso_provider_id: ssoProviderId,
          idp_issuer_uri: 'https://audited idp.example/metadata',
          idp_sso_uri: 'https://audited idp.example/sso',
        },
        users: [
          { id: first.id, principal_name: 'audit-a' },
          { id: second.id, principal_name: 'audit-b' },
        ],
      },
    });
  });

  it('answers 200 to an id with leading zeros, and ignores a body', async () => {
    const { id } = await makeProvider(server.deps);
    const { status } = await server.call('DELETE', `/api/v2/saml/providers/000${id}`, {
      token: admin.token,
      body: '{not json',
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(status, 200);
  });

  it('answers 200 once and 404 once to two deletions at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, ssoProviderId } = await makeProvider(server.deps);
      await makeUser(server.deps, 'User', { ssoProviderId });
      const before = (await auditRows(server.deps)).length;
      const answers = await Promise.all([remove(id), remove(id)]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
      assert.equal((await auditRows(server.deps)).length, before + 1);
    }
  });

  function login(username: string, secret = sharedPassword) {
    return server.call('POST', '/api/v2/login', { body: { login_method: 'secret', username, secret } });
  }
});

type View = Record<string, unknown> & { permissions: View[] };

function checkReadOnlyRole(views: View[]): void {
  const role = roles.find(({ name }) => name === 'Read-Only');
  assert.equal(views.length, 1);
  const [view] = views;
  assert.ok(role !== undefined && view !== undefined);
  assert.deepEqual(Object.keys(view).sort(), [
    'created_at',
    'deleted_at',
    'description',
    'id',
    'name',
    'permissions',
    'updated_at',
  ]);
  assert.deepEqual(
    [view.id, view.name, view.description, view.deleted_at],
    [role.id, role.name, role.description, unsetTime],
  );
  for (const permission of view.permissions) {
    const members = ['authority', 'created_at', 'deleted_at', 'id', 'name', 'updated_at'];
    assert.deepEqual(Object.keys(permission).sort(), members);
  }
  assert.deepEqual(
    view.permissions.map(({ authority, name }) => `${authority}.${name}`),
    permissions.filter((permission) => role.permissions.includes(permission)),
  );
}
