import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  changeRows,
  type MadeUser,
  makeClient,
  makeProvider,
  makeUser,
  type RoleName,
  sharedPassword,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { lockAdministrators } from '../users/index.ts';

const tables = ['saml_providers', 'sso_providers', 'users', 'auth_secrets', 'sessions', 'change_counter'];

describe('DELETE /api/v2/saml/providers/:saml_provider_id, refused', () => {
  let server: TestServer;
  let provider: { id: number; ssoProviderId: number };
  let member: MadeUser;
  const remove = (id: number | string, token?: string) =>
    server.call('DELETE', `/api/v2/saml/providers/${id}`, { token });

  before(async () => {
    server = await startTestServer();
  });

  /** A provider with one ordinary user, and nobody else. */
  beforeEach(async () => {
    await server.deps.db.transaction(async (db) => {
      for (const table of [
        'sessions',
        'auth_secrets',
        'users',
        'saml_providers',
        'sso_providers',
        'audit_log',
      ])
        await db.execute(`delete from ${table}`);
      await server.deps.changes.announce(db);
    });
    provider = await makeProvider(server.deps);
    member = await makeUser(server.deps, 'User', { ssoProviderId: provider.ssoProviderId });
  });

  /** After every refusal the provider is still there and its user still signed in. */
  afterEach(async () => {
    assert.equal((await server.call('GET', '/api/v2/self', { token: member.token })).status, 200);
    const left = await server.deps.db.query('select id from saml_providers where id = $1', [provider.id]);
    assert.equal(left.length, 1);
  });

  after(() => server.stop());

  async function storedRows(): Promise<string> {
    const rows: Record<string, unknown[]> = {};
    for (const table of tables)
      rows[table] = await server.deps.db.query(`select * from ${table} order by id`);
    rows.audit_log = await changeRows(server.deps);
    return JSON.stringify(rows, null, 1);
  }

  /** Sends a deletion that must not change a single row; all that the audit log may gain is that it was refused. */
  async function refused(id: number | string, token?: string) {
    const before = await storedRows();
    const answer = await remove(id, token);
    assert.equal(await storedRows(), before);
    return answer;
  }

  const badIds = {
    letters: 'abc',
    hexadecimal: '0x1',
    exponent: '1e3',
    fraction: '1.5',
    'whole fraction': '1.0',
    'plus sign': '+1',
    'sign alone': '-',
    'two signs': '--1',
    blank: '%20',
    'leading blank': '%201',
    'trailing blank': '1%20',
    'line end': '1%0A',
    separator: '1_000',
    'thousands comma': '1,000',
    'digits of another script': encodeURIComponent('１'),
    'U+0000': '1%00',
    NaN: 'NaN',
    Infinity: 'Infinity',
    'one more than 32 bits hold': '2147483648',
    'one less than 32 bits hold': '-2147483649',
    'beyond 64 bits': '99999999999999999999',
  };
  for (const [form, id] of Object.entries(badIds)) {
    it(`answers 400 for an id that is not a 32-bit integer: ${form}`, async () => {
      const { token } = await makeUser(server.deps);
      const { status, body } = await refused(id, token);
      assert.equal(status, 400);
      assert.equal(body.errors.length, 1);
      assert.equal(body.errors[0].context, 'saml_provider_id');
      assert.match(
        body.errors[0].message,
        /^saml_provider_id must be a whole number that fits 32 bits, but is "/,
      );
    });
  }

  it('answers 400 for a number whose lowest 32 bits are the id of a provider', async () => {
    const { token } = await makeUser(server.deps);
    assert.equal((await refused(2 ** 32 + provider.id, token)).status, 400);
  });

  it('answers 400 for query parameters, naming each of them beside the bad id', async () => {
    const { token } = await makeUser(server.deps);
    const single = await refused(`${provider.id}?force=true`, token);
    assert.equal(single.status, 400);
    assert.deepEqual(single.body.errors, [{ context: 'force', message: 'unknown query parameter: force' }]);
    const several = await refused('x?force=true&dry_run', token);
    assert.equal(several.status, 400);
    assert.deepEqual(
      several.body.errors.map((error: { context: string }) => error.context),
      ['saml_provider_id', 'force', 'dry_run'],
    );
  });

  it('answers 400 for a query parameter that is named like a member of every object', async () => {
    const { token } = await makeUser(server.deps);
    for (const name of ['toString', 'constructor', '__proto__']) {
      assert.equal((await refused(`${provider.id}?${name}=1`, token)).status, 400, name);
    }
  });

  it('answers 401 without a token, whether the provider exists or not', async () => {
    for (const id of [provider.id, 2147483647, 'abc']) {
      const { status, headers } = await refused(id);
      assert.equal(status, 401);
      assert.equal(headers.get('www-authenticate'), 'Bearer');
    }
  });

  for (const role of ['User', 'Read-Only', 'Upload-Only', 'Power User', 'Auditor'] satisfies RoleName[]) {
    it(`answers 403 to the role ${role}, whether the provider exists or not`, async () => {
      const { token } = await makeUser(server.deps, role);
      for (const id of [provider.id, 2147483647, 'abc']) {
        const { status, body } = await refused(id, token);
        assert.equal(status, 403);
        assert.deepEqual(body.errors, [
          { context: 'DeleteSAMLProvider', message: 'this needs the permission auth.ManageProviders' },
        ]);
      }
    });
  }

  it('answers 403 to a collector and to an administrator whose password has expired', async () => {
    const collector = await makeClient(server.deps);
    const expired = await makeUser(server.deps, 'Administrator', { secret: 'expired' });
    for (const { token } of [collector, expired])
      assert.equal((await refused(provider.id, token)).status, 403);
  });

  it('answers 404 for an id that belongs to no SAML provider', async () => {
    const { token } = await makeUser(server.deps);
    for (const id of ['0', '-0', '-1', '-2147483648', '2147483647']) {
      const { status, body } = await refused(id, token);
      assert.equal(status, 404, id);
      const message = `SAML provider ${Number(id)} does not exist`;
      assert.deepEqual(body.errors, [{ context: 'saml_provider_id', message }]);
    }
  });

  it('answers 404 for the id of an SSO provider that is not the id of a SAML provider', async () => {
    const { token } = await makeUser(server.deps);
    const other = await server.deps.db.transaction((db) =>
      db.one<{ id: number }>(
        `insert into sso_providers (name, slug, type, created_at, updated_at) values ('o', 'o', 'OIDC', 1, 1) returning id`,
      ),
    );
    assert.equal((await refused(other?.id ?? 0, token)).status, 404);
  });

  it('answers 404 when the provider has been deleted before', async () => {
    const { token } = await makeUser(server.deps);
    const { id } = await makeProvider(server.deps);
    assert.equal((await remove(id, token)).status, 200);
    const { status, body } = await refused(id, token);
    assert.equal(status, 404);
    assert.equal(body.errors[0].message, `SAML provider ${id} does not exist`);
  });

  it('answers 409 when it is the provider that the caller signs in with', async () => {
    await makeUser(server.deps); // so that the last administrator is not the reason
    const { token } = await makeUser(server.deps, 'Administrator', { ssoProviderId: provider.ssoProviderId });
    const { status, body } = await refused(provider.id, token);
    assert.equal(status, 409);
    assert.match(body.errors[0].message, /is the one you sign in with/);
  });

  type Other = [description: string, role: RoleName, options: Parameters<typeof makeUser>[2]];
  const unable: Other[] = [
    ['the only other administrator is locked', 'Administrator', { secret: 'locked' }],
    ['the only other administrator is disabled', 'Administrator', { isDisabled: true }],
    ['the only other administrator has no secret', 'Administrator', { secret: 'none' }],
    ['the only other user with a password is no administrator', 'Power User', {}],
  ];
  for (const [description, role, options] of unable) {
    it(`answers 409 when ${description}`, async () => {
      await makeUser(server.deps, role, options);
      await checkLastAdministrator();
    });
  }

  it('answers 409 when every other administrator signs in through a provider', async () => {
    const other = await makeProvider(server.deps);
    // A password from before does not count: it can't be used while there is a provider.
    await makeUser(server.deps, 'Administrator', { ssoProviderId: other.ssoProviderId, secret: 'usable' });
    await makeUser(server.deps, 'Administrator', { ssoProviderId: provider.ssoProviderId, secret: 'locked' });
    await checkLastAdministrator();
  });

  it('answers 409 when there is no other administrator', () => checkLastAdministrator());

  it('answers 409 when the last able administrator is being disabled at the same time', async () => {
    const able = await makeUser(server.deps);
    const { ssoProviderId } = await makeProvider(server.deps);
    const { token } = await makeUser(server.deps, 'Administrator', { ssoProviderId });
    let deleting: ReturnType<typeof remove> | undefined;
    await server.deps.db.transaction(async (db) => {
      await lockAdministrators(db);
      await db.execute('update users set is_disabled = 1 where id = $1', [able.id]);
      deleting = remove(provider.id, token);
      // It has to wait for this to end; a deletion that did not would be through by then.
      await Promise.race([deleting, sleep(300)]);
    });
    assert.equal((await deleting)?.status, 409);
  });

  /** The caller is an administrator of another provider, who has no local secret either. */
  async function checkLastAdministrator(): Promise<void> {
    const { ssoProviderId } = await makeProvider(server.deps);
    const { token } = await makeUser(server.deps, 'Administrator', { ssoProviderId });
    const { status, body } = await refused(provider.id, token);
    assert.equal(status, 409);
    assert.deepEqual(body.errors, [
      {
        context: 'DeleteSAMLProvider',
        message: `deleting SAML provider ${provider.id} would leave no administrator able to sign in`,
      },
    ]);
    // The same caller may as soon as somebody is able: an expired password can still be changed by its owner.
    const able = await makeUser(server.deps, 'Administrator', { secret: 'expired' });
    const spare = await makeProvider(server.deps);
    assert.equal((await remove(spare.id, token)).status, 200);
    const signIn = { login_method: 'secret', username: able.name, secret: sharedPassword };
    assert.equal((await server.call('POST', '/api/v2/login', { body: signIn })).status, 200);
  }
});
