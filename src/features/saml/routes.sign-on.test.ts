import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { makeProvider } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { metadataNamespace, post, protocol } from '../../../test/sso/saml-metadata.ts';
import { parseXml } from './xml.ts';

let server: TestServer;

before(async () => {
  server = await startTestServer({ KENNEL_PUBLIC_URL: "https://kennel.example/a&b/it's" });
});

beforeEach(() =>
  server.deps.db.transaction(async (db) => {
    await db.execute('delete from saml_providers');
    await db.execute('delete from sso_providers');
  }),
);

after(() => server.stop());

const base = "https://kennel.example/a&b/it's/api/v2/sso";

describe('GET /api/v2/saml/sso', () => {
  it('answers 200 to everybody with where to sign in', async () => {
    assert.deepEqual((await server.call('GET', '/api/v2/saml/sso')).body, { data: { endpoints: [] } });
    await makeProvider(server.deps, 'Corp IdP');
    const { status, body } = await server.call('GET', '/api/v2/saml/sso');
    assert.equal(status, 200);
    const url = `${base}/corp-idp/login`;
    assert.deepEqual(body.data.endpoints, [{ name: 'Corp IdP', initiation_url: url, idp_url: url }]);
  });
});

describe('GET /api/v2/sso/:slug/metadata', () => {
  for (const name of ['corp', `& < > " '`, `a"/><x a='`, ']]>&amp;', 'Zürich 日本']) {
    it(`answers 200 with well-formed XML for the name ${name}`, async () => {
      await makeProvider(server.deps, name);
      const slug = encodeURIComponent(name.toLowerCase().replaceAll(' ', '-'));
      const { status, headers, text } = await server.call('GET', `/api/v2/sso/${slug}/metadata`);
      assert.equal(status, 200, text);
      assert.equal(headers.get('content-type'), 'application/samlmetadata+xml; charset=utf-8');
      const root = parseXml(text);
      assert.deepEqual([root.name, root.namespace], ['EntityDescriptor', metadataNamespace]);
      assert.equal(root.attributes.get('entityID'), `${base}/${slug}`);
      const [role, ...otherRoles] = root.children;
      assert.deepEqual(otherRoles, []);
      assert.deepEqual(Object.fromEntries(role?.attributes ?? []), {
        AuthnRequestsSigned: 'false',
        WantAssertionsSigned: 'true',
        protocolSupportEnumeration: protocol,
      });
      const [format, consumer] = role?.children ?? [];
      assert.equal(format?.text, 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress');
      assert.deepEqual(Object.fromEntries(consumer?.attributes ?? []), {
        Binding: post,
        Location: `${base}/${slug}/callback`,
        index: '0',
        isDefault: 'true',
      });
    });
  }

  it('answers 404 for an unknown slug, and for one in another case', async () => {
    await makeProvider(server.deps, 'corp');
    for (const slug of ['other', 'CORP', '%2e%2e%2fcorp']) {
      const { status, body } = await server.call('GET', `/api/v2/sso/${slug}/metadata`);
      assert.equal(status, 404, slug);
      assert.match(body.errors[0].message, /^there is (no SSO provider|nothing at)/);
    }
  });
});

describe('signing in through a provider', () => {
  for (const [method, step] of [
    ['GET', 'login'],
    ['POST', 'callback'],
    ['GET', 'callback'],
  ]) {
    it(`answers ${method} ${step} with 404 for an unknown slug, otherwise with 501`, async () => {
      await makeProvider(server.deps, 'Corp IdP');
      const send = (slug: string) =>
        server.call(method ?? '', `/api/v2/sso/${slug}/${step}`, {
          ...(method === 'POST'
            ? {
                body: 'SAMLResponse=PHg%2BPC94Pg%3D%3D',
                headers: { 'content-type': 'application/x-www-form-urlencoded' },
              }
            : {}),
        });
      assert.equal((await send('other')).status, 404);
      const { status, body } = await send('corp-idp');
      assert.equal(status, 501);
      assert.equal(body.http_status, 501);
      assert.match(body.errors[0].message, /signing in through SSO provider "Corp IdP" is not available yet/);
    });
  }
});
