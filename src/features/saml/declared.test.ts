import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it, mock } from 'node:test';
import { auditRows, type MadeUser, makeProvider, makeUser, roleId } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { makeCertificate } from '../../../test/sso/certificates.ts';
import { keyDescriptor, makeMetadata, providerForm, service } from '../../../test/sso/saml-metadata.ts';
import { applyProvidersFile, ProvidersFileError } from './declared.ts';

const folder = mkdtempSync(join(tmpdir(), 'kennel-providers-'));
const file = join(folder, 'providers.json');
const write = (name: string, text: string | Uint8Array) => writeFileSync(join(folder, name), text);
const declare = (...providers: object[]) => write('providers.json', JSON.stringify({ providers }));
const corp = { name: 'Corp IdP', metadata_file: 'corp.xml' };
const role = roleId('Read-Only');

let server: TestServer;
let admin: MadeUser;

const apply = (path: string | undefined = file) => applyProvidersFile(server.deps, path);
const nothing = { added: [], updated: [], released: [] };

async function listed(): Promise<Record<string, unknown>[]> {
  return (await server.call('GET', '/api/v2/sso-providers', { token: admin.token })).body.data;
}

async function storedRows(): Promise<string> {
  const rows: unknown[] = [];
  for (const table of ['sso_providers', 'saml_providers', 'sessions', 'audit_log', 'change_counter'])
    rows.push(await server.deps.db.query(`select * from ${table} order by id`));
  return JSON.stringify(rows);
}

/** Applies a file that must be refused without a change, and gives the message. */
async function refused(): Promise<string> {
  const before = await storedRows();
  const error = await apply().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ProvidersFileError, String(error));
  assert.equal(await storedRows(), before);
  assert.ok(error.message.includes(file));
  return error.message;
}

/** What the log is warned of meanwhile. */
async function warningsOf(action: () => Promise<unknown>): Promise<string[]> {
  const warn = mock.method(server.deps.log, 'warn', () => undefined);
  try {
    await action();
    return warn.mock.calls.map((call) => (call.arguments as unknown as [{ warning: string }])[0].warning);
  } finally {
    warn.mock.restore();
  }
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
  write('corp.xml', makeMetadata());
});

after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe('a file of providers', () => {
  it('adds what it declares, from files beside it and from text in it', async () => {
    declare(
      { ...corp, auto_provision: { enabled: true, default_role_id: role } },
      { name: 'b', metadata: makeMetadata() },
    );
    assert.deepEqual(await apply(), { ...nothing, added: ['Corp IdP', 'b'] });
    const [first, second] = await listed();
    assert.deepEqual(
      [first?.slug, first?.declared_in, first?.config],
      ['corp-idp', file, { auto_provision: { enabled: true, default_role_id: role, role_provision: false } }],
    );
    assert.equal(second?.declared_in, file);
    const records = (await auditRows(server.deps)).slice(0, 2);
    assert.deepEqual(
      records.map(({ action, actor_name }) => [action, actor_name]),
      [
        ['CreateSAMLProvider', 'kennel'],
        ['CreateSAMLProvider', 'kennel'],
      ],
    );
    assert.equal((records[0]?.fields.provider as { declared_in?: string } | undefined)?.declared_in, file);
  });

  it('writes nothing when it is applied again unchanged', async () => {
    declare(corp);
    await apply();
    const before = await storedRows();
    assert.deepEqual(await apply(), nothing);
    assert.equal(await storedRows(), before);
  });

  it('updates what it says differently, and signs the users of that provider out', async () => {
    declare(corp, { name: 'other', metadata: makeMetadata() });
    await apply();
    const [{ id }] = (await listed()) as [{ id: number }];
    const member = await makeUser(server.deps, 'User', { ssoProviderId: id });
    write('corp.xml', makeMetadata({ services: service('https://new.example/sso') }));
    assert.deepEqual(await apply(), { ...nothing, updated: ['Corp IdP'] });
    const [provider] = (await listed()) as [{ id: number; details: { idp_sso_uri: string } }];
    assert.deepEqual([provider.id, provider.details.idp_sso_uri], [id, 'https://new.example/sso']);
    assert.equal((await server.call('GET', '/api/v2/self', { token: member.token })).status, 401);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'UpdateSAMLProvider');
    assert.deepEqual((record?.fields.changes as Record<string, unknown> | undefined)?.idp_sso_uri, {
      before: 'https://idp.example/sso',
      after: 'https://new.example/sso',
    });
  });

  it('takes over a provider of the same name, with its users', async () => {
    const { ssoProviderId } = await makeProvider(server.deps, 'corp idp');
    declare(corp);
    assert.deepEqual(await apply(), { ...nothing, updated: ['Corp IdP'] });
    const [provider] = await listed();
    assert.deepEqual([provider?.id, provider?.name], [ssoProviderId, 'Corp IdP']);
  });

  it('keeps the API from changing or deleting what it declares: 409 that names the file', async () => {
    declare(corp);
    await apply();
    const [{ id, details }] = (await listed()) as [{ id: number; details: { id: number } }];
    const before = await storedRows();
    const message = `SSO provider "Corp IdP" is declared in the file ${file}: change it there and start the server again`;
    const token = admin.token;
    const answers = [
      await server.call('PATCH', `/api/v2/sso-providers/${id}`, {
        token,
        ...(await providerForm({ name: 'x' })),
      }),
      await server.call('DELETE', `/api/v2/sso-providers/${id}`, { token }),
      await server.call('DELETE', `/api/v2/saml/providers/${details.id}`, { token }),
    ];
    for (const { status, body } of answers) {
      assert.equal(status, 409);
      assert.equal(body.errors[0].message, message);
    }
    assert.equal(await storedRows(), before);
    const preview = await server.call('GET', `/api/v2/saml/providers/${details.id}/affected-users`, {
      token,
    });
    assert.equal(preview.body.data.refused, message);
  });

  for (const [description, path] of [
    ['that is no longer in it', file],
    ['when there is no file any more', undefined],
  ]) {
    it(`makes a provider an ordinary one ${description}, and never deletes it`, async () => {
      declare(corp, { name: 'stays', metadata: makeMetadata() });
      await apply();
      const [{ id }] = (await listed()) as [{ id: number }];
      const member = await makeUser(server.deps, 'User', { ssoProviderId: id });
      declare({ name: 'stays', metadata: makeMetadata() });
      const { released } = await applyProvidersFile(server.deps, path);
      assert.deepEqual(released, path === undefined ? ['Corp IdP', 'stays'] : ['Corp IdP']);
      const [provider] = await listed();
      assert.equal(provider?.declared_in, null);
      // Nothing that people sign in with has changed.
      assert.equal((await server.call('GET', '/api/v2/self', { token: member.token })).status, 200);
      const removed = await server.call('DELETE', `/api/v2/sso-providers/${id}`, { token: admin.token });
      assert.equal(removed.status, 200);
    });
  }

  it('does not keep the server from starting once metadata that was accepted has expired', async () => {
    const keys = keyDescriptor(makeCertificate({ to: server.now() + 60_000 }));
    declare({ name: 'short', metadata: makeMetadata({ keys }) });
    await apply();
    server.advance(120_000);
    const warnings = await warningsOf(() => apply());
    assert.match(warnings.join(), /the certificate of CN=idp\.example expired at/);
    declare({ name: 'short', metadata: makeMetadata({ keys, entityId: 'urn:changed' }) });
    assert.match(await refused(), /providers\.0\.metadata: the certificate of CN=idp\.example expired at/);
  });
});

describe('a certificate that is not valid now, next to one that is', () => {
  it('is accepted with a warning in the log', async () => {
    const late = makeCertificate({ commonName: 'late', to: Date.UTC(2020, 0, 1) });
    const early = makeCertificate({
      commonName: 'early',
      from: Date.UTC(2100, 0, 1),
      to: Date.UTC(2101, 0, 1),
    });
    const keys = [late, early, makeCertificate()].map((one) => keyDescriptor(one)).join('');
    const metadata = makeMetadata({ keys });
    const expected = [
      'the certificate of CN=late expired at 2020-01-01T00:00:00Z',
      'the certificate of CN=early is not valid before 2100-01-01T00:00:00Z',
    ];
    declare({ name: 'declared', metadata });
    assert.deepEqual(await warningsOf(() => apply()), expected);
    const form = await providerForm({ name: 'sent', metadata });
    const send = () => server.call('POST', '/api/v2/saml/providers', { token: admin.token, ...form });
    assert.deepEqual(await warningsOf(send), expected);
  });
});

describe('a bad file of providers', () => {
  it('is refused with every problem and its place, and nothing of it is applied', async () => {
    write('bad.xml', '<a>\n<b></a>');
    declare(
      { name: 'good', metadata: makeMetadata() },
      { name: 'a/b', metadata_file: 'bad.xml' },
      { name: 'GOOD', metadata_file: 'absent.xml' },
      { name: 'both', metadata: 'x', metadata_file: 'y' },
      { name: 'neither', auto_provision: { enabled: true } },
      { name: 'role', metadata: makeMetadata(), auto_provision: { default_role_id: 99 } },
    );
    const message = await refused();
    for (const expected of [
      /- providers\.1\.name: name must not hold/,
      /- providers\.1\.metadata_file: .*bad\.xml: .*closing tag does not match.*\(line 2, column \d+\)/,
      /- providers\.2\.name: providers\.0\.name has the same name or address/,
      /- providers\.2\.metadata_file: .*absent\.xml cannot be read: there is no such file/,
      /- providers\.3: must have either metadata_file or metadata/,
      /- providers\.4: must have either metadata_file or metadata/,
      /- providers\.4\.auto_provision\.default_role_id: is required/,
      /- providers\.5\.auto_provision\.default_role_id: must be the id of a role/,
    ])
      assert.match(message, expected);
  });

  const files: [description: string, text: string | Uint8Array, reason: RegExp][] = [
    ['no JSON', '{"providers": [', /not valid JSON: .*line 1, column/],
    ['another shape', '{"provider": []}', /providers is required[\s\S]*provider is not a known member/],
    ['a list', '[]', /the file must be an object/],
    ['a member of the wrong type', '{"providers":[{"name":7}]}', /providers\.0\.name must be a string/],
    [
      'an unknown member',
      '{"providers":[{"name":"a","metadata":"x","url":""}]}',
      /providers\.0\.url is not a known/,
    ],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff]), /the file is not valid UTF-8/],
    ['an empty file', '', /the file is empty/],
  ];
  for (const [description, text, reason] of files) {
    it(`is refused: ${description}`, async () => {
      write('providers.json', text);
      assert.match(await refused(), reason);
    });
  }

  it('is refused when it is not there or a directory', async () => {
    await assert.rejects(apply(join(folder, 'no.json')), /no\.json cannot be read: there is no such file/);
    await assert.rejects(apply(folder), /cannot be read: it is a directory/);
  });

  it('undoes what was already applied when a later provider is refused', async () => {
    const expired = keyDescriptor(makeCertificate({ to: Date.UTC(2020, 0, 1) }));
    declare(
      { name: 'first', metadata: makeMetadata() },
      { name: 'late', metadata: makeMetadata({ keys: expired }) },
    );
    assert.match(await refused(), /providers\.1\.metadata: .*expired at 2020-01-01/);
    assert.deepEqual(await listed(), []);
  });
});
