import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser, roleId } from '../../../test/server/builders.ts';
import { type Answer, startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { fingerprint, makeCertificate } from '../../../test/sso/certificates.ts';
import {
  keyDescriptor,
  makeMetadata,
  providerForm,
  usualCertificate,
} from '../../../test/sso/saml-metadata.ts';
import { styles } from '../../../test/sso/saml-styles.ts';

type Fields = Record<string, string | Uint8Array | undefined>;
const paths = ['/api/v2/saml/providers', '/api/v2/sso-providers/saml'];
const auto = (field: string) => `config.auto_provision.${field}`;
let serial = 0;

let server: TestServer;
let admin: MadeUser;

async function create(fields: Fields, path = paths[0] ?? '', token = admin.token): Promise<Answer> {
  const form = await providerForm({ name: `made-${++serial}`, metadata: makeMetadata(), ...fields });
  return server.call('POST', path, { token, ...form });
}

const stored = (id: number) =>
  server.deps.db.one<{ metadata_xml: string; certificates: string }>(
    'select metadata_xml, certificates from saml_providers where id = $1',
    [id],
  );
const listed = async (ssoId: number) =>
  (await server.call('GET', `/api/v2/sso-providers?id=eq:${ssoId}`, { token: admin.token })).body.data[0];

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});

after(() => server.stop());

for (const path of paths) {
  describe(`POST ${path}`, () => {
    it('answers 200 with the provider as it is shown, and records it', async () => {
      const name = `Corp IdP ${++serial}`;
      const slug = `corp-idp-${serial}`;
      const { status, body } = await create({ name: `  ${name} ` }, path);
      assert.equal(status, 200);
      const { data } = body;
      assert.deepEqual(
        [data.name, data.display_name, data.idp_issuer_uri, data.idp_sso_uri, data.sp_acs_uri],
        [
          name,
          name,
          'https://idp.example/metadata',
          'https://idp.example/sso',
          `${server.url}/api/v2/sso/${slug}/callback`,
        ],
      );
      const shown = await server.call('GET', `/api/v2/saml/providers/${data.id}`, { token: admin.token });
      assert.deepEqual(shown.body.data, data);
      const row = await stored(data.id);
      assert.equal(row?.metadata_xml, makeMetadata());
      assert.deepEqual(JSON.parse(row?.certificates ?? ''), [usualCertificate()]);
      const [record] = await auditRows(server.deps);
      assert.equal(record?.action, 'CreateSAMLProvider');
      assert.equal(record?.actor_name, admin.name);
      const audited = record?.fields.provider as Record<string, unknown>;
      assert.deepEqual(
        [audited.id, audited.name, audited.slug, audited.certificates_sha256],
        [data.id, name, slug, [fingerprint(usualCertificate())]],
      );
    });

    it('answers 400 for a form without its required fields, naming each', async () => {
      const { status, body } = await create({ name: undefined, metadata: undefined }, path);
      assert.equal(status, 400);
      assert.deepEqual(body.errors, [
        { context: 'name', message: 'form is missing "name" parameter' },
        { context: 'metadata', message: 'form is missing "metadata" parameter' },
      ]);
    });

    it('answers 403 without auth.ManageProviders, and 415 for JSON', async () => {
      const auditor = await makeUser(server.deps, 'Auditor');
      assert.equal((await create({}, path, auditor.token)).status, 403);
      const json = await server.call('POST', path, { token: admin.token, body: { name: 'x' } });
      assert.equal(json.status, 415);
    });
  });
}

describe('the metadata of a new provider', () => {
  for (const { product, document, issuer, ssoUrl, certificates } of styles()) {
    it(`is accepted in the style of ${product}`, async () => {
      const { status, body, text } = await create({ metadata: document });
      assert.equal(status, 200, text);
      assert.deepEqual([body.data.idp_issuer_uri, body.data.idp_sso_uri], [issuer, ssoUrl]);
      const row = await stored(body.data.id);
      assert.deepEqual(JSON.parse(row?.certificates ?? ''), certificates);
    });
  }

  it('is accepted with an expired certificate next to a valid one, and with one certificate twice', async () => {
    const expired = makeCertificate({ to: Date.now() - 1000 });
    const keys = [expired, usualCertificate(), usualCertificate()].map((one) => keyDescriptor(one)).join('');
    const { status, body } = await create({ metadata: makeMetadata({ keys }) });
    assert.equal(status, 200);
    const row = await stored(body.data.id);
    assert.deepEqual(JSON.parse(row?.certificates ?? ''), [expired, usualCertificate()]);
  });
});

describe('the name of a new provider', () => {
  const odd = [
    'Zürich & Söhne',
    '日本 ポータル',
    `<"it's">`,
    'a+b=c;d:e@f!g~h(i)',
    '20 chars, $odd* [x].',
    'n'.repeat(100),
  ];
  for (const name of odd) {
    it(`may be ${name.slice(0, 20)}: its addresses lead back to it`, async () => {
      const { status, body } = await create({ name });
      assert.equal(status, 200);
      assert.equal(body.data.name, name);
      const path = new URL(body.data.sp_metadata_uri).pathname;
      assert.equal((await server.call('GET', path)).status, 200);
      const slug = name.toLowerCase().replaceAll(' ', '-');
      assert.equal((await listed(body.data.sso_provider_id)).slug, slug);
    });
  }

  it('is stored in composed form', async () => {
    const { body } = await create({ name: 'Cafe\u0301' });
    assert.equal(body.data.name, 'Caf\u00e9');
    assert.equal((await create({ name: 'Caf\u00e9' })).status, 409);
  });

  const bad: [name: string, reason: RegExp][] = [
    ['', /1 to 100 characters, and has 0/],
    ['   ', /1 to 100 characters, and has 0/],
    ['n'.repeat(101), /and has 101/],
    ['a/b', /must not hold/],
    ['a\\b', /must not hold/],
    ['a?b', /must not hold/],
    ['a#b', /must not hold/],
    ['100%', /must not hold/],
    ['..', /must not consist of dots/],
    ['a\tb', /plain spaces only/],
    ['a\u00a0b', /plain spaces only/],
    ['a\u202eb', /punctuation and plain spaces only/],
  ];
  for (const [name, reason] of bad) {
    it(`answers 400 for ${JSON.stringify(name).slice(0, 20)}`, async () => {
      const { status, body } = await create({ name });
      assert.equal(status, 400);
      assert.equal(body.errors[0].context, 'name');
      assert.match(body.errors[0].message, reason);
    });
  }

  it('answers 409 when the name or its address is taken, and adds nothing', async () => {
    assert.equal((await create({ name: 'Taken Name' })).status, 200);
    const before = await server.deps.db.query('select id from sso_providers');
    const same = await create({ name: 'Taken Name' });
    assert.equal(same.status, 409);
    assert.deepEqual(same.body.errors, [
      { context: 'name', message: 'sso provider name must be unique: "Taken Name" exists already' },
    ]);
    const alike = await create({ name: 'taken-name' });
    assert.equal(alike.status, 409);
    assert.match(
      alike.body.errors[0].message,
      /must be unique: "taken-name" would have the address of "Taken Name"/,
    );
    assert.deepEqual(await server.deps.db.query('select id from sso_providers'), before);
  });

  it('is given to one of several that ask at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'contended' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
  });
});

describe('auto provision of a new provider', () => {
  it('is off unless asked for', async () => {
    const { body } = await create({});
    const { config } = await listed(body.data.sso_provider_id);
    assert.deepEqual(config, {
      auto_provision: { enabled: false, default_role_id: 0, role_provision: false },
    });
  });

  it('is stored as it is asked for', async () => {
    const role = roleId('Read-Only');
    const { status, body } = await create({
      [auto('enabled')]: 'true',
      [auto('default_role_id')]: String(role),
      [auto('role_provision')]: 'true',
    });
    assert.equal(status, 200);
    const { config } = await listed(body.data.sso_provider_id);
    assert.deepEqual(config.auto_provision, { enabled: true, default_role_id: role, role_provision: true });
  });

  it('takes an unset role while it is off, as forms send it', async () => {
    for (const unset of ['', '0']) {
      const fields = { [auto('enabled')]: 'false', [auto('default_role_id')]: unset };
      assert.equal((await create(fields)).status, 200);
    }
  });

  const bad: [fields: Fields, context: string, reason: RegExp][] = [
    [{ enabled: 'true' }, 'default_role_id', /must be the id of a role where/],
    [{ enabled: 'true', default_role_id: '0' }, 'default_role_id', /must be the id of a role where/],
    [{ enabled: 'true', default_role_id: '77' }, 'default_role_id', /1 \(Administrator\).*but is "77"/],
    [{ default_role_id: 'Auditor' }, 'default_role_id', /must be the id of a role/],
    [{ enabled: 'True' }, 'enabled', /must be true or false, but is "True"/],
    [{ role_provision: '1' }, 'role_provision', /must be true or false/],
  ];
  for (const [fields, context, reason] of bad) {
    it(`answers 400 for ${JSON.stringify(fields)}`, async () => {
      const prefixed = Object.fromEntries(Object.entries(fields).map(([key, value]) => [auto(key), value]));
      const { status, body } = await create(prefixed);
      assert.equal(status, 400);
      assert.equal(body.errors[0].context, auto(context));
      assert.match(body.errors[0].message, reason);
    });
  }
});

describe('a change of providers', () => {
  it('is stored together with its audit record, or not at all', async () => {
    const { body } = await create({ name: 'before' });
    const rows = async () =>
      JSON.stringify([
        await server.deps.db.query('select * from sso_providers order by id'),
        await server.deps.db.query('select * from saml_providers order by id'),
      ]);
    const before = await rows();
    const rename = (from: string, to: string) =>
      server.deps.db.transaction((db) => db.execute(`alter table ${from} rename to ${to}`));
    await rename('audit_log', 'audit_log_away');
    try {
      const form = await providerForm({ name: 'after' });
      const path = `/api/v2/sso-providers/${body.data.sso_provider_id}`;
      assert.equal((await create({})).status, 500);
      assert.equal((await server.call('PATCH', path, { token: admin.token, ...form })).status, 500);
      assert.equal((await server.call('DELETE', path, { token: admin.token })).status, 500);
    } finally {
      await rename('audit_log_away', 'audit_log');
    }
    assert.equal(await rows(), before);
    assert.equal((await create({})).status, 200);
  });
});
