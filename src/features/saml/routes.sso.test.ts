import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  auditRows,
  type MadeUser,
  makeClient,
  makeProvider,
  makeUser,
  roleId,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { fingerprint, makeCertificate } from '../../../test/sso/certificates.ts';
import { keyDescriptor, makeMetadata, providerForm, service } from '../../../test/sso/saml-metadata.ts';

let server: TestServer;
let admin: MadeUser;

const self = (token: string) => server.call('GET', '/api/v2/self', { token });
const named = (name: string) =>
  server.call('GET', `/api/v2/sso-providers?name=eq:${name}`, { token: admin.token });

async function patch(id: number, fields: Record<string, string>, token = admin.token) {
  return server.call('PATCH', `/api/v2/sso-providers/${id}`, { token, ...(await providerForm(fields)) });
}

/** Everything that a refusal or a change of nothing must leave as it is. */
async function storedRows(): Promise<string> {
  const rows: unknown[] = [];
  for (const table of ['sso_providers', 'saml_providers', 'users', 'sessions', 'audit_log', 'change_counter'])
    rows.push(await server.deps.db.query(`select * from ${table} order by id`));
  return JSON.stringify(rows);
}

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
});

after(() => server.stop());

describe('GET /api/v2/sso-providers', () => {
  const list = (query = '', token?: string) => server.call('GET', `/api/v2/sso-providers${query}`, { token });

  it('answers 200 with nothing when there is no provider', async () => {
    assert.deepEqual((await list()).body, { data: [] });
  });

  it('answers 200 to everybody with what a sign-in page needs, and no more', async () => {
    const { ssoProviderId } = await makeProvider(server.deps, 'Corp IdP');
    const { status, body } = await list();
    assert.equal(status, 200);
    const [{ created_at, updated_at, deleted_at, ...plain }] = body.data;
    assert.equal(created_at, updated_at);
    assert.equal(deleted_at.Valid, false);
    const base = `${server.url}/api/v2/sso/corp-idp`;
    assert.deepEqual(plain, {
      id: ssoProviderId,
      name: 'Corp IdP',
      type: 'SAML',
      slug: 'corp-idp',
      details: null,
      config: null,
      declared_in: null,
      login_uri: `${base}/login`,
      callback_uri: `${base}/callback`,
    });
  });

  it('shows details and configuration only to those who may read providers', async () => {
    const { id } = await makeProvider(server.deps);
    const hidden = [
      (await makeUser(server.deps, 'User')).token,
      (await makeClient(server.deps)).token,
      (await makeUser(server.deps, 'Administrator', { secret: 'expired' })).token,
    ];
    for (const token of hidden) {
      const [provider] = (await list('', token)).body.data;
      assert.deepEqual([provider.details, provider.config], [null, null]);
    }
    for (const token of [admin.token, (await makeUser(server.deps, 'Auditor')).token]) {
      const [provider] = (await list('', token)).body.data;
      assert.equal(provider.details.id, id);
      assert.equal(provider.config.auto_provision.enabled, false);
    }
  });

  it('answers 200 with what filters, order and page ask for', async () => {
    const made: number[] = [];
    for (const name of ['Bravo One', 'alpha', 'Charlie']) {
      made.push((await makeProvider(server.deps, name)).ssoProviderId);
      server.advance(1000);
    }
    const names = async (query: string) => {
      const answer = await list(query);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.map(({ name }: { name: string }) => name);
    };
    assert.deepEqual(await names(''), ['Bravo One', 'alpha', 'Charlie']);
    assert.deepEqual(await names('?sort_by=name'), ['Bravo One', 'Charlie', 'alpha']);
    assert.deepEqual(await names('?sort_by=-slug'), ['Charlie', 'Bravo One', 'alpha']);
    assert.deepEqual(await names('?sort_by=deleted_at&sort_by=-id&limit=2'), ['Charlie', 'alpha']);
    assert.deepEqual(await names('?sort_by=-created_at&skip=1&limit=1'), ['alpha']);
    assert.deepEqual(await names('?limit=0'), []);
    assert.deepEqual(await names(`?id=gt:${made[0]}`), ['alpha', 'Charlie']);
    assert.deepEqual(await names('?name=~eq:bravo'), ['Bravo One']);
    assert.deepEqual(await names('?slug=bravo-one&type=eq:SAML'), ['Bravo One']);
    assert.deepEqual(await names('?type=neq:SAML'), []);
    assert.deepEqual(await names('?deleted_at=eq:null&updated_at=gt:2020-01-01T00:00:00Z&id=neq:0'), [
      'Bravo One',
      'alpha',
      'Charlie',
    ]);
    assert.deepEqual(await names('?deleted_at=gt:2020-01-01T00:00:00Z'), []);
  });

  it('answers 400 for what is no column, and 401 for a token that is none', async () => {
    for (const query of ['?details=eq:x', '?sort_by=config', '?limit=-1', '?id=eq:x'])
      assert.equal((await list(query)).status, 400, query);
    assert.equal((await list('', 'nonsense')).status, 401);
  });
});

describe('PATCH /api/v2/sso-providers/:sso_provider_id', () => {
  it('answers 200 with a new name, whose addresses follow; its users are signed out', async () => {
    const { ssoProviderId } = await makeProvider(server.deps, 'old name');
    const member = await makeUser(server.deps, 'User', { ssoProviderId });
    const { status, body } = await patch(ssoProviderId, { name: 'New Name' });
    assert.equal(status, 200);
    assert.deepEqual(
      [body.data.name, body.data.slug, body.data.details.display_name, body.data.login_uri],
      ['New Name', 'new-name', 'New Name', `${server.url}/api/v2/sso/new-name/login`],
    );
    assert.equal((await self(member.token)).status, 401);
    assert.equal((await self(admin.token)).status, 200);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'UpdateSAMLProvider');
    assert.deepEqual(record?.fields.changes, {
      name: { before: 'old name', after: 'New Name' },
      slug: { before: 'old-name', after: 'new-name' },
    });
    assert.equal((await server.call('GET', '/api/v2/sso/old-name/metadata')).status, 404);
  });

  it('answers 200 with new metadata: issuer, address and certificates', async () => {
    const { ssoProviderId } = await makeProvider(server.deps, 'corp');
    const certificate = makeCertificate({ key: 'ec' });
    const metadata = makeMetadata({
      entityId: 'urn:new',
      services: service('https://new.example/sso'),
      keys: keyDescriptor(certificate),
    });
    const { status, body } = await patch(ssoProviderId, { metadata });
    assert.equal(status, 200);
    const { details } = body.data;
    assert.deepEqual([details.idp_issuer_uri, details.idp_sso_uri], ['urn:new', 'https://new.example/sso']);
    const [record] = await auditRows(server.deps);
    const changes = record?.fields.changes as Record<string, { after: unknown }>;
    assert.deepEqual(Object.keys(changes).sort(), [
      'certificates_sha256',
      'idp_issuer_uri',
      'idp_sso_uri',
      'metadata_sha256',
    ]);
    assert.deepEqual(changes.certificates_sha256?.after, [fingerprint(certificate)]);
    const [row] = (await named('corp')).body.data;
    assert.deepEqual(row, body.data);
  });

  it('answers 200 with auto provision changed member by member', async () => {
    const { ssoProviderId } = await makeProvider(server.deps);
    const role = String(roleId('User'));
    await patch(ssoProviderId, { 'config.auto_provision.default_role_id': role });
    const { body } = await patch(ssoProviderId, { 'config.auto_provision.enabled': 'true' });
    assert.deepEqual(body.data.config.auto_provision, {
      enabled: true,
      default_role_id: Number(role),
      role_provision: false,
    });
    const before = await storedRows();
    const unset = await patch(ssoProviderId, { 'config.auto_provision.default_role_id': '0' });
    assert.equal(unset.status, 400);
    assert.equal(unset.body.errors[0].context, 'config.auto_provision.default_role_id');
    assert.equal(await storedRows(), before);
  });

  it('answers 200 and writes nothing when nothing changes', async () => {
    const { ssoProviderId } = await makeProvider(server.deps, 'corp');
    const member = await makeUser(server.deps, 'User', { ssoProviderId });
    const metadata = makeMetadata();
    await patch(ssoProviderId, { metadata });
    const token = (await makeUser(server.deps, 'User', { ssoProviderId })).token;
    const before = await storedRows();
    const again = { name: 'corp', metadata, 'config.auto_provision.enabled': 'false' };
    assert.equal((await patch(ssoProviderId, again)).status, 200);
    assert.equal(await storedRows(), before);
    assert.equal((await self(token)).status, 200);
    assert.equal((await self(member.token)).status, 401);
  });

  it('answers 400 for bad metadata, a bad name or an unknown field, and changes nothing', async () => {
    const { ssoProviderId } = await makeProvider(server.deps);
    const before = await storedRows();
    for (const fields of [{ metadata: '<a/>' }, { name: '' }, { other: 'x' }] as Record<string, string>[])
      assert.equal((await patch(ssoProviderId, fields)).status, 400);
    assert.equal(await storedRows(), before);
  });

  it('answers 403 without auth.ManageProviders, 404 for no provider, 409 for a name that is taken', async () => {
    const { ssoProviderId } = await makeProvider(server.deps, 'first');
    await makeProvider(server.deps, 'Second One');
    const auditor = await makeUser(server.deps, 'Auditor');
    assert.equal((await patch(ssoProviderId, { name: 'x' }, auditor.token)).status, 403);
    const missing = await patch(2147483647, { name: 'x' });
    assert.equal(missing.status, 404);
    assert.deepEqual(missing.body.errors, [
      { context: 'sso_provider_id', message: 'SSO provider 2147483647 does not exist' },
    ]);
    const before = await storedRows();
    const taken = await patch(ssoProviderId, { name: 'second one' });
    assert.equal(taken.status, 409);
    assert.match(taken.body.errors[0].message, /^sso provider name must be unique: .*"Second One"/);
    assert.equal(await storedRows(), before);
    assert.equal((await patch(ssoProviderId, { name: 'FIRST' })).status, 200);
  });
});
