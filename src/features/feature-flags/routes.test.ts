import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, changeRows, type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { passingTime } from '../../../test/server/passing-time.ts';
import { assertEnvelope, serveVariant } from '../../../test/server/pipeline.ts';
import { Changes } from '../../changes.ts';
import { featureFlags } from './flags.ts';
import { createFeatureFlags } from './index.ts';
import { seedFeatureFlags } from './store.ts';

const pass = passingTime();

let server: TestServer;
let admin: MadeUser;

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());

interface Flag {
  id: number;
  key: string;
  enabled: boolean;
  user_updatable: boolean;
}
const flags = async (query = ''): Promise<Flag[]> =>
  (await server.call('GET', `/api/v2/features${query}`, { token: admin.token })).body.data;
const flagOf = async (key: string): Promise<Flag> => (await flags(`?key=eq:${key}`))[0] as Flag;
const toggle = (id: number | string, options: object = {}) =>
  server.call('PUT', `/api/v2/features/${id}/toggle`, { token: admin.token, ...options });

describe('GET /api/v2/features', () => {
  it('answers 200 with every flag, by id', async () => {
    const { token } = await makeUser(server.deps, 'Read-Only');
    const { status, body } = await server.call('GET', '/api/v2/features', { token });
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.map((flag: Flag) => [flag.id, flag.key, flag.enabled, flag.user_updatable]),
      [
        [1, 'api_docs_page', true, true],
        [2, 'client_bearer_auth', true, true],
        [3, 'adcs', true, false],
        [4, 'tier_management_engine', true, false],
        [5, 'open_graph_phase_2', true, false],
        [6, 'clear_graph_data', true, false],
        [7, 'openhound_support', true, false],
        [8, 'oidc_support', false, false],
        [9, 'opengraph_extension_management', false, false],
        [10, 'opengraph_findings', false, false],
      ],
    );
    const { api_docs_page } = featureFlags;
    assert.equal(body.data[0].name, api_docs_page.name);
    assert.equal(body.data[0].description, api_docs_page.description);
  });

  it('leaves out a flag of another version', async () => {
    const insert = `insert into feature_flags (key, enabled, created_at, updated_at) values ('gone', 1, 0, 0)`;
    await server.deps.db.transaction((db) => db.execute(insert));
    assert.equal((await flags()).length, 10);
    const row = await server.deps.db.one<{ id: number }>(`select id from feature_flags where key = 'gone'`);
    assertEnvelope(await toggle(row?.id ?? 0), 404);
  });

  it('answers 403 without the permission app.ReadAppConfig', async () => {
    const { token } = await makeUser(server.deps, 'Upload-Only');
    assertEnvelope(await server.call('GET', '/api/v2/features', { token }), 403);
  });
});

describe('PUT /api/v2/features/:feature_id/toggle', () => {
  it('answers 200 with the new state, stores it, and records before and after', async () => {
    const { id } = await flagOf('client_bearer_auth');
    for (const enabled of [false, true]) {
      server.advance(1000);
      const { status, body, headers } = await toggle(id);
      assert.equal(status, 200);
      assert.deepEqual(body, { data: { enabled } });
      assert.equal((await flagOf('client_bearer_auth')).enabled, enabled);
      const [record] = await auditRows(server.deps);
      assert.deepEqual(record, {
        action: 'UpdateFeatureFlag',
        outcome: 'success',
        actor_name: admin.name,
        request_id: headers.get('x-request-id'),
        fields: { id, key: 'client_bearer_auth', enabled: { before: !enabled, after: enabled } },
      });
    }
    const [row] = (await flags('?key=client_bearer_auth')) as unknown as Record<string, string>[];
    assert.ok(Date.parse(row?.updated_at ?? '') > Date.parse(row?.created_at ?? ''));
  });

  it('answers 200 whatever the body is', async () => {
    const { id, enabled } = await flagOf('client_bearer_auth');
    const bodies = [
      { body: {} },
      { body: { enabled: true } },
      { body: 'no JSON', headers: { 'content-type': 'text/plain' } },
      {},
    ];
    for (const options of bodies) assert.equal((await toggle(id, options)).status, 200);
    assert.equal((await flagOf('client_bearer_auth')).enabled, enabled);
  });

  it('answers 400 for an id that is no number', async () => {
    for (const id of ['adcs', '1.0', '0x1', '2147483648']) assertEnvelope(await toggle(id), 400);
  });

  it('answers 403 for a flag that states a fact, and changes nothing', async () => {
    const { id } = await flagOf('adcs');
    const records = (await changeRows(server.deps)).length;
    const [problem] = assertEnvelope(await toggle(id), 403);
    assert.equal(
      problem?.message,
      'feature flag adcs is not user-updatable: it says what this version can do',
    );
    assert.equal((await flagOf('adcs')).enabled, true);
    assert.equal((await changeRows(server.deps)).length, records);
  });

  it('answers 403 without the permission app.WriteAppConfig', async () => {
    const { token } = await makeUser(server.deps, 'Power User');
    assertEnvelope(await server.call('PUT', '/api/v2/features/1/toggle', { token }), 403);
  });

  it('answers 404 for a flag that there is not', async () => {
    const [problem] = assertEnvelope(await toggle(99), 404);
    assert.deepEqual(problem, { context: 'feature_id', message: 'there is no feature flag 99' });
  });

  it('loses no toggle when several come at once', async () => {
    const { id, enabled } = await flagOf('client_bearer_auth');
    const answers = await Promise.all([1, 2, 3, 4].map(() => toggle(id)));
    assert.deepEqual(answers.map(({ body }) => body.data.enabled).sort(), [false, false, true, true]);
    assert.equal((await flagOf('client_bearer_auth')).enabled, enabled);
  });
});

describe('createFeatureFlags', () => {
  it('tells on every process what is set, at most a second later', async () => {
    const { id } = await flagOf('client_bearer_auth');
    const here = createFeatureFlags(server.deps.db, server.deps.changes);
    const there = createFeatureFlags(server.deps.db, new Changes(server.deps.db));
    for (const enabled of [false, true]) {
      await Promise.all([here.isEnabled('client_bearer_auth'), there.isEnabled('client_bearer_auth')]);
      await toggle(id);
      assert.equal(await here.isEnabled('client_bearer_auth'), enabled);
      pass(1000);
      assert.equal(await there.isEnabled('client_bearer_auth'), enabled);
    }
  });
});

describe('seedFeatureFlags', () => {
  it('keeps what people set, and sets what states a fact', async () => {
    const { id } = await flagOf('client_bearer_auth');
    await toggle(id);
    const before = await flags();
    await server.deps.db.transaction(async (db) => {
      await db.execute(`update feature_flags set enabled = 0 where key = 'adcs'`);
      await seedFeatureFlags(db, server.now());
    });
    const keep = ({ id, key, enabled }: Flag) => ({ id, key, enabled });
    assert.deepEqual((await flags()).map(keep), before.map(keep));
    await toggle(id);
  });
});

describe('the flag api_docs_page', () => {
  it('is for a page that has the whole document, in YAML too, whoever asks first', async () => {
    const fresh = await serveVariant(server.deps, {});
    try {
      const { status, text } = await fresh.call('GET', '/api/docs/yaml');
      assert.equal(status, 200);
      assert.match(text, /^openapi: 3\.1\.0\n[\s\S]*\n {2}\/api\/v2\/saml:\n/);
    } finally {
      await fresh.stop();
    }
  });

  const paths = [
    '/api/docs',
    '/api/docs/',
    '/api/docs/static/index.html',
    '/api/docs/json',
    '/api/docs/static/theme/kennel.css',
  ];

  it('takes the page and all that belongs to it away, on every process, and brings it back', async () => {
    const { id } = await flagOf('api_docs_page');
    const other = await serveVariant(server.deps, { changes: new Changes(server.deps.db) });
    const statuses = (of: Pick<TestServer, 'call'>) =>
      Promise.all(paths.map(async (path) => (await of.call('GET', path)).status));
    try {
      const served = await statuses(server);
      assert.ok(
        served.every((status) => status === 200 || status === 302),
        String(served),
      );
      assert.deepEqual(await statuses(other), served);
      await toggle(id);
      pass(1000);
      for (const path of paths) {
        for (const one of [server, other]) {
          const [problem] = assertEnvelope(await one.call('GET', path), 404);
          assert.equal(problem?.message, `there is nothing at ${path}`);
        }
      }
      assert.equal((await server.call('GET', '/api/v2/openapi.json')).status, 200);
      await toggle(id);
      pass(1000);
      assert.deepEqual(await statuses(server), served);
      assert.deepEqual(await statuses(other), served);
    } finally {
      await other.stop();
    }
  });
});
