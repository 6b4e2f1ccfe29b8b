import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { defaultSelectors } from '../../graph/analysis/default-selectors.ts';
import { readZones, seedTags } from './index.ts';

let server: TestServer;
let admin: MadeUser;
let zone: number;

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());
beforeEach(async () => {
  const { body } = await call('GET', '');
  for (const { id } of body.data.tags) if (id !== 1) await call('DELETE', `/${id}`);
  zone = (await call('POST', '', { name: 'Pay' })).body.data.id;
  await server.deps.db.transaction((db) => db.execute('delete from analysis_requests'));
});

const call = (method: string, path: string, body?: unknown) =>
  server.call(method, `/api/v2/asset-group-tags${path}`, { token: admin.token, body });
const create = async (seeds: readonly string[], more: object = {}, tag = zone) => {
  const wish = { name: 'Servers', seeds: seeds.map((value) => ({ value })), ...more };
  const { status, body, text } = await call('POST', `/${tag}/selectors`, wish);
  assert.equal(status, 201, text);
  return body.data;
};
const list = async (tag = zone, query = '') => {
  const { status, body } = await call('GET', `/${tag}/selectors${query}`);
  assert.equal(status, 200);
  return body;
};
const byRule = async (rule: string) => {
  const { data } = await list(1);
  return data.selectors.find((one: { rule: string }) => one.rule === rule);
};
const asked = async () => (await server.deps.db.query('select id from analysis_requests')).length;
const selects = async (tag = zone) =>
  (await readZones(server.deps.graph)).find(({ id }) => id === tag)?.selectors;

describe('GET /api/v2/asset-group-tags/:asset_group_tag_id/selectors', () => {
  it('answers 200 with the default selectors of Tier Zero, all enabled, some of them for good', async () => {
    const { count, data } = await list(1);
    assert.equal(count, defaultSelectors.length);
    for (const { key, required } of defaultSelectors) {
      const found = data.selectors.find(({ rule }: { rule: string }) => rule === key);
      assert.equal(found.allow_disable, !required, key);
      assert.equal(found.is_default, true, key);
      assert.equal(found.disabled, false, key);
      assert.deepEqual(found.seeds, [], key);
    }
    const fixed = await list(1, '?allow_disable=eq:false');
    assert.equal(fixed.count, 17);
  });

  it('answers 200 in pages, filtered and sorted', async () => {
    for (const name of ['b', 'a', 'c']) await create(['X'], { name, disabled: name === 'c' });
    const page = await list(zone, '?sort_by=name&skip=1&limit=1');
    assert.equal(page.count, 3);
    assert.deepEqual(
      page.data.selectors.map(({ name }: { name: string }) => name),
      ['b'],
    );
    assert.equal((await list(zone, '?disabled=eq:true')).data.selectors[0].name, 'c');
    assert.equal((await list(0)).count, 0);
  });

  it('answers 404 for a zone that does not exist', async () => {
    assert.equal((await call('GET', '/9/selectors')).status, 404);
  });
});

describe('POST /api/v2/asset-group-tags/:asset_group_tag_id/selectors', () => {
  it('answers 201 with the ids in upper case, each once, in order; records it and asks for an analysis', async () => {
    const made = await create(['s-1-5-21-1-9', ' B', 'S-1-5-21-1-9', 'a'], { description: 'Words' });
    assert.deepEqual(made.seeds, [
      { selector_id: made.id, type: 1, value: 'A' },
      { selector_id: made.id, type: 1, value: 'B' },
      { selector_id: made.id, type: 1, value: 'S-1-5-21-1-9' },
    ]);
    assert.equal(made.is_default, false);
    assert.equal(made.allow_disable, true);
    assert.equal(made.created_by, admin.name);
    const path = `/${zone}/selectors/${made.id}`;
    assert.deepEqual((await call('GET', path)).body.data, made);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'CreateAssetGroupTagSelector');
    assert.deepEqual(record?.fields.after, {
      name: 'Servers',
      description: 'Words',
      disabled: false,
      object_ids: ['A', 'B', 'S-1-5-21-1-9'],
    });
    assert.equal(await asked(), 1);
    assert.deepEqual(await selects(), [{ objectIds: ['A', 'B', 'S-1-5-21-1-9'] }]);
  });

  it('answers 201 and 200 to members that deployed clients send, which have no effect', async () => {
    const made = await create(['A'], { auto_certify: 2 });
    assert.equal(made.auto_certify, 0);
    const path = `/${zone}/selectors/${made.id}`;
    const { status, body } = await call('PATCH', path, { id: made.id, name: 'Other', auto_certify: null });
    assert.deepEqual([status, body.data.name, body.data.auto_certify], [200, 'Other', 0]);
  });

  it('answers 201 for Tier Zero too', async () => {
    const made = await create(['EXTRA'], {}, 1);
    assert.ok((await selects(1))?.some((one) => 'objectIds' in one && one.objectIds[0] === 'EXTRA'));
    assert.equal((await call('DELETE', `/1/selectors/${made.id}`)).status, 200);
  });

  it('answers 201 with a disabled selector, which selects nothing and asks for nothing', async () => {
    const made = await create(['A'], { disabled: true });
    assert.ok(Date.parse(made.disabled_at) > 0);
    assert.equal(made.disabled_by, admin.name);
    assert.deepEqual(await selects(), []);
    assert.equal(await asked(), 0);
  });

  it('answers 400 to seeds that can not be, with each of them named', async () => {
    const cases = [
      { name: 'X' },
      { name: 'X', seeds: [] },
      { name: 'X', seeds: Array.from({ length: 501 }, (_, n) => ({ value: `${n}` })) },
      { name: 'X', seeds: [{ value: 'A' }, { value: '  ' }] },
      { name: 'X', seeds: [{ type: 2, value: 'match (n) return n' }] },
      { name: 'X', seeds: [{ value: 'x'.repeat(801) }] },
      { name: '', seeds: [{ value: 'A' }] },
    ];
    for (const wish of cases) {
      const { status } = await call('POST', `/${zone}/selectors`, wish);
      assert.equal(status, 400, JSON.stringify(wish).slice(0, 100));
    }
    const seeds = [{ value: 'A' }, { value: '' }, { type: 2, value: 'B' }];
    const { body } = await call('POST', `/${zone}/selectors`, { name: 'X', seeds });
    assert.deepEqual(
      body.errors.map(({ context }: { context: string }) => context),
      ['seeds.1.value', 'seeds.2.type'],
    );
    assert.equal((await list()).count, 0);
    assert.equal(await asked(), 0);
  });

  it('answers 201 with 500 ids', async () => {
    const made = await create(Array.from({ length: 500 }, (_, n) => `ID-${n}`));
    assert.equal(made.seeds.length, 500);
  });

  it('answers 404 for a zone that does not exist, 409 for Hygiene', async () => {
    const wish = { name: 'X', seeds: [{ value: 'A' }] };
    assert.equal((await call('POST', '/9/selectors', wish)).status, 404);
    assert.equal((await call('POST', '/0/selectors', wish)).status, 409);
  });

  it('answers 409 to the 101st selector of a zone', async () => {
    await server.deps.graph.transaction((graph) =>
      graph.bulk(
        'asset_group_selectors',
        [
          'tag_id',
          'name',
          'description',
          'allow_disable',
          'created_at',
          'created_by',
          'updated_at',
          'updated_by',
        ],
        Array.from({ length: 100 }, (_, n) => [zone, `S ${n}`, '', 1, 0, '', 0, '']),
      ),
    );
    const { status, body } = await call('POST', `/${zone}/selectors`, { name: 'X', seeds: [{ value: 'A' }] });
    assert.equal(status, 409);
    assert.equal(body.errors[0].message, 'the zone has 100 selectors: at most 100 are allowed');
  });
});

describe('PATCH /api/v2/asset-group-tags/:asset_group_tag_id/selectors/:selector_id', () => {
  it('answers 200 with what changed, keeps the rest, records it and asks for an analysis', async () => {
    const { id } = await create(['A', 'B']);
    const path = `/${zone}/selectors/${id}`;
    const { status, body } = await call('PATCH', path, { seeds: [{ value: 'c' }] });
    assert.equal(status, 200);
    assert.equal(body.data.name, 'Servers');
    assert.deepEqual(await selects(), [{ objectIds: ['C'] }]);
    const [record] = await auditRows(server.deps);
    assert.deepEqual(record?.fields, {
      asset_group_tag_id: zone,
      selector_id: id,
      changes: { object_ids: { before: ['A', 'B'], after: ['C'] } },
    });
    assert.equal(await asked(), 2);
  });

  it('answers 200 and asks for nothing when the selection stays as it was', async () => {
    const { id } = await create(['A'], { disabled: true });
    const path = `/${zone}/selectors/${id}`;
    for (const wish of [{}, { name: 'New' }, { seeds: [{ value: 'B' }] }, { disabled: true }])
      assert.equal((await call('PATCH', path, wish)).status, 200);
    assert.equal(await asked(), 0);
    const { body } = await call('PATCH', path, { disabled: false });
    assert.equal(body.data.disabled_at, null);
    assert.equal(body.data.disabled_by, null);
    assert.deepEqual(await selects(), [{ objectIds: ['B'] }]);
    assert.equal(await asked(), 1);
  });

  it('answers 200 when a default selector is disabled, and keeps it so at the next start', async () => {
    const { id } = await byRule('dnsadmins');
    const path = `/1/selectors/${id}`;
    const { status, body } = await call('PATCH', path, { disabled: true });
    assert.equal(status, 200);
    assert.equal(body.data.disabled_by, admin.name);
    await server.deps.graph.transaction(async (graph) => {
      // As a store of the version before has it.
      await graph.execute('update asset_group_tags set position = null where id = 1');
      await seedTags(graph, server.now());
    });
    assert.equal((await call('GET', '/1')).body.data.tag.position, 1);
    assert.ok(!(await selects(1))?.some((one) => 'rule' in one && one.rule === 'dnsadmins'));
    assert.equal((await call('GET', '/1?counts=true')).body.data.tag.counts.disabled_selectors, 1);
    await call('PATCH', path, { disabled: false });
    assert.ok((await selects(1))?.some((one) => 'rule' in one && one.rule === 'dnsadmins'));
    assert.equal(await asked(), 2);
  });

  it('answers 409 when a default selector can not be disabled, or should be something else', async () => {
    const { id: required } = await byRule('domain-admins');
    const { id: optional } = await byRule('dnsadmins');
    for (const [id, wish] of [
      [required, { disabled: true }],
      [optional, { name: 'Mine' }],
      [optional, { seeds: [{ value: 'A' }], disabled: true }],
    ]) {
      const { status, body } = await call('PATCH', `/1/selectors/${id}`, wish);
      assert.equal(status, 409, JSON.stringify(wish));
      assert.equal(body.errors[0].context, 'selector_id');
    }
    assert.equal((await call('PATCH', `/1/selectors/${required}`, { disabled: false })).status, 200);
    assert.equal((await byRule('dnsadmins')).disabled, false);
    assert.equal(await asked(), 0);
  });

  it('answers 404 for a selector of another zone', async () => {
    const { id } = await create(['A']);
    for (const path of [`/1/selectors/${id}`, `/9/selectors/${id}`, `/${zone}/selectors/999999`]) {
      assert.equal((await call('GET', path)).status, 404, path);
      assert.equal((await call('PATCH', path, { name: 'X' })).status, 404, path);
      assert.equal((await call('DELETE', path)).status, 404, path);
    }
  });
});

describe('DELETE /api/v2/asset-group-tags/:asset_group_tag_id/selectors/:selector_id', () => {
  it('answers 200 without a body, records it and asks for an analysis', async () => {
    const { id } = await create(['A']);
    const { status, text } = await call('DELETE', `/${zone}/selectors/${id}`);
    assert.equal(status, 200);
    assert.equal(text, '');
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'DeleteAssetGroupTagSelector');
    assert.deepEqual(record?.fields.before, {
      name: 'Servers',
      description: '',
      disabled: false,
      object_ids: ['A'],
    });
    assert.equal(await asked(), 2);
    assert.deepEqual(await selects(), []);
  });

  it('answers 409 for a default selector', async () => {
    const { id } = await byRule('dnsadmins');
    const { status, body } = await call('DELETE', `/1/selectors/${id}`);
    assert.equal(status, 409);
    assert.equal(
      body.errors[0].message,
      'the selector "DnsAdmins" is built in: it can be disabled, but not deleted',
    );
  });
});
