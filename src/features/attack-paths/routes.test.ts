import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addEdge, analyseAgain, domain, idOf, insertEstate } from '../../../test/graph/attack-paths.ts';
import { makeClient, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { findingTypes } from '../../graph/analysis/measure/finding-types.ts';
import { insertGraph } from '../../graph/store.ts';

const url = '/api/v2/attack-paths/findings';
let server: TestServer;
let token: string;

const get = (path: string, headers: Record<string, string> = {}) =>
  server.call('GET', path, { token, headers });
const list = async (query = '') => {
  const { status, body, text } = await get(`${url}?${query}`);
  assert.equal(status, 200, text.slice(0, 300));
  return body.data.findings as { id: number; type: string; [member: string]: unknown }[];
};
const typesOf = async (query: string) => (await list(query)).map(({ type }) => type);
const pathOf = async (type: string) => {
  const [finding] = await list(`type=${type}`);
  const { path } = (await get(`${url}/${finding?.id}`)).body.data;
  return (path.edges as { source: string; kind: string; target: string }[]).map(
    ({ source, kind, target }) =>
      `${source.replace(`${domain}-`, '')} ${kind} ${target.replace(`${domain}-`, '')}`,
  );
};

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
  await insertEstate(server);
});
after(() => server.stop());

describe('GET /api/v2/attack-paths/types', () => {
  it('answers 200 with every type, each in words of its own', async () => {
    const { status, body } = await get('/api/v2/attack-paths/types');
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      findingTypes.map(({ id }) => id),
    );
    for (const { id, title, description, remediation, edge_kind, category, severity_by } of body.data) {
      assert.match(description, /^[A-Z][^[\]|@]*\.$/, id);
      assert.match(remediation, /^[A-Z][^[\]|@]*\.$/, id);
      assert.notEqual(title, '');
      assert.equal(edge_kind === null, category === 'list', id);
      assert.equal(severity_by, category === 'zone' ? 'exposure' : 'impact', id);
    }
    const described = body.data.map(({ title, category }: Record<string, string>) => `${category} ${title}`);
    assert.equal(new Set(described).size, described.length);
  });
});

describe('GET /api/v2/attack-paths/findings', () => {
  it('answers 200 with nothing before the first analysis', async () => {
    const { body } = await get(url);
    assert.deepEqual(body, { count: 0, limit: 100, skip: 0, data: { findings: [] } });
  });

  it('answers 200 with what the analysis found, measured', async () => {
    await analyseAgain(server, token);
    const findings = await list('sort_by=type');
    const rows = findings.map((f) => [
      f.type,
      f.source_name,
      f.target_name,
      f.asset_group_tag_id,
      [f.exposure_count, f.exposure_percent, f.impact_count, f.impact_percent].join(' '),
    ]);
    assert.deepEqual(rows, [
      ['Kerberoasting', 'DAN', 'DAN', 0, '0 0 1 20'],
      ['LargeDefaultGroupsGenericAll', 'DOMAIN USERS', 'SHED', 0, '0 0 1 20'],
      ['T0ForceChangePassword', 'CAT', 'ROOT', 1, '1 20 1 20'],
      ['T0GenericAll', 'HELP', 'ADMINS', 1, '1 20 0 0'],
    ]);
    const { first_seen: firstSeen, last_seen: lastSeen, ...rest } = findings[2] as (typeof findings)[0];
    assert.equal(firstSeen, lastSeen);
    assert.ok(Math.abs(Date.parse(String(firstSeen)) - server.now()) < 120_000);
    assert.deepEqual(rest, {
      id: findings[2]?.id,
      environment_id: domain,
      asset_group_tag_id: 1,
      type: 'T0ForceChangePassword',
      severity: 'low',
      state: 'active',
      source_id: idOf(1002),
      source_name: 'CAT',
      source_kind: 'User',
      target_id: idOf(1000),
      target_name: 'ROOT',
      target_kind: 'User',
      exposure_count: 1,
      exposure_percent: 20,
      impact_count: 1,
      impact_percent: 20,
      gone_at: null,
      acceptance: null,
    });
  });

  it('answers 200 with the most severe first', async () => {
    // Everybody can now become CAT: 4 of 5 principals, and the fifth is ROOT.
    await addEdge(server, 1001, 'GenericAll', 1002);
    await addEdge(server, 1003, 'GenericAll', 1002);
    await addEdge(server, 1004, 'GenericAll', 1002);
    await analyseAgain(server, token);
    const [first, ...others] = await list();
    assert.deepEqual(
      [first?.type, first?.severity, first?.exposure_count, first?.exposure_percent],
      ['T0ForceChangePassword', 'high', 4, 80],
    );
    assert.deepEqual([...new Set(others.map(({ severity }) => severity))], ['moderate', 'low']);
    assert.deepEqual(
      (await list('sort_by=-severity&sort_by=-id')).map(({ severity }) => severity),
      [first?.severity, ...others.map(({ severity }) => severity)],
    );
  });

  it('answers 200 with what filters leave', async () => {
    assert.deepEqual(await typesOf('severity=gte:high'), ['T0ForceChangePassword']);
    assert.deepEqual(await typesOf('severity=eq:critical'), []);
    assert.deepEqual((await list('severity=lt:high')).length, 3);
    assert.deepEqual(await typesOf('asset_group_tag_id=1&sort_by=type'), [
      'T0ForceChangePassword',
      'T0GenericAll',
    ]);
    assert.deepEqual(await typesOf('type=Kerberoasting'), ['Kerberoasting']);
    assert.deepEqual(await typesOf('source_name=~eq:hel'), ['T0GenericAll']);
    assert.deepEqual(await typesOf(`target_id=${idOf(1004)}`), ['LargeDefaultGroupsGenericAll']);
    assert.deepEqual(await typesOf(`source_id=${idOf(1101)}`), ['T0GenericAll']);
    assert.equal((await list(`environment_id=${domain}`)).length, 4);
    assert.equal((await list('environment_id=S-1-5-21-8')).length, 0);
    assert.equal((await list('state=active')).length, 4);
    assert.equal((await list('state=remediated')).length, 0);
    assert.equal((await list('first_seen=lte:2020-01-01T00:00:00Z')).length, 0);
    assert.equal((await list('gone_at=eq:null')).length, 4);
  });

  it('answers 200 with pages, counted', async () => {
    const all = (await list('sort_by=-impact_percent')).map(({ id }) => id);
    const { body } = await get(`${url}?sort_by=-impact_percent&skip=1&limit=2`);
    assert.deepEqual([body.count, body.limit, body.skip], [4, 2, 1]);
    assert.deepEqual(
      body.data.findings.map(({ id }: { id: number }) => id),
      all.slice(1, 3),
    );
  });

  it('answers 200 with CSV when asked for it, and no cell is a formula', async () => {
    const evil = [
      { objectId: 'EVIL', kinds: ['User', 'Base'], name: '=HYPERLINK("http://x", "y")', properties: {} },
    ];
    await server.deps.graph.transaction(async (graph) => {
      await insertGraph(
        graph,
        evil,
        [{ start: 'EVIL', kind: 'ForceChangePassword', end: idOf(1000) }],
        server.now(),
      );
    });
    await analyseAgain(server, token);
    const answer = await get(`${url}?type=T0ForceChangePassword&sort_by=source_id`, { accept: 'text/csv' });
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="findings.csv"');
    assert.match(answer.headers.get('vary') ?? '', /accept/);
    const [header, first, second, ...rest] = answer.text.split('\r\n');
    assert.match(header ?? '', /^id,environment_id,asset_group_tag_id,type,severity,state,source_id,/);
    assert.match(first ?? '', /^\d+,S-1-5-21-7,1,T0ForceChangePassword,low,active,EVIL,/);
    assert.match(first ?? '', /,EVIL,"'=HYPERLINK\(""http:\/\/x"", ""y""\)",User,/);
    assert.match(second ?? '', /,CAT,User,S-1-5-21-7-1000,ROOT,User,4,80,\d+,\d+,20[^,]*Z,20[^,]*Z,,,,,$/);
    assert.deepEqual(rest, ['']);
    const lines = async (query: string) =>
      (await get(`${url}?${query}`, { accept: 'text/csv' })).text.split('\r\n').length - 2;
    assert.equal(await lines(''), 5);
    assert.equal(await lines('limit=2'), 2);
    assert.equal(await lines('skip=2&sort_by=type'), 3);
    assert.equal(await lines('type=nothing'), 0);
  });

  it('answers 400 to words that it does not know', async () => {
    const [problem] = assertEnvelope(await get(`${url}?severity=gte:2`), 400);
    assert.equal(problem?.message, 'severity must be one of low, moderate, high, critical, but is "2"');
    assertEnvelope(await get(`${url}?zone=1`), 400);
    const [other] = assertEnvelope(await get(`${url}?state=Active`), 400);
    assert.equal(other?.message, 'state must be one of active, accepted, remediated, but is "Active"');
  });

  it('answers 200 with what has no name by its id, and finds it by that', async () => {
    const stranger = { objectId: 'STRANGER', kinds: ['Base'], name: '', properties: {} };
    await server.deps.graph.transaction((graph) =>
      insertGraph(
        graph,
        [stranger],
        [{ start: 'STRANGER', kind: 'WriteDacl', end: idOf(512) }],
        server.now(),
      ),
    );
    await analyseAgain(server, token);
    const found = (await list('source_name=STRANGER')).map((f) => [f.type, f.source_name]);
    assert.deepEqual(found, [['T0WriteDACL', 'STRANGER']]);
    const names = (await list('sort_by=-source_name')).map((f) => String(f.source_name));
    assert.deepEqual(names, [...names].sort().reverse());
  });

  it('answers 403 to those who may not read the graph', async () => {
    const callers = [await makeUser(server.deps, 'Upload-Only'), await makeClient(server.deps)];
    for (const { token } of callers)
      for (const path of [url, `${url}/1`, '/api/v2/attack-path-types', '/api/v2/attack-paths/types'])
        assert.equal((await server.call('GET', path, { token })).status, 403);
    const reader = await makeUser(server.deps, 'Read-Only');
    assert.equal((await server.call('GET', url, { token: reader.token })).status, 200);
  });
});

describe('GET /api/v2/attack-paths/findings/:finding_id', () => {
  it('answers 200 with a shortest path from the nearest principal', async () => {
    assert.deepEqual(await pathOf('T0GenericAll'), [
      '1001 MemberOf 1102',
      '1102 MemberOf 1101',
      '1101 GenericAll 512',
    ]);
    const [finding] = await list('type=T0GenericAll');
    const { path, ...rest } = (await get(`${url}/${finding?.id}`)).body.data;
    assert.deepEqual(rest, finding);
    assert.deepEqual(path.nodes[0], {
      objectId: idOf(1001),
      name: 'BOB',
      kinds: ['Base', 'User'],
      label: 'User',
    });
    assert.deepEqual(path.nodes[3], {
      objectId: idOf(512),
      name: 'ADMINS',
      kinds: ['Base', 'Group', 'Tag_Tier_Zero'],
      label: 'Group',
    });
    assert.equal(path.nodes.length, 4);
  });

  it('answers 200 with the finding alone where the source is a principal or it is about hygiene', async () => {
    const [cat] = await list(`source_id=${idOf(1002)}`);
    const { path } = (await get(`${url}/${cat?.id}`)).body.data;
    assert.deepEqual(path.edges, [{ source: idOf(1002), target: idOf(1000), kind: 'ForceChangePassword' }]);
    assert.deepEqual(await pathOf('LargeDefaultGroupsGenericAll'), ['513 GenericAll 1004']);
    assert.deepEqual(await pathOf('Kerberoasting'), []);
    const [dan] = await list('type=Kerberoasting');
    const { nodes } = (await get(`${url}/${dan?.id}`)).body.data.path;
    assert.deepEqual(
      nodes.map(({ name }: { name: string }) => name),
      ['DAN'],
    );
  });

  it('answers 200 with a path that keeps out of the zone, follows derived edges and no uploaded ones of their kinds', async () => {
    // ROOT, in the zone, is nearer to OPS than anybody else; SHED is reached by a right that is derived.
    const { graph } = server.deps;
    await addEdge(server, 1000, 'GenericAll', 1101);
    await addEdge(server, 1002, 'Owns', 1101);
    await graph.transaction((graph) =>
      graph.execute(
        `insert into derived_edges (analysis_id, start_id, kind_id, end_id)
         select p.analysis_id, s.id, k.id, e.id from published_analysis p, nodes s, edge_kinds k, nodes e
         where s.object_id = $1 and k.name = 'Owns' and e.object_id = $2`,
        [idOf(1003), idOf(1101)],
      ),
    );
    assert.deepEqual(await pathOf('T0GenericAll'), ['1003 Owns 1101', '1101 GenericAll 512']);
    await graph.transaction((graph) => graph.execute('delete from derived_edges'));
    assert.equal((await pathOf('T0GenericAll')).length, 3);
  });

  it('answers 200 with ids for names where nodes are gone since', async () => {
    await server.deps.graph.transaction(async (graph) => {
      await graph.execute('delete from edges');
      await graph.execute('delete from nodes where object_id = $1', [idOf(1101)]);
    });
    const [finding] = await list('type=T0GenericAll');
    assert.deepEqual([finding?.source_name, finding?.source_kind], [idOf(1101), 'Unknown']);
    const { path } = (await get(`${url}/${finding?.id}`)).body.data;
    assert.deepEqual(path.nodes[0], { objectId: idOf(1101), name: idOf(1101), kinds: [], label: 'Unknown' });
    assert.equal(path.edges.length, 1);
    assert.deepEqual(await typesOf(`source_name=${idOf(1101)}`), ['T0GenericAll']);
  });

  it('answers 404 to one that is not there, whatever the number', async () => {
    for (const id of ['0', '987654', '9223372036854775807', '-1'])
      assertEnvelope(await get(`${url}/${id}`), 404);
    assertEnvelope(await get(`${url}/x`), 400);
  });
});
