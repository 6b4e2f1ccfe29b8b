import assert from 'node:assert/strict';
import { get as httpGet } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  auditRows,
  type MadeUser,
  makeClient,
  makeProvider,
  makeUser,
  type RoleName,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { formatRfc3339 } from '../../values/time.ts';
import { insertSamlProvider } from './store.ts';

const path = '/api/v2/saml';
const membersOfProvider = [
  'created_at',
  'deleted_at',
  'display_name',
  'id',
  'idp_issuer_uri',
  'idp_sso_uri',
  'name',
  'principal_attribute_mappings',
  'sp_acs_uri',
  'sp_issuer_uri',
  'sp_metadata_uri',
  'sp_sso_uri',
  'sso_provider_id',
  'updated_at',
];

describe('GET /api/v2/saml', () => {
  let server: TestServer;
  let auditor: MadeUser;
  const list = (headers: Record<string, string> = {}, token = auditor.token) =>
    server.call('GET', path, { token, headers });

  before(async () => {
    server = await startTestServer();
    auditor = await makeUser(server.deps, 'Auditor');
  });

  beforeEach(() =>
    server.deps.db.transaction(async (db) => {
      await db.execute('delete from saml_providers');
      await db.execute('delete from sso_providers');
    }),
  );

  after(() => server.stop());

  it('answers 200 with an empty list when there is no provider', async () => {
    const { status, headers, body } = await list();
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('cache-control'), 'private, no-cache');
    assert.deepEqual(body, { data: { saml_providers: [] } });
  });

  it('answers 200 with every member of a provider, spelled as the contract spells it', async () => {
    const at = server.now();
    const { id, ssoProviderId } = await server.deps.db.transaction((db) =>
      insertSamlProvider(
        db,
        {
          name: 'corp-idp',
          idpIssuerUri: 'https://idp.example/metadata',
          idpSsoUri: 'https://idp.example/sso',
        },
        at,
      ),
    );
    const { status, body } = await list();
    assert.equal(status, 200);
    const base = `${server.url}/api/v2/sso/corp-idp`;
    assert.deepEqual(body.data.saml_providers, [
      {
        id,
        created_at: formatRfc3339(at),
        updated_at: formatRfc3339(at),
        deleted_at: { time: '0001-01-01T00:00:00Z', valid: false },
        name: 'corp-idp',
        display_name: 'corp-idp',
        idp_issuer_uri: 'https://idp.example/metadata',
        idp_sso_uri: 'https://idp.example/sso',
        principal_attribute_mappings: [
          'urn:oid:0.9.2342.19200300.100.1.3',
          'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
        ],
        sp_issuer_uri: base,
        sp_sso_uri: `${base}/login`,
        sp_metadata_uri: `${base}/metadata`,
        sp_acs_uri: `${base}/callback`,
        sso_provider_id: { int32: ssoProviderId, valid: true },
      },
    ]);
    assert.deepEqual(Object.keys(body.data.saml_providers[0]).sort(), membersOfProvider);
  });

  it('answers 200 with several providers by id, whatever their names, each with its own members', async () => {
    const ids: number[] = [];
    for (const name of ['zulu', 'Alpha', 'mike']) ids.push((await makeProvider(server.deps, name)).id);
    const { body } = await list();
    const providers: { id: number; name: string; sp_issuer_uri: string }[] = body.data.saml_providers;
    assert.deepEqual(
      providers.map(({ id, name }) => [id, name]),
      [
        [ids[0], 'zulu'],
        [ids[1], 'Alpha'],
        [ids[2], 'mike'],
      ],
    );
    assert.ok(Number(ids[0]) < Number(ids[1]) && Number(ids[1]) < Number(ids[2]));
    for (const provider of providers) assert.deepEqual(Object.keys(provider).sort(), membersOfProvider);
  });

  it('answers 200 with the attribute mappings that a provider was given', async () => {
    await server.deps.db.transaction((db) =>
      insertSamlProvider(
        db,
        { name: 'x', idpIssuerUri: 'i', idpSsoUri: 's', attributeMappings: ['mail', 'é'] },
        1,
      ),
    );
    const { body } = await list();
    assert.deepEqual(body.data.saml_providers[0].principal_attribute_mappings, ['mail', 'é']);
  });

  it('answers 200 with URIs that hold for names with spaces and other characters', async () => {
    await makeProvider(server.deps, 'Corp IdP Two');
    await makeProvider(server.deps, 'Zürich/Ost?#');
    const { body } = await list();
    const [spaced, foreign] = body.data.saml_providers;
    assert.equal(spaced.name, 'Corp IdP Two');
    assert.equal(spaced.sp_acs_uri, `${server.url}/api/v2/sso/corp-idp-two/callback`);
    assert.equal(foreign.sp_issuer_uri, `${server.url}/api/v2/sso/z%C3%BCrich%2Fost%3F%23`);
  });

  it('answers 200 with URIs that do not come from the Host header', async () => {
    await makeProvider(server.deps, 'corp');
    const text = await getWithHost('evil.example');
    assert.ok(text.includes(`"${server.url}/api/v2/sso/corp/callback"`), text);
    assert.ok(!text.includes('evil'), text);
  });

  function getWithHost(host: string): Promise<string> {
    const headers = {
      host,
      'x-forwarded-host': host,
      forwarded: `host=${host}`,
      authorization: `Bearer ${auditor.token}`,
    };
    return new Promise((resolve, reject) => {
      const request = httpGet(server.url + path, { headers, agent: false }, async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve(text);
      });
      request.on('error', reject);
    });
  }

  it('answers 200 with URIs under the public URL and its base path', async () => {
    for (const publicUrl of ['https://kennel.example/tools/hound', 'https://kennel.example/tools/hound/']) {
      const behindProxy = await startTestServer({ KENNEL_PUBLIC_URL: publicUrl });
      try {
        await makeProvider(behindProxy.deps, 'corp');
        const { token } = await makeUser(behindProxy.deps, 'Auditor');
        const [provider] = (await behindProxy.call('GET', path, { token })).body.data.saml_providers;
        const base = 'https://kennel.example/tools/hound/api/v2/sso/corp';
        assert.deepEqual(
          [provider.sp_issuer_uri, provider.sp_sso_uri, provider.sp_metadata_uri, provider.sp_acs_uri],
          [base, `${base}/login`, `${base}/metadata`, `${base}/callback`],
        );
      } finally {
        await behindProxy.stop();
      }
    }
  });

  it('answers 200 whatever the query says, and records nothing', async () => {
    const before = (await auditRows(server.deps)).length;
    const { status } = await server.call('GET', `${path}?limit=x&limit=y`, { token: auditor.token });
    assert.equal(status, 200);
    assert.equal((await auditRows(server.deps)).length, before);
  });

  it('answers 200 to HEAD with the headers of GET and no body', async () => {
    await makeProvider(server.deps);
    const full = await list();
    const head = await server.call('HEAD', path, { token: auditor.token });
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers.get('etag'), full.headers.get('etag'));
    assert.equal(head.headers.get('content-type'), full.headers.get('content-type'));
  });

  it('answers 304 while nothing changed, and 200 again once something did', async () => {
    await makeProvider(server.deps);
    const etag = (await list()).headers.get('etag') ?? '';
    assert.match(etag, /^W\/".+"$/);
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const unchanged = await list({ 'if-none-match': known });
      assert.equal(unchanged.status, 304, known);
      assert.equal(unchanged.text, '');
      assert.equal(unchanged.headers.get('etag'), etag);
    }
    assert.equal((await list({ 'if-none-match': 'W/"other"' })).status, 200);
    await makeProvider(server.deps);
    const changed = await list({ 'if-none-match': etag });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get('etag'), etag);
  });

  it('answers 400 for a Prefer header that is not a wait', async () => {
    const { status, body } = await list({ prefer: 'respond-async' });
    assert.equal(status, 400);
    assert.equal(body.errors[0].context, 'Prefer');
  });

  it('answers 401 without a token, also to HEAD', async () => {
    const { status, headers, body } = await server.call('GET', path);
    assert.equal(status, 401);
    assert.equal(headers.get('www-authenticate'), 'Bearer');
    assert.equal(body.http_status, 401);
    assert.equal((await server.call('HEAD', path)).status, 401);
  });

  for (const role of ['User', 'Read-Only', 'Upload-Only', 'Power User'] satisfies RoleName[]) {
    it(`answers 403 to the role ${role}, which lacks auth.ReadProviders`, async () => {
      const { token } = await makeUser(server.deps, role);
      const { status, body } = await list({}, token);
      assert.equal(status, 403);
      assert.deepEqual(body.errors, [
        { context: 'ListSAMLProviders', message: 'this needs the permission auth.ReadProviders' },
      ]);
    });
  }

  it('answers 403 to a collector, and 200 to an administrator', async () => {
    assert.equal((await list({}, (await makeClient(server.deps)).token)).status, 403);
    assert.equal((await list({}, (await makeUser(server.deps, 'Administrator')).token)).status, 200);
  });

  it('answers 405 to other methods', async () => {
    const { status, headers } = await server.call('POST', path, { token: auditor.token });
    assert.equal(status, 405);
    assert.equal(headers.get('allow'), 'GET, HEAD');
  });
});
