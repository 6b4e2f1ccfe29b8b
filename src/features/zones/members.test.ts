import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { compareGraphs } from '../../../scripts/compare-graphs.ts';
import { analyseNow } from '../../../test/graph/analysis.ts';
import { exported, ingestJson } from '../../../test/graph/exported.ts';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph } from '../../graph/store.ts';

const domain = 'S-1-5-21-1';
const ofDomain = { domainsid: domain };
const nodes = [
  {
    objectId: domain,
    kinds: ['Domain', 'Base'],
    name: 'CORP.EXAMPLE',
    properties: { ...ofDomain, collected: true },
  },
  {
    objectId: `${domain}-512`,
    kinds: ['Group', 'Base'],
    name: 'DOMAIN ADMINS@CORP.EXAMPLE',
    properties: ofDomain,
  },
  { objectId: `${domain}-1001`, kinds: ['User', 'Base'], name: 'ANN@CORP.EXAMPLE', properties: ofDomain },
  { objectId: `${domain}-1002`, kinds: ['User', 'Base'], name: 'BOB@CORP.EXAMPLE', properties: ofDomain },
  {
    objectId: `${domain}-1003`,
    kinds: ['Group', 'Base'],
    name: 'PAYROLL@CORP.EXAMPLE',
    properties: ofDomain,
  },
  { objectId: 'UNIT', kinds: ['OU', 'Base'], name: 'ADMINS@CORP.EXAMPLE', properties: ofDomain },
  { objectId: 'CA', kinds: ['EnterpriseCA', 'Base'], name: 'CA@CORP.EXAMPLE', properties: ofDomain },
  {
    objectId: 'TEMPLATE',
    kinds: ['CertTemplate', 'Base'],
    name: 'WEB@CORP.EXAMPLE',
    properties: { system_tags: 'owned' },
  },
  { objectId: 'PLAIN', kinds: ['User', 'Base'], name: 'PLAIN', properties: { system_tags: 'admin_tier_0' } },
];
const edges = [
  { start: `${domain}-1001`, kind: 'MemberOf', end: `${domain}-512` },
  { start: `${domain}-1001`, kind: 'MemberOf', end: `${domain}-1003` },
  { start: `${domain}-1002`, kind: 'MemberOf', end: `${domain}-1003` },
  { start: 'UNIT', kind: 'Contains', end: `${domain}-1001` },
  { start: 'TEMPLATE', kind: 'PublishedTo', end: 'CA' },
];

let server: TestServer;
let admin: MadeUser;
let zone: number;

const get = async (path: string) => {
  const { status, body, text } = await server.call('GET', path, { token: admin.token });
  assert.equal(status, 200, `${path}: ${text.slice(0, 300)}`);
  return body;
};
const send = async (method: string, path: string, body?: unknown) => {
  const { status, body: answer, text } = await server.call(method, path, { token: admin.token, body });
  assert.ok(status < 300, text);
  return answer;
};
const members = (tag: number, query = '') => get(`/api/v2/asset-group-tags/${tag}/members${query}`);
const idsOf = (page: { data: { members: { object_id: string }[] } }) =>
  page.data.members.map(({ object_id }) => object_id);
/** Without the nodes that analysis itself adds to a domain. */
const drawnIds = async (tag: number, query = '?sort_by=object_id') => {
  const drawn = new Set(nodes.map(({ objectId }) => objectId));
  return idsOf(await members(tag, query)).filter((id) => drawn.has(id));
};
const found = async (name: string) => (await get(`/api/v2/search?q=${name}`)).data[0];

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
  await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, server.now()));
  zone = (await send('POST', '/api/v2/asset-group-tags', { name: 'Pay roll' })).data.id;
});
after(() => server.stop());

describe('before an analysis', () => {
  it('zones have no members, and nodes show what was collected', async () => {
    assert.deepEqual(await members(1), { count: 0, limit: 100, skip: 0, data: { members: [] } });
    assert.deepEqual((await get('/api/v2/asset-group-tags/1/members/counts')).data, {
      total_count: 0,
      counts: {},
    });
    const { data } = await get('/api/v2/enterprisecas/CA');
    assert.deepEqual(data.kinds, ['Base', 'EnterpriseCA']);
    assert.equal((await found('CA@')).system_tags, '');
  });
});

describe('GET /api/v2/asset-group-tags/:asset_group_tag_id/members', () => {
  before(async () => {
    await send('POST', `/api/v2/asset-group-tags/${zone}/selectors`, {
      name: 'Payroll',
      seeds: [{ value: `${domain}-1003` }, { value: 'NOT-THERE-YET' }],
    });
    assert.equal(await analyseNow(server.deps), 1);
  });

  it('answers 200 with the members by name, each with how it came in and where it belongs', async () => {
    const page = await members(zone);
    assert.equal(page.count, 2);
    const [bob, payroll] = page.data.members;
    assert.deepEqual(
      { ...bob, id: 0 },
      {
        id: 0,
        object_id: `${domain}-1002`,
        name: 'BOB@CORP.EXAMPLE',
        primary_kind: 'User',
        kinds: ['Base', 'Tag_Pay_roll', 'User'],
        environment_id: domain,
        environment_name: 'CORP.EXAMPLE',
        source: 2,
      },
    );
    assert.equal(payroll.source, 1);
  });

  it('leaves a node to the higher zone', async () => {
    assert.deepEqual(
      await drawnIds(1),
      ['CA', domain, `${domain}-1001`, `${domain}-512`, 'TEMPLATE', 'UNIT'].sort(),
    );
    const unit = (await members(1, '?object_id=eq:UNIT')).data.members[0];
    assert.equal(unit.source, 3);
  });

  it('answers 200 in pages that neither overlap nor leave anything out, in every order', async () => {
    const all = idsOf(await members(1, '?limit=1000')).sort();
    for (const column of ['id', 'name', '-name', 'object_id', '-primary_kind', 'environment_id']) {
      const seen: string[] = [];
      for (let skip = 0; skip < all.length; skip += 2) {
        const page = await members(1, `?sort_by=${column}&skip=${skip}&limit=2`);
        assert.equal(page.count, all.length);
        seen.push(...idsOf(page));
      }
      assert.deepEqual(seen.sort(), all, column);
    }
  });

  it('answers 200 with what the filters leave', async () => {
    assert.deepEqual(await drawnIds(1, '?primary_kind=eq:CertTemplate'), ['TEMPLATE']);
    assert.deepEqual(await drawnIds(1, `?environment_id=eq:${domain}&primary_kind=User&sort_by=name`), [
      `${domain}-1001`,
    ]);
    assert.deepEqual(await drawnIds(1, '?name=~eq:web'), ['TEMPLATE']);
    assert.deepEqual(await drawnIds(1, '?environment_id=eq:'), ['TEMPLATE']);
  });

  it('answers 200 with nobody for Hygiene, 404 for what does not exist, 400 to an unknown column', async () => {
    assert.equal((await members(0)).count, 0);
    for (const [path, status] of [
      ['/9/members', 404],
      ['/9/members/counts', 404],
      ['/1/members?source=eq:1', 400],
    ] as const) {
      const answer = await server.call('GET', `/api/v2/asset-group-tags${path}`, { token: admin.token });
      assert.equal(answer.status, status, path);
    }
  });

  it('answers 200 with those of the environments that are asked for', async () => {
    const url = `?environments=${domain.toLowerCase()}&environments=NOWHERE`;
    assert.deepEqual(idsOf(await members(zone, url)), idsOf(await members(zone)));
    assert.equal((await members(zone, '?environments=NOWHERE')).count, 0);
  });

  it('counts what each selector names when it is asked for', async () => {
    const { selectors } = (await get(`/api/v2/asset-group-tags/${zone}/selectors?counts=true`)).data;
    assert.deepEqual(
      selectors.map(({ counts }: { counts: object }) => counts),
      [{ members: 1 }],
    );
    const rules = (await get('/api/v2/asset-group-tags/1/selectors?counts=true&limit=1')).data;
    assert.deepEqual(rules.selectors[0].counts, { members: null });
    const plain = (await get(`/api/v2/asset-group-tags/${zone}/selectors`)).data;
    assert.equal(plain.selectors[0].counts, undefined);
  });

  it('counts by kind, and in the zones themselves', async () => {
    assert.deepEqual((await get(`/api/v2/asset-group-tags/${zone}/members/counts`)).data, {
      total_count: 2,
      counts: { Group: 1, User: 1 },
    });
    const { tags } = (await get('/api/v2/asset-group-tags?counts=true')).data;
    const all = (await members(1)).count;
    assert.deepEqual(
      tags.map(({ counts }: { counts: { members: number } }) => counts.members),
      [all, 2],
    );
    const { tag } = (await get(`/api/v2/asset-group-tags/${zone}?counts=true`)).data;
    assert.deepEqual([tag.id, tag.counts], [zone, tags[1].counts]);
  });

  it('shows the zone wherever a node is shown', async () => {
    const authorities = await get('/api/v2/certtemplates/TEMPLATE/published-to-cas');
    assert.deepEqual(authorities.data[0].kinds, ['Base', 'EnterpriseCA', 'Tag_Tier_Zero']);
    assert.equal(authorities.data[0].label, 'EnterpriseCA');
    const template = (await get('/api/v2/certtemplates/TEMPLATE')).data;
    assert.deepEqual(template.kinds, ['Base', 'CertTemplate', 'Tag_Tier_Zero']);
    assert.equal(template.props.system_tags, 'admin_tier_0 owned');
    const drawn = Object.values(await get('/api/v2/certtemplates/TEMPLATE/published-to-cas?type=graph'));
    const shown = drawn.flatMap((one) => (one as { data: { isTierZero?: boolean } }).data.isTierZero ?? []);
    assert.deepEqual(shown, [true, true]);
    assert.equal((await found('DOMAIN ADMINS')).system_tags, 'admin_tier_0');
    assert.equal((await found('BOB')).system_tags, '');
  });

  it('does not take the word of an upload for Tier Zero', async () => {
    assert.equal((await found('PLAIN')).system_tags, '');
  });

  it('tells the zone in an export, beside the kinds that can be ingested', async () => {
    const { graph } = await exported(server.deps.graph);
    const byId = new Map(graph.nodes.map((node) => [node.id, node]));
    assert.equal(byId.get('CA')?.zone, 'Tag_Tier_Zero');
    assert.deepEqual(byId.get('CA')?.all_kinds, ['EnterpriseCA', 'Base']);
    assert.equal(byId.get('CA')?.properties?.system_tags, 'admin_tier_0');
    assert.equal(byId.get(`${domain}-1002`)?.zone, 'Tag_Pay_roll');
    assert.equal(byId.get('PLAIN')?.zone, undefined);
    assert.equal(byId.get('PLAIN')?.properties?.system_tags, undefined);
    const plain = { id: 'X', kinds: ['User'], properties: {} };
    const file = (node: object) => ({ graph: { nodes: [{ ...plain, ...node }], edges: [] } });
    assert.deepEqual(compareGraphs(file({ kinds: ['User', 'Tag_A'] }), file({ zone: 'Tag_A' })), []);
    assert.equal(compareGraphs(file({}), file({ zone: 'Tag_A' })).length, 1);
  });

  it('stays as it is after its export is ingested, and after another analysis', async () => {
    const first = await exported(server.deps.graph);
    const [result] = await ingestJson(server.deps.graph, first, server.now());
    assert.equal(result?.outcome, 'complete');
    assert.deepEqual(result?.errors, []);
    assert.deepEqual(compareGraphs(first, await exported(server.deps.graph)), []);
    await send('PUT', '/api/v2/analysis');
    assert.equal(await analyseNow(server.deps), 1);
    assert.deepEqual(compareGraphs(first, await exported(server.deps.graph)), []);
  });
});

describe('a change of zones', () => {
  it('shows with the next analysis, and not before', async () => {
    const kindsOf = async (tag: number) =>
      (await members(tag, `?object_id=${domain}-1002`)).data.members[0]?.kinds;
    await send('PATCH', `/api/v2/asset-group-tags/${zone}`, { name: 'Money' });
    assert.deepEqual(await kindsOf(zone), ['Base', 'Tag_Pay_roll', 'User']);
    assert.equal(await analyseNow(server.deps), 1);
    assert.deepEqual(await kindsOf(zone), ['Base', 'Tag_Money', 'User']);

    await send('POST', '/api/v2/asset-group-tags/1/selectors', {
      name: 'Bob',
      seeds: [{ value: `${domain}-1002` }],
    });
    assert.equal((await members(zone)).count, 2);
    assert.equal(await analyseNow(server.deps), 1);
    assert.equal((await members(zone)).count, 1);
    assert.deepEqual(await kindsOf(1), ['Base', 'Tag_Tier_Zero', 'User']);

    await send('DELETE', `/api/v2/asset-group-tags/${zone}`);
    const payroll = async () =>
      (await exported(server.deps.graph)).graph.nodes.find(({ id }) => id === `${domain}-1003`)?.zone;
    assert.equal(await payroll(), 'Tag_Money');
    assert.equal(await analyseNow(server.deps), 1);
    assert.equal(await payroll(), undefined);
  });

  it('takes nodes out that are no longer selected', async () => {
    const { selectors } = (await get('/api/v2/asset-group-tags/1/selectors?name=eq:Certificate templates'))
      .data;
    await send('PATCH', `/api/v2/asset-group-tags/1/selectors/${selectors[0].id}`, { disabled: true });
    assert.equal(await analyseNow(server.deps), 1);
    assert.deepEqual((await get('/api/v2/certtemplates/TEMPLATE')).data.kinds, ['Base', 'CertTemplate']);
    assert.equal((await get('/api/v2/certtemplates/TEMPLATE')).data.props.system_tags, 'owned');
  });

  it('counts no node that is gone since', async () => {
    const { count } = await members(1);
    await server.deps.graph.transaction(async (graph) => {
      await graph.execute("delete from edges where end_id = (select id from nodes where object_id = 'CA')");
      await graph.execute("delete from nodes where object_id = 'CA'");
    });
    assert.equal((await members(1)).count, count - 1);
    assert.deepEqual(await drawnIds(1, '?object_id=CA'), []);
  });
});
