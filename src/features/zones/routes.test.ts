import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { readZones } from './index.ts';

const url = '/api/v2/asset-group-tags';
let server: TestServer;
let admin: MadeUser;

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());

const call = (method: string, path = '', body?: unknown) =>
  server.call(method, `${url}${path}`, { token: admin.token, body });
const create = async (wish: object) => {
  const { status, body, text } = await call('POST', '', wish);
  assert.equal(status, 201, text);
  return body.data;
};
const zones = async () => {
  const { status, body } = await call('GET');
  assert.equal(status, 200);
  return body.data.tags as { id: number; name: string; position: number; kind: string }[];
};
const order = async () => (await zones()).map(({ name, position }) => `${position} ${name}`);
const requests = async () =>
  (await server.deps.db.query<{ reason: string }>('select reason from analysis_requests order by id')).map(
    ({ reason }) => reason,
  );

/** Only Tier Zero is left, and nobody has asked for anything. */
async function startOver(): Promise<void> {
  for (const { id } of await zones()) if (id !== 1) await call('DELETE', `/${id}`);
  await server.deps.db.transaction((db) => db.execute('delete from analysis_requests'));
}

describe('GET /api/v2/asset-group-tags', () => {
  beforeEach(startOver);

  it('answers 200 with Tier Zero, and without Hygiene', async () => {
    const { status, body } = await call('GET');
    assert.equal(status, 200);
    const [{ created_at, updated_at, ...tierZero }, ...others] = body.data.tags;
    assert.deepEqual(others, []);
    assert.deepEqual(tierZero, {
      id: 1,
      type: 1,
      kind_id: 1,
      kind: 'Tag_Tier_Zero',
      name: 'Tier Zero',
      description: '',
      position: 1,
      require_certify: false,
      analysis_enabled: true,
      glyph: null,
      created_by: 'kennel',
      updated_by: 'kennel',
      deleted_at: null,
      deleted_by: null,
    });
    assert.equal(created_at, updated_at);
  });

  it('answers 200 by position, filtered and sorted as asked', async () => {
    await create({ name: 'Alpha' });
    await create({ name: 'Beta', position: 2 });
    assert.deepEqual(await order(), ['1 Tier Zero', '2 Beta', '3 Alpha']);
    const { body } = await call('GET', '?sort_by=-name&name=~eq:a');
    assert.deepEqual(
      body.data.tags.map(({ name }: { name: string }) => name),
      ['Beta', 'Alpha'],
    );
  });

  it('answers 200 with counts only when they are asked for', async () => {
    const { id } = await create({ name: 'Empty' });
    const [tierZero, empty] = (await call('GET', '?counts=true')).body.data.tags;
    assert.equal(tierZero.counts.disabled_selectors, 0);
    assert.ok(tierZero.counts.selectors > 40);
    assert.equal(tierZero.counts.default_selectors, tierZero.counts.selectors);
    assert.deepEqual(empty.counts, {
      selectors: 0,
      custom_selectors: 0,
      default_selectors: 0,
      disabled_selectors: 0,
      members: 0,
    });
    assert.deepEqual((await call('GET', `/${id}?counts=true`)).body.data.tag.counts, empty.counts);
    assert.equal((await call('GET', `/${id}`)).body.data.tag.counts, undefined);
  });

  it('answers 400 to a column that it does not have', async () => {
    assert.equal((await call('GET', '?glyph=eq:x')).status, 400);
  });
});

describe('GET /api/v2/asset-group-tags/:asset_group_tag_id', () => {
  beforeEach(startOver);

  it('answers 200 with a zone, and with Hygiene by its number', async () => {
    assert.equal((await call('GET', '/1')).body.data.tag.kind, 'Tag_Tier_Zero');
    const { status, body } = await call('GET', '/0?counts=true');
    assert.equal(status, 200);
    assert.equal(body.data.tag.name, 'Hygiene');
    assert.equal(body.data.tag.position, 0);
    assert.equal(body.data.tag.counts.members, 0);
  });

  it('answers 404 for what does not exist', async () => {
    for (const id of [2, 9, -1]) {
      const { status, body } = await call('GET', `/${id}`);
      assert.equal(status, 404);
      assert.equal(body.errors[0].message, `asset group tag ${id} does not exist`);
    }
  });
});

describe('POST /api/v2/asset-group-tags', () => {
  beforeEach(startOver);

  it('answers 201 with the zone at the end, under a number that none had, and records it', async () => {
    const first = await create({ name: 'Payment systems', description: 'Money' });
    assert.equal(first.position, 2);
    assert.equal(first.kind, 'Tag_Payment_systems');
    assert.equal(first.created_by, admin.name);
    assert.ok(first.id > 2);
    await call('DELETE', `/${first.id}`);
    const second = await create({ name: 'Payment systems' });
    assert.ok(second.id > first.id);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'CreateAssetGroupTag');
    assert.deepEqual(record?.fields, {
      asset_group_tag_id: second.id,
      after: { name: 'Payment systems', description: '', position: 2 },
    });
  });

  it('asks for no analysis: nothing selects yet', async () => {
    await create({ name: 'Empty' });
    assert.deepEqual(await requests(), []);
  });

  it('answers 201 and makes room at the position that is asked for', async () => {
    await create({ name: 'A' });
    await create({ name: 'B' });
    await create({ name: 'C', position: 3 });
    await create({ name: 'D', position: 2, type: 1 });
    assert.deepEqual(await order(), ['1 Tier Zero', '2 D', '3 A', '4 C', '5 B']);
  });

  it('answers 400 to a position that is not free to have', async () => {
    for (const position of [-1, 0, 1, 3, 99]) {
      const { status, body } = await call('POST', '', { name: 'X', position });
      assert.equal(status, 400, String(position));
      assert.equal(
        body.errors[0].message,
        `position must be 2 to 2, but is ${position}: position 1 is that of Tier Zero`,
      );
    }
    assert.equal((await zones()).length, 1);
  });

  it('answers 400 to names that can not be', async () => {
    const names = ['', ' X', 'X ', '\u4e2d\u6587', '---', 'a\u0007b', 'a\u202eb', 'x'.repeat(101)];
    for (const name of names) {
      const { status, body } = await call('POST', '', { name });
      assert.equal(status, 400, JSON.stringify(name));
      assert.equal(body.errors[0].context, 'name', JSON.stringify(name));
    }
    for (const wish of [{}, { name: 7 }, { name: 'X', type: 2 }, { name: 'X', colour: 'x' }])
      assert.equal((await call('POST', '', wish)).status, 400, JSON.stringify(wish));
    const long = await call('POST', '', { name: 'X', description: 'x'.repeat(2001) });
    assert.equal(long.body.errors[0].context, 'description');
    assert.equal((await zones()).length, 1);
  });

  it('answers 409 to a name whose kind another zone has, in whatever case', async () => {
    await create({ name: 'Pay roll' });
    for (const name of ['Pay roll', 'PAY ROLL', 'pay-roll', 'Tier Zero', 'tier_zero', 'Hygiene', 'hygiene']) {
      const { status, body } = await call('POST', '', { name });
      assert.equal(status, 409, name);
      assert.equal(body.errors[0].context, 'name');
    }
    assert.equal((await zones()).length, 2);
  });

  it('answers 409 to the eleventh zone', async () => {
    for (let number = 2; number <= 10; number += 1) await create({ name: `Zone ${number}` });
    const { status, body } = await call('POST', '', { name: 'Zone 11' });
    assert.equal(status, 409);
    assert.equal(body.errors[0].message, 'there are 10 zones already: at most 10 are allowed');
  });

  it('gives numbers and positions of their own to zones that are made at once', async () => {
    const made = await Promise.all(['A', 'B', 'C', 'D'].map((name) => create({ name })));
    assert.equal(new Set(made.map(({ id }) => id)).size, 4);
    assert.deepEqual(
      (await zones()).map(({ position }) => position),
      [1, 2, 3, 4, 5],
    );
  });
});

describe('PATCH /api/v2/asset-group-tags/:asset_group_tag_id', () => {
  beforeEach(startOver);

  it('answers 200 with what changed, keeps the rest, records it and asks for an analysis', async () => {
    const { id } = await create({ name: 'Old', description: 'Words' });
    const { status, body } = await call('PATCH', `/${id}`, { name: 'New name' });
    assert.equal(status, 200);
    assert.equal(body.data.kind, 'Tag_New_name');
    assert.equal(body.data.description, 'Words');
    const [record] = await auditRows(server.deps);
    assert.deepEqual(record?.fields, {
      asset_group_tag_id: id,
      changes: { name: { before: 'Old', after: 'New name' } },
    });
    assert.deepEqual(await requests(), ['zones']);
  });

  it('answers 200 and asks for nothing when only words changed, or nothing', async () => {
    const { id } = await create({ name: 'Old' });
    await call('PATCH', `/${id}`, { description: 'Other' });
    const records = (await auditRows(server.deps)).length;
    for (const wish of [{}, { name: 'Old' }, { position: 2 }, { description: 'Other' }])
      assert.equal((await call('PATCH', `/${id}`, wish)).status, 200);
    assert.equal((await auditRows(server.deps)).length, records);
    assert.deepEqual(await requests(), []);
  });

  it('answers 200 and moves the others', async () => {
    const [a] = [await create({ name: 'A' }), await create({ name: 'B' }), await create({ name: 'C' })];
    await call('PATCH', `/${a.id}`, { position: 4 });
    assert.deepEqual(await order(), ['1 Tier Zero', '2 B', '3 C', '4 A']);
    await call('PATCH', `/${a.id}`, { position: 3 });
    assert.deepEqual(await order(), ['1 Tier Zero', '2 B', '3 A', '4 C']);
    await call('PATCH', `/${a.id}`, { position: 2 });
    assert.deepEqual(await order(), ['1 Tier Zero', '2 A', '3 B', '4 C']);
    for (const position of [0, 1, 5])
      assert.equal((await call('PATCH', `/${a.id}`, { position })).status, 400, String(position));
    assert.deepEqual(await order(), ['1 Tier Zero', '2 A', '3 B', '4 C']);
  });

  it('lets a zone change the case of its own name, but not take another one', async () => {
    const { id } = await create({ name: 'pay' });
    await create({ name: 'other' });
    assert.equal((await call('PATCH', `/${id}`, { name: 'Pay' })).status, 200);
    assert.equal((await call('PATCH', `/${id}`, { name: 'OTHER' })).status, 409);
  });

  it('answers 200 for words about Tier Zero, and 409 for anything else of it or of Hygiene', async () => {
    assert.equal((await call('PATCH', '/1', { description: 'The keys' })).status, 200);
    await call('PATCH', '/1', { description: '' });
    for (const [id, wish] of [
      [1, { name: 'Tier One' }],
      [1, { position: 2 }],
      [0, { description: 'x' }],
    ] as const) {
      const { status, body } = await call('PATCH', `/${id}`, wish);
      assert.equal(status, 409, JSON.stringify(wish));
      assert.match(body.errors[0].message, /is built in: it can't be/);
    }
    assert.deepEqual(await order(), ['1 Tier Zero']);
  });

  it('answers 404 for what does not exist', async () => {
    assert.equal((await call('PATCH', '/9', { name: 'X' })).status, 404);
  });
});

describe('DELETE /api/v2/asset-group-tags/:asset_group_tag_id', () => {
  beforeEach(startOver);

  it('answers 200 without a body, closes the gap, records it and asks for an analysis', async () => {
    const a = await create({ name: 'A' });
    await create({ name: 'B' });
    await call('POST', `/${a.id}/selectors`, { name: 'S', seeds: [{ value: 'X' }], disabled: true });
    const { status, text } = await call('DELETE', `/${a.id}`);
    assert.equal(status, 200);
    assert.equal(text, '');
    assert.deepEqual(await order(), ['1 Tier Zero', '2 B']);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'DeleteAssetGroupTag');
    assert.deepEqual(record?.fields.before, { name: 'A', description: '', position: 2 });
    assert.deepEqual(await requests(), ['zones']);
    assert.equal((await readZones(server.deps.graph)).length, 2);
    assert.equal((await call('DELETE', `/${a.id}`)).status, 404);
  });

  it('answers 409 for Tier Zero and Hygiene', async () => {
    for (const id of [0, 1]) assert.equal((await call('DELETE', `/${id}`)).status, 409);
    assert.deepEqual(await requests(), []);
  });
});
