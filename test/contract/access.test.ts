import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { permissions } from '../../src/caller.ts';
import { roles } from '../../src/features/auth/index.ts';
import type { AnyOperation } from '../../src/http/operation.ts';
import { createServer } from '../../src/http/server.ts';
import { makeUser, type RoleName } from '../server/builders.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';
import { assertEnvelope, openPolicy, serveVariant, type Variant } from '../server/pipeline.ts';

/** Whoever makes another operation public adds it here, and says why in the review. */
const publicOperations = [
  'GET /',
  'GET /api/v2/openapi.json',
  'GET /api/v2/saml/sso',
  'GET /api/v2/spec',
  'GET /api/v2/spec/openapi.yaml',
  'GET /api/v2/sso/{slug}/callback',
  'GET /api/v2/sso/{slug}/login',
  'GET /api/v2/sso/{slug}/metadata',
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'POST /api/v2/login',
  'POST /api/v2/oauth/token',
  'POST /api/v2/sso/{slug}/callback',
];

/** These tell more to a caller who has a token. */
const optionalOperations = ['GET /api/v2/sso-providers'];

let server: TestServer;
let community: Variant;
let operations: readonly AnyOperation[];
const tokens = new Map<string, string>();

const nameOf = ({ method, url }: AnyOperation) => `${method} ${url}`;
const pathOf = ({ url }: AnyOperation) => url.replace(/\{\w+\}/g, '1');
const identified = () => operations.filter(({ access }) => access !== 'public');
const guarded = () => identified().filter(({ access }) => access !== 'optional');
const call = (operation: AnyOperation, token?: string) =>
  server.call(operation.method, pathOf(operation), { token });

async function tokenOf(role: RoleName): Promise<string> {
  const token = tokens.get(role) ?? (await makeUser(server.deps, role)).token;
  tokens.set(role, token);
  return token;
}

before(async () => {
  server = await startTestServer();
  community = await serveVariant(server.deps, {
    settings: { ...server.deps.settings, edition: 'community' },
  });
  const app = await buildApp(server.deps);
  operations = app.server.operations;
  await app.server.app.close();
});

after(async () => {
  await community.stop();
  await server.stop();
});

describe('every operation', () => {
  it('is known here: the list is not empty', () => {
    assert.ok(operations.length >= 8);
  });

  it('has an access, and a permission that exists', () => {
    for (const operation of operations) {
      const { access } = operation;
      const known =
        typeof access === 'object'
          ? permissions.includes(access.permission) &&
            (access.ofPeople === undefined || permissions.includes(access.ofPeople))
          : ['public', 'optional', 'signed-in', 'self'].includes(access);
      assert.ok(known, nameOf(operation));
    }
  });

  it('is public only if it is on the list', () => {
    const found = operations.filter(({ access }) => access === 'public').map(nameOf);
    assert.deepEqual(found.sort(), publicOperations);
    const optional = operations.filter(({ access }) => access === 'optional').map(nameOf);
    assert.deepEqual(optional.sort(), optionalOperations);
  });

  it('answers 401 without a token, unless it is public', async () => {
    for (const operation of guarded()) {
      const answer = await call(operation);
      const [problem] = assertEnvelope(answer, 401);
      assert.equal(problem?.context, 'Authorization', nameOf(operation));
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  });

  it('answers 401 to HEAD without a token, where it takes GET', async () => {
    for (const operation of guarded().filter(({ method }) => method === 'GET'))
      assert.equal((await server.call('HEAD', pathOf(operation))).status, 401, nameOf(operation));
  });

  it('answers 401 to a token that is none', async () => {
    for (const operation of identified()) {
      const answer = await call(operation, 'eyJhbGciOiJub25lIn0.e30.');
      assertEnvelope(answer, 401);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    }
  });

  it('answers 403 to every role without its permission', async () => {
    let refused = 0;
    for (const operation of guarded()) {
      const { access } = operation;
      if (typeof access !== 'object') continue;
      const needed = [access.permission, ...(access.ofPeople === undefined ? [] : [access.ofPeople])];
      for (const role of roles) {
        const missing = needed.find((permission) => !role.permissions.includes(permission));
        if (missing === undefined) continue;
        const [problem] = assertEnvelope(await call(operation, await tokenOf(role.name as RoleName)), 403);
        assert.equal(problem?.message, `this needs the permission ${missing}`, nameOf(operation));
        refused += 1;
      }
    }
    assert.ok(refused > 0);
  });

  it('gets past the checks with the role of an administrator', async () => {
    for (const operation of guarded()) {
      const administrator = await makeUser(server.deps);
      const { status } = await call(operation, administrator.token);
      assert.ok(![401, 403, 405].includes(status), `${nameOf(operation)}: ${status}`);
    }
  });

  it('answers 403 while the password has expired, except to who acts on themselves', async () => {
    const allowed: string[] = [];
    for (const operation of guarded()) {
      const expired = await makeUser(server.deps, 'Administrator', { secret: 'expired' });
      const path = operation.url.replace('{user_id}', expired.id).replace(/\{\w+\}/g, '1');
      const { status } = await server.call(operation.method, path, { token: expired.token });
      if (status !== 403) allowed.push(nameOf(operation));
    }
    assert.deepEqual(allowed, ['POST /api/v2/logout', 'PUT /api/v2/bloodhound-users/{user_id}/secret']);
  });

  it('answers 404 in the community edition if it is for enterprises, before the permission is asked', async () => {
    const powerless = await tokenOf('Upload-Only');
    const forEnterprises = operations.filter(({ edition }) => edition === 'enterprise');
    assert.ok(forEnterprises.length >= 3);
    for (const operation of forEnterprises) {
      const { method } = operation;
      const [problem] = assertEnvelope(
        await community.call(method, pathOf(operation), { token: powerless }),
        404,
      );
      assert.equal(problem?.message, 'this operation is available in the enterprise edition only');
      const isPublic = operation.access === 'public';
      assertEnvelope(await community.call(method, pathOf(operation)), isPublic ? 404 : 401);
    }
  });
});

describe('a route under /api/v2', () => {
  const context = () => ({ ...server.deps, metrics: undefined, policy: openPolicy });

  it('does not boot without an operation', () => {
    const { app } = createServer(context());
    for (const url of ['/api/v2', '/api/v2/back-door', '/api/v2/*', '/api/v2/:anything'])
      assert.throws(() => app.get(url, async () => 'in'), /belongs to no operation/, url);
    app.get('/api/v20', async () => 'somewhere else');
  });

  it('does not boot from a plugin either', async () => {
    const { app } = createServer(context());
    app.register(async (child) => child.post('/back-door', async () => 'in'), { prefix: '/api/v2' });
    await assert.rejects(async () => app.ready(), /POST \/api\/v2\/back-door belongs to no operation/);
  });
});
