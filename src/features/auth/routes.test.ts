import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import {
  auditRows,
  makeClient,
  makeProvider,
  makeToken,
  makeUser,
  roleId,
  sharedPassword,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { createDeps, StartError } from '../../bootstrap.ts';
import type { Transaction, Value } from '../../db/client.ts';
import { resetPassword } from '../users/index.ts';

let server: TestServer;
const self = (token: string, at: TestServer = server) => at.call('GET', '/api/v2/self', { token });
const logout = (token?: string) => server.call('POST', '/api/v2/logout', { token });

describe('POST /api/v2/logout', () => {
  before(async () => {
    server = await startTestServer();
  });

  after(() => server.stop());

  it('answers 200 and ends that session at once, and no other', async () => {
    const user = await makeUser(server.deps);
    const other = await makeToken(server.deps, 'user', user.id);
    for (const token of [user.token, other]) assert.equal((await self(token)).status, 200);
    const { status, body } = await logout(user.token);
    assert.equal(status, 200);
    assert.deepEqual(body, { data: { ended: true } });
    assert.equal((await self(user.token)).status, 401);
    assert.equal((await self(other)).status, 200);
  });

  it('answers 200 to a collector, to an expired password, and whatever the body is', async () => {
    const collector = await makeClient(server.deps);
    assert.equal((await logout(collector.token)).status, 200);
    assert.equal((await self(collector.token)).status, 401);
    const expired = await makeUser(server.deps, 'User', { secret: 'expired' });
    const { status } = await server.call('POST', '/api/v2/logout', {
      token: expired.token,
      body: '<xml/>',
      headers: { 'content-type': 'text/xml' },
    });
    assert.equal(status, 200);
  });

  it('answers 200 and records who ended which session', async () => {
    const user = await makeUser(server.deps);
    const before = (await auditRows(server.deps)).length;
    const { headers } = await logout(user.token);
    const rows = await auditRows(server.deps);
    assert.equal(rows.length, before + 1);
    assert.deepEqual(rows[0], {
      action: 'SignOut',
      outcome: 'success',
      actor_name: user.name,
      request_id: headers.get('x-request-id'),
      fields: { session_id: decodeJwt(user.token).jti },
    });
  });

  it('answers 401 without a token and to a session that has ended, and records nothing', async () => {
    const user = await makeUser(server.deps);
    await logout(user.token);
    const before = (await auditRows(server.deps)).length;
    for (const token of [undefined, user.token]) assert.equal((await logout(token)).status, 401);
    assert.equal((await auditRows(server.deps)).length, before);
  });

  it('answers 405 to GET, so that no link can sign anybody out', async () => {
    const { token } = await makeUser(server.deps);
    assert.equal((await server.call('GET', '/api/v2/logout', { token })).status, 405);
    assert.equal((await self(token)).status, 200);
  });
});

describe('GET /api/v2/self', () => {
  before(async () => {
    server = await startTestServer();
  });

  after(() => server.stop());

  it('answers 200 with the user who is calling', async () => {
    const { ssoProviderId, id } = await makeProvider(server.deps);
    const user = await makeUser(server.deps, 'Auditor', { ssoProviderId, lastName: 'Byron' });
    const { status, body } = await self(user.token);
    assert.equal(status, 200);
    const { created_at, updated_at, roles, AuthSecret, ...rest } = body.data;
    const unsetTime = { Time: '0001-01-01T00:00:00Z', Valid: false };
    assert.deepEqual(rest, {
      id: user.id,
      deleted_at: unsetTime,
      saml_provider_id: id,
      sso_provider_id: ssoProviderId,
      first_name: null,
      last_name: 'Byron',
      email_address: null,
      principal_name: user.name,
      last_login: '0001-01-01T00:00:00Z',
      is_disabled: false,
      eula_accepted: true,
      all_environments: true,
      environment_targeted_access_control: [],
    });
    assert.equal(created_at, updated_at);
    assert.deepEqual(
      roles.map((role: { name: string }) => role.name),
      ['Auditor'],
    );
    assert.equal(AuthSecret, null);
  });

  it('answers 200 with the collector that is calling', async () => {
    const collector = await makeClient(server.deps);
    const { status, body } = await self(collector.token);
    assert.equal(status, 200);
    const { created_at, updated_at, ...rest } = body.data;
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, {
      id: collector.id,
      deleted_at: { Time: '0001-01-01T00:00:00Z', Valid: false },
      name: collector.name,
      type: 'sharphound',
      ip_address: '',
      hostname: '',
      configured_user: '',
      user_sid: null,
      version: '',
      domain_controller: null,
      last_checkin: '0001-01-01T00:00:00Z',
    });
  });

  it('answers 200 without any secret, digest or key', async () => {
    const { token } = await makeUser(server.deps);
    const { text } = await self(token);
    assert.doesNotMatch(text, /argon2id|"digest"|"secret"|locked/);
  });

  it('answers 304 to one who has seen it', async () => {
    const { token } = await makeUser(server.deps);
    const etag = (await self(token)).headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag };
    assert.equal((await server.call('GET', '/api/v2/self', { token, headers })).status, 304);
  });

  it('answers 401 without a token, and 403 while the password has expired', async () => {
    assert.equal((await server.call('GET', '/api/v2/self')).status, 401);
    const { token } = await makeUser(server.deps, 'User', { secret: 'expired' });
    assert.equal((await self(token)).status, 403);
    // Whoever signs in through a provider has no use for the password they once had.
    const { ssoProviderId } = await makeProvider(server.deps);
    const sso = await makeUser(server.deps, 'User', { ssoProviderId, secret: 'expired' });
    assert.equal((await self(sso.token)).status, 200);
  });
});

describe('Sessions, when something changes', () => {
  before(async () => {
    server = await startTestServer();
  });

  after(() => server.stop());

  async function change(work: (db: Transaction) => Promise<unknown>): Promise<void> {
    await server.deps.db.transaction(async (db) => {
      await work(db);
      await server.deps.changes.announce(db);
    });
  }
  const update = (sql: string, ...params: Value[]) => change((db) => db.execute(sql, params));
  const write = (token: string) =>
    server.call('PUT', '/api/v2/config', {
      token,
      body: { key: 'analysis.reconciliation', value: { enabled: true } },
    });

  it('answer 401 as soon as the user is disabled, and 200 when that is undone', async () => {
    const { id, token } = await makeUser(server.deps);
    assert.equal((await self(token)).status, 200);
    await update('update users set is_disabled = 1 where id = $1', id);
    assert.equal((await self(token)).status, 401);
    await update('update users set is_disabled = 0 where id = $1', id);
    assert.equal((await self(token)).status, 200);
  });

  it('answer 401 as soon as the user or the collector is deleted', async () => {
    const { id, token } = await makeUser(server.deps);
    const collector = await makeClient(server.deps);
    for (const used of [token, collector.token]) assert.equal((await self(used)).status, 200);
    await change(async (db) => {
      await db.execute('delete from sessions where user_id = $1 or client_id = $2', [id, collector.id]);
      await db.execute('delete from auth_secrets where user_id = $1', [id]);
      await db.execute('delete from users where id = $1', [id]);
      await db.execute('delete from clients where id = $1', [collector.id]);
    });
    for (const used of [token, collector.token]) assert.equal((await self(used)).status, 401);
  });

  it('answer 401 as soon as there is no way left to sign in', async () => {
    const { id, token } = await makeUser(server.deps);
    assert.equal((await self(token)).status, 200);
    await update('delete from auth_secrets where user_id = $1', id);
    assert.equal((await self(token)).status, 401);
  });

  it('answer 401 after a password reset', async () => {
    const { name, token } = await makeUser(server.deps);
    assert.equal((await self(token)).status, 200);
    assert.equal(await resetPassword(server.deps, name, sharedPassword), true);
    assert.equal((await self(token)).status, 401);
  });

  it('answer 403 as soon as the role no longer allows it, and 200 when it does again', async () => {
    const { id, token } = await makeUser(server.deps);
    assert.equal((await write(token)).status, 200);
    await update('update users set role_id = $2 where id = $1', id, roleId('Power User'));
    assert.equal((await write(token)).status, 403);
    await update('update users set role_id = $2 where id = $1', id, roleId('Administrator'));
    assert.equal((await write(token)).status, 200);
  });

  it('answer 403 as soon as a permission is taken from the role', async () => {
    const { token } = await makeUser(server.deps, 'Auditor');
    const list = () => server.call('GET', '/api/v2/saml', { token });
    assert.equal((await list()).status, 200);
    await update(
      `delete from role_permissions where role_id = $1
         and permission_id = (select id from permissions where authority = 'auth' and name = 'ReadProviders')`,
      roleId('Auditor'),
    );
    assert.equal((await list()).status, 403);
  });

  it('answer 200 across a rotation of the secret for as long as the former one is given', async () => {
    const [former, next, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const first = await startTestServer({ KENNEL_SECRET: former.toString('base64') });
    const servers = [first];
    const { settings, log } = first.deps;
    const start = async (secret: Buffer, previous?: Buffer) => {
      const started = await startTestServer({
        KENNEL_DATA_DIR: settings.dataDir,
        KENNEL_SECRET: secret.toString('base64'),
        ...(previous === undefined ? {} : { KENNEL_SECRET_PREVIOUS: previous.toString('base64') }),
        ...(settings.databaseUrl === undefined ? {} : { DATABASE_URL: settings.databaseUrl }),
      });
      servers.push(started);
      return started;
    };
    const checkRefused = (secret: Buffer, previousSecret?: Buffer) =>
      assert.rejects(
        createDeps(
          { ...first.deps, close: async () => {} },
          { ...settings, secret, previousSecret },
          log,
          () => '',
        ),
        StartError,
      );
    try {
      const { id, token } = await makeUser(first.deps);
      await checkRefused(next);
      await checkRefused(next, other);

      const rotating = await start(next, former);
      const newToken = await makeToken(rotating.deps, 'user', id);
      assert.deepEqual(
        [(await self(token, rotating)).status, (await self(newToken, rotating)).status],
        [200, 200],
      );
      const rotated = await start(next);
      assert.deepEqual(
        [(await self(token, rotated)).status, (await self(newToken, rotated)).status],
        [401, 200],
      );
      await checkRefused(former);
    } finally {
      for (const started of servers.reverse()) await started.stop();
    }
  });
});
