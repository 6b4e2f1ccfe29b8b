import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { type MadeUser, makeUser, sharedPassword } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { commandLine } from '../../caller.ts';
import { tokenEffects } from '../api-tokens/index.ts';
import { resetPassword } from '../users/index.ts';
import type { ParameterKey, ParameterValue } from './parameters.ts';
import { setParameter } from './service.ts';

const hour = 3600;

describe('PUT /api/v2/config, effects without a restart', () => {
  let server: TestServer;
  let admin: MadeUser;

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
  });

  after(() => server.stop());

  async function set<Key extends ParameterKey>(
    key: Key,
    value: ParameterValue<Key>,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const body = { key, value };
    const { status } = await server.call('PUT', '/api/v2/config', { token: admin.token, body, headers });
    assert.equal(status, 200);
  }

  describe('api.timeout_limit', () => {
    const self = (prefer: string, at: TestServer = server) =>
      at.call('GET', '/api/v2/self', { token: admin.token, headers: { prefer } });

    it('answers 400 to Prefer: wait=-1 while the limit is on', async () => {
      const { status, body } = await self('wait=-1');
      assert.equal(status, 400);
      assert.deepEqual(body.errors, [{ context: 'Prefer', message: 'the timeout bypass is not enabled' }]);
    });

    it('answers 200 to Prefer: wait=-1 while it is off, and says so, until it is on again', async () => {
      await set('api.timeout_limit', { enabled: false });
      const { status, headers } = await self('wait=-1');
      assert.equal(status, 200);
      assert.equal(headers.get('preference-applied'), 'wait=-1');
      assert.match(headers.get('vary') ?? '', /\bprefer\b/i);
      assert.equal((await self('wait=7')).headers.get('preference-applied'), 'wait=7');
      await set('api.timeout_limit', { enabled: true }, { prefer: 'wait=-1' });
      assert.equal((await self('wait=-1')).status, 400);
    });

    it('answers the same on another process within a second', async () => {
      const { dataDir, databaseUrl } = server.deps.settings;
      const beside = await startTestServer({
        KENNEL_DATA_DIR: dataDir,
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      });
      try {
        assert.equal((await self('wait=-1', beside)).status, 400);
        await set('api.timeout_limit', { enabled: false });
        const changedAt = performance.now();
        while ((await self('wait=-1', beside)).status !== 200)
          assert.ok(performance.now() - changedAt < 1000, 'still refused after a second');
      } finally {
        await set('api.timeout_limit', { enabled: true });
        await beside.stop();
      }
    });
  });

  describe('auth.session_ttl_hours', () => {
    const login = async () => {
      const body = { login_method: 'secret', username: admin.name, secret: sharedPassword };
      const answer = await server.call('POST', '/api/v2/login', { body });
      const token: string = answer.body.data.session_token;
      const { exp = 0, iat = 0 } = decodeJwt(token);
      return { token, lifetime: exp - iat };
    };

    it('changes how long the next sign-in lasts, and no earlier one', async () => {
      const before = await login();
      assert.equal(before.lifetime, 8 * hour);
      await set('auth.session_ttl_hours', { hours: 720 });
      assert.equal((await login()).lifetime, 720 * hour);
      await set('auth.session_ttl_hours', { hours: 1 });
      const short = await login();
      assert.equal(short.lifetime, hour);
      server.advance(hour * 1000);
      const statuses = [];
      for (const { token } of [before, short])
        statuses.push((await server.call('GET', '/api/v2/self', { token })).status);
      assert.deepEqual(statuses, [200, 401]);
      await set('auth.session_ttl_hours', { hours: 8 });
    });
  });

  describe('auth.password_expiration_window', () => {
    it('changes how long the next password lasts', async () => {
      await set('auth.password_expiration_window', { duration: 'PT2H' });
      const user = await makeUser(server.deps, 'User');
      const at = server.now();
      await resetPassword(server.deps, user.name, sharedPassword);
      const secret = await server.deps.db.one<{ expires_at: number }>(
        'select expires_at from auth_secrets where user_id = $1',
        [user.id],
      );
      const lifetime = Number(secret?.expires_at) - 2 * hour * 1000;
      assert.ok(lifetime >= at && lifetime <= server.now(), String(secret?.expires_at));
    });
  });

  describe('http.trusted_proxies', () => {
    const forwarded = '192.0.2.1, 198.51.100.7, 203.0.113.9';

    /** The address in the record of a change that was sent through proxies. */
    async function recordedAddress(header: string | undefined): Promise<string | undefined> {
      await set(
        'analysis.reconciliation',
        { enabled: true },
        header === undefined ? {} : { 'x-forwarded-for': header },
      );
      const row = await server.deps.db.one<{ source_address: string }>(
        'select source_address from audit_log order by id desc limit 1',
      );
      return row?.source_address;
    }

    /** As `kennel config set` does it: the API may not. */
    async function trust(count: number): Promise<void> {
      const write = { key: 'http.trusted_proxies', value: { trusted_proxies: count } };
      await setParameter(server.deps, server.deps.db, commandLine, write, tokenEffects, {
        allowProtected: true,
      });
    }

    it('records the peer while no proxy is trusted', async () => {
      assert.equal(await recordedAddress(forwarded), '127.0.0.1');
    });

    it('records the address as many places from the right as there are proxies', async () => {
      for (const [count, address] of [
        [1, '203.0.113.9'],
        [2, '198.51.100.7'],
        [3, '192.0.2.1'],
        [10, '192.0.2.1'],
      ] as const) {
        await trust(count);
        assert.equal(await recordedAddress(forwarded), address, String(count));
      }
      await trust(1);
      assert.equal(await recordedAddress('2001:db8::1'), '2001:db8::1');
      assert.equal(await recordedAddress('not an address'), '127.0.0.1');
      assert.equal(await recordedAddress(undefined), '127.0.0.1');
      await trust(0);
      assert.equal(await recordedAddress(forwarded), '127.0.0.1');
    });
  });
});
