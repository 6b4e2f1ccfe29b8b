import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readSettings } from '../../src/config.ts';
import { finishAudit } from '../../src/features/audit/index.ts';
import { signedHeaders } from '../collectors/signing.ts';
import { findingsOf, runSql } from '../server/audit-log.ts';
import {
  type MadeUser,
  makeClient,
  makeProvider,
  makeSigningToken,
  makeUser,
  roleId,
  sharedPassword,
} from '../server/builders.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';

const text = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
/** What stands in bold at the beginning of each promise. */
const promises = [...text.matchAll(/^- \*\*(.+?)[.,:]?\*\*/gm)].map(([, name = '']) => name);

let server: TestServer;
let administrator: MadeUser;
const self = (token?: string) => server.call('GET', '/api/v2/self', { token });

before(async () => {
  server = await startTestServer();
  administrator = await makeUser(server.deps);
});
after(() => server.stop());

/** One test for each promise, by its name. */
const proofs: Readonly<Record<string, () => Promise<void>>> = {
  'Listens on the machine itself': async () => {
    assert.equal(readSettings({}).host, '127.0.0.1');
    assert.equal(new URL(server.url).hostname, '127.0.0.1');
  },

  'A token and a permission for every operation': async () => {
    assert.equal((await self()).status, 401);
    const reader = await makeUser(server.deps, 'Read-Only');
    assert.equal((await server.call('GET', '/api/v2/bloodhound-users', { token: reader.token })).status, 403);
    const answer = await server.call('GET', '/api/v2/self', {
      headers: { cookie: `token=${administrator.token}`, origin: 'https://elsewhere.example' },
    });
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
  },

  'Tokens end with their session': async () => {
    const user = await makeUser(server.deps, 'User');
    assert.equal((await self(user.token)).status, 200);
    assert.equal((await server.call('POST', '/api/v2/logout', { token: user.token })).status, 200);
    assert.equal((await self(user.token)).status, 401);
    const disabled = await makeUser(server.deps, 'User');
    const path = `/api/v2/bloodhound-users/${disabled.id}`;
    const body = { is_disabled: true };
    assert.equal((await server.call('PATCH', path, { token: administrator.token, body })).status, 200);
    assert.notEqual((await self(disabled.token)).status, 200);
  },

  'Passwords are hashed': async () => {
    const rows = await server.deps.db.query<{ digest: string }>('select digest from auth_secrets');
    assert.ok(rows.length > 0);
    for (const { digest } of rows) assert.match(digest, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const path = `/api/v2/bloodhound-users/${(await makeUser(server.deps, 'User')).id}/secret`;
    const body = { secret: 'short', needs_password_reset: false };
    assert.equal((await server.call('PUT', path, { token: administrator.token, body })).status, 400);
  },

  'Guessing is limited': async () => {
    const user = await makeUser(server.deps, 'User');
    const guess = (username: string) =>
      server.call('POST', '/api/v2/login', {
        body: { login_method: 'secret', username, secret: 'Wrong-horse-battery-9' },
      });
    const course = async (username: string) => {
      const statuses: number[] = [];
      for (let n = 0; n < 15; n += 1) statuses.push((await guess(username)).status);
      return statuses;
    };
    const known = await course(user.name);
    assert.equal(known[0], 401);
    assert.equal(known.at(-1), 429);
    assert.deepEqual(await course('nobody-of-that-name'), known);
  },

  'One secret signs everything': async () => {
    const file = join(server.deps.settings.dataDir, 'secret');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const secret = readFileSync(file, 'utf8').trim();
    const rows = await server.deps.db.query('select * from instance_facts');
    assert.ok(rows.length > 0);
    assert.ok(!JSON.stringify(rows).includes(secret));
  },

  'Signed requests': async () => {
    const token = await makeSigningToken(server.deps, { userId: administrator.id });
    const path = '/api/v2/self';
    const send = (headers: Record<string, string>) => server.call('GET', path, { headers });
    assert.equal((await send(signedHeaders(token, 'GET', path))).status, 200);
    assert.equal((await send(signedHeaders(token, 'GET', '/api/v2/roles'))).status, 401);
    assert.equal((await send(signedHeaders({ ...token, key: `${token.key}x` }, 'GET', path))).status, 401);
    const old = new Date(server.now() - 3 * 3_600_000).toISOString();
    assert.equal((await send(signedHeaders(token, 'GET', path, '', old))).status, 401);
  },

  'Collectors do their work and nothing else': async () => {
    const { token } = await makeClient(server.deps);
    assert.equal((await server.call('GET', '/api/v2/jobs/available', { token })).status, 200);
    for (const path of ['/api/v2/bloodhound-users', '/api/v2/config', '/api/v2/saml', '/api/v2/audit'])
      assert.equal((await server.call('GET', path, { token })).status, 403, path);
  },

  'An administrator remains': async () => {
    const alone = await startTestServer();
    try {
      await alone.deps.db.transaction(async (db) => {
        for (const table of ['sessions', 'auth_secrets', 'users']) await db.execute(`delete from ${table}`);
      });
      const last = await makeUser(alone.deps);
      const path = `/api/v2/bloodhound-users/${last.id}`;
      const send = (method: string, body?: unknown) => alone.call(method, path, { token: last.token, body });
      for (const body of [{ is_disabled: true }, { roles: [roleId('User')] }])
        assert.ok((await send('PATCH', body)).status >= 400, JSON.stringify(body));
      assert.ok((await send('DELETE')).status >= 400);
      assert.equal((await alone.call('GET', '/api/v2/self', { token: last.token })).status, 200);
    } finally {
      await alone.stop();
    }
  },

  'Changes are audited': async () => {
    const { id } = await makeProvider(server.deps);
    const answer = await server.call('DELETE', `/api/v2/saml/providers/${id}`, {
      token: administrator.token,
    });
    assert.equal(answer.status, 200);
    const [record] = await server.deps.db.query<{
      actor_id: string;
      request_id: string;
      source_address: string;
    }>('select actor_id, request_id, source_address from audit_log order by id desc limit 1');
    assert.equal(record?.actor_id, administrator.id);
    assert.equal(record?.request_id, answer.headers.get('x-request-id'));
    assert.match(record?.source_address ?? '', /127\.0\.0\.1/);
  },

  'The audit log shows tampering': async () => {
    await finishAudit(server.deps);
    assert.deepEqual(await findingsOf(server.deps), []);
    const changed = await runSql(
      server.deps,
      "update audit_log set actor_name = 'somebody else' where id = (select min(id) from audit_log)",
    );
    assert.equal(changed, 1);
    assert.notDeepEqual(await findingsOf(server.deps), []);
  },

  'Input is bounded': async () => {
    const write = (body: string) =>
      server.call('PUT', '/api/v2/config', {
        token: administrator.token,
        body,
        headers: { 'content-type': 'application/json' },
      });
    const key = '"key":"analysis.reconciliation"';
    assert.equal((await write(`{${key},"value":{"enabled":true},"value":{"enabled":false}}`)).status, 400);
    assert.equal((await write(`{${key},"value":{"enabled":true,"__proto__":{}}}`)).status, 400);
    assert.equal((await write(`{${key},"value":${'['.repeat(100)}${']'.repeat(100)}}`)).status, 400);
    assert.equal((await write(`{${key},"value":"${'x'.repeat(1_100_000)}"}`)).status, 413);
    const hostile = encodeURIComponent("eq:x' or '1'='1");
    const found = await server.call('GET', `/api/v2/bloodhound-users?principal_name=${hostile}`, {
      token: administrator.token,
    });
    assert.equal(found.status, 200);
    assert.deepEqual(found.body.data.users, []);
  },

  'Answers tell no secrets': async () => {
    const { token } = administrator;
    for (const path of ['/api/v2/bloodhound-users', '/api/v2/tokens', '/api/v2/self', '/api/v2/nowhere']) {
      const answer = await server.call('GET', path, { token });
      assert.doesNotMatch(answer.text, /\$argon2|select |\bat .*:\d+:\d+|"key"/, path);
      assert.ok(!answer.text.includes(sharedPassword));
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(answer.headers.get('x-frame-options'), 'DENY');
    }
  },
};

describe('SECURITY.md', () => {
  it('makes promises that are all tried here, and no others are', () => {
    assert.deepEqual(Object.keys(proofs).sort(), promises.toSorted());
  });

  for (const [name, proof] of Object.entries(proofs)) it(name, proof);
});
