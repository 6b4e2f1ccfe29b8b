import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeProvider, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

let server: TestServer;
let admin: MadeUser;
let provider: { id: number; ssoProviderId: number };

const preview = (id: number | string, token = admin.token) =>
  server.call('GET', `/api/v2/saml/providers/${id}/affected-users`, { token });
const removeSso = (id: number | string, token = admin.token) =>
  server.call('DELETE', `/api/v2/sso-providers/${id}`, { token });
const removeSaml = (id: number, token = admin.token) =>
  server.call('DELETE', `/api/v2/saml/providers/${id}`, { token });
const member = () => ({ ssoProviderId: provider.ssoProviderId });
const idsOf = (users: { id: string }[]) => users.map(({ id }) => id);
const providersLeft = () => server.deps.db.query('select id from sso_providers');

before(async () => {
  server = await startTestServer();
});

beforeEach(async () => {
  await server.deps.db.transaction(async (db) => {
    for (const table of ['sessions', 'auth_secrets', 'users', 'saml_providers', 'sso_providers'])
      await db.execute(`delete from ${table}`);
    await server.deps.changes.announce(db);
  });
  admin = await makeUser(server.deps);
  // So that the two ids of a provider differ.
  await server.deps.db.transaction((db) =>
    db.execute(
      `insert into sso_providers (name, slug, type, created_at, updated_at) values ('o', 'o', 'OIDC', 1, 1)`,
    ),
  );
  provider = await makeProvider(server.deps);
});

after(() => server.stop());

describe('GET /api/v2/saml/providers/:saml_provider_id', () => {
  const get = (id: number | string, token = admin.token) =>
    server.call('GET', `/api/v2/saml/providers/${id}`, { token });

  it('answers 200 with the provider that the list shows, nullable values flat', async () => {
    const { status, body } = await get(provider.id);
    assert.equal(status, 200);
    const list = await server.call('GET', '/api/v2/saml', { token: admin.token });
    const flat = list.body.data.saml_providers.map((listed: { sso_provider_id: { int32: number } }) => ({
      ...listed,
      deleted_at: { Time: '0001-01-01T00:00:00Z', Valid: false },
      sso_provider_id: listed.sso_provider_id.int32,
    }));
    assert.deepEqual(flat, [body.data]);
  });

  it('answers 400, 401, 403 and 404 like the other operations on a provider', async () => {
    const user = await makeUser(server.deps, 'User');
    assert.equal((await get('x')).status, 400);
    assert.equal((await server.call('GET', `/api/v2/saml/providers/${provider.id}`)).status, 401);
    assert.equal((await get(provider.id, user.token)).status, 403);
    const missing = await get(2147483647);
    assert.equal(missing.status, 404);
    assert.equal(missing.body.errors[0].message, 'SAML provider 2147483647 does not exist');
  });
});

describe('GET /api/v2/saml/providers/:saml_provider_id/affected-users', () => {
  it('answers 200 with the users whom a deletion then lists, and changes nothing', async () => {
    for (const principalName of ['zoe', 'ada'])
      await makeUser(server.deps, 'User', { principalName, ssoProviderId: provider.ssoProviderId });
    await makeUser(server.deps, 'User');
    const { status, body } = await preview(provider.id);
    assert.equal(status, 200);
    assert.equal(body.data.refused, null);
    const shown = body.data.affected_user;
    assert.deepEqual(
      shown.map((user: { principal_name: string }) => user.principal_name),
      ['ada', 'zoe'],
    );
    assert.deepEqual(shown[0].saml_provider_id, provider.id);
    assert.deepEqual((await preview(provider.id)).body, body);
    const removed = await removeSaml(provider.id);
    assert.deepEqual(idsOf(removed.body.data.affected_user), idsOf(shown));
    assert.equal((await preview(provider.id)).status, 404);
  });

  it("tells that it is the caller's own provider", async () => {
    const { token } = await makeUser(server.deps, 'Administrator', member());
    const { body } = await preview(provider.id, token);
    assert.equal(body.data.refused, (await removeSaml(provider.id, token)).body.errors[0].message);
    assert.match(body.data.refused, /is the one you sign in with/);
  });

  it('tells that no administrator would be left, as a deletion does', async () => {
    const other = await makeProvider(server.deps);
    const { token } = await makeUser(server.deps, 'Administrator', { ssoProviderId: other.ssoProviderId });
    await server.deps.db.transaction((db) => db.execute('update auth_secrets set locked = 1'));
    const { body } = await preview(provider.id, token);
    const refusal = await removeSaml(provider.id, token);
    assert.equal(refusal.status, 409);
    assert.equal(body.data.refused, refusal.body.errors[0].message);
    assert.match(body.data.refused, /no administrator able to sign in/);
    // One who has a password of their own is able again once the provider is gone.
    await makeUser(server.deps, 'Administrator', { ...member(), secret: 'usable' });
    assert.equal((await preview(provider.id, token)).body.data.refused, null);
    assert.equal((await removeSaml(provider.id, token)).status, 200);
  });

  it('answers 403 without auth.ReadProviders', async () => {
    const user = await makeUser(server.deps, 'User');
    assert.equal((await preview(provider.id, user.token)).status, 403);
  });
});

describe('DELETE /api/v2/sso-providers/:sso_provider_id', () => {
  it('answers 200 with the users, without data around them, and records it', async () => {
    const user = await makeUser(server.deps, 'User', member());
    const { status, body } = await removeSso(provider.ssoProviderId);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['affected_users']);
    assert.deepEqual(idsOf(body.affected_users), [user.id]);
    assert.deepEqual(body.affected_users[0].sso_provider_id, null);
    assert.equal((await server.call('GET', '/api/v2/self', { token: user.token })).status, 401);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'DeleteSAMLProvider');
    const named = record?.fields.provider as { id: number } | undefined;
    assert.equal(named?.id, provider.id);
    assert.equal((await removeSso(provider.ssoProviderId)).status, 404);
  });

  it('answers 409 for the own provider and for the last administrator, and changes nothing', async () => {
    const { token } = await makeUser(server.deps, 'Administrator', member());
    const own = await removeSso(provider.ssoProviderId, token);
    assert.equal(own.status, 409);
    const message = `SSO provider ${provider.ssoProviderId} is the one you sign in with: another administrator must delete it`;
    assert.deepEqual(own.body.errors, [{ context: 'DeleteSSOProvider', message }]);
    const other = await makeProvider(server.deps);
    await server.deps.db.transaction((db) => db.execute('update auth_secrets set locked = 1'));
    const last = await removeSso(other.ssoProviderId, token);
    assert.equal(last.status, 409);
    assert.match(last.body.errors[0].message, /^deleting SSO provider \d+ would leave no administrator/);
    assert.equal((await providersLeft()).length, 3);
  });

  it('answers 400, 403 and 404 without a change', async () => {
    const auditor = await makeUser(server.deps, 'Auditor');
    assert.equal((await removeSso('x')).status, 400);
    assert.equal((await removeSso(`${provider.ssoProviderId}?force=1`)).status, 400);
    assert.equal((await removeSso(provider.ssoProviderId, auditor.token)).status, 403);
    const missing = await removeSso(2147483647);
    assert.equal(missing.status, 404);
    assert.equal(missing.body.errors[0].context, 'sso_provider_id');
    assert.equal((await providersLeft()).length, 2);
  });
});
