import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { compareGraphs } from '../../../scripts/compare-graphs.ts';
import { exported, ingestJson } from '../../../test/graph/exported.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { clearEdges, clearNodes } from '../clear.ts';
import { insertGraph } from '../store.ts';
import { type AnalysisProgress, AnalysisStopped, analyse, analysisStages } from './run.ts';
import {
  answeredRequest,
  countDerived,
  findPublished,
  Superseded,
  startAnalysis,
  sweepAnalyses,
  unpublish,
} from './store.ts';

const domain = 'S-1-5-21-1-2-3';
const domainsid = domain;
const nodes = [
  {
    objectId: domain,
    kinds: ['Domain', 'Base'],
    name: 'CORP.LOCAL',
    properties: { domainsid, collected: true },
  },
  { objectId: `${domain}-1103`, kinds: ['User', 'Base'], name: 'ADA@CORP.LOCAL', properties: { domainsid } },
  { objectId: `${domain}-1104`, kinds: ['User', 'Base'], name: 'BOB@CORP.LOCAL', properties: { domainsid } },
  { objectId: `${domain}-1105`, kinds: ['Group', 'Base'], name: 'OPS@CORP.LOCAL', properties: { domainsid } },
];
const [ada, bob, ops] = [`${domain}-1103`, `${domain}-1104`, `${domain}-1105`];
const edges = [
  { start: ada, kind: 'GetChanges', end: domain, properties: { isacl: true } },
  { start: ada, kind: 'GetChangesAll', end: domain, properties: { isacl: true } },
  { start: bob, kind: 'OwnsRaw', end: ops, properties: { isacl: true, isinherited: false } },
  // Somebody's word for it, which is not taken.
  { start: bob, kind: 'DCSync', end: domain },
  { start: bob, kind: 'AdminTo', end: ops },
];

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
  await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, server.now()));
});
afterEach(() => server.stop());

interface Wish {
  readonly requestId?: number;
  publish?(): Promise<void>;
  isStopped?(): boolean;
  onProgress?(progress: AnalysisProgress): void;
}

function run({ requestId = 1, publish, isStopped, onProgress }: Wish = {}) {
  return analyse(
    server.deps.graph,
    {
      requestId,
      settings: { citrixRdp: true },
      zones: [],
      clock: server.now,
      publish: async () => publish?.(),
    },
    { isStopped: isStopped ?? (() => false), onProgress: onProgress ?? (() => {}) },
  );
}

async function seen(kinds: readonly string[]): Promise<string[]> {
  const { graph } = await exported(server.deps.graph);
  return graph.edges
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ start, kind, end }) => `${start.value} ${kind} ${end.value}`)
    .sort();
}

async function sweep(): Promise<void> {
  let turns = 0;
  while ((await sweepAnalyses(server.deps.graph)) && turns < 100) turns += 1;
  assert.ok(turns < 100);
}

const rowsOf = async (table: string) =>
  (
    await server.deps.graph.query<{ analysis_id: number }>(
      `select distinct analysis_id from ${table} order by analysis_id`,
    )
  ).map((row) => row.analysis_id);

describe('analyse', () => {
  it('shows what follows from the graph and nothing that somebody claimed to follow', async () => {
    assert.deepEqual(await seen(['DCSync', 'AdminTo']), [`${bob} AdminTo ${ops}`, `${bob} DCSync ${domain}`]);
    const { id, derived } = await run({ requestId: 7 });
    assert.deepEqual(await seen(['DCSync', 'AdminTo', 'Owns']), [
      `${ada} DCSync ${domain}`,
      `${bob} Owns ${ops}`,
    ]);
    assert.deepEqual(await countDerived(server.deps.graph), derived);
    assert.deepEqual(await findPublished(server.deps.graph), {
      id,
      requestId: 7,
      startedAt: (await findPublished(server.deps.graph))?.startedAt,
    });
    const { graph } = await exported(server.deps.graph);
    const owns = graph.edges.find(({ kind }) => kind === 'Owns');
    const raw = graph.edges.find(({ kind }) => kind === 'OwnsRaw');
    assert.deepEqual(owns?.properties, { inheritancehash: '', ...raw?.properties });
    assert.deepEqual(graph.edges.find(({ kind }) => kind === 'DCSync')?.properties, {});
  });

  it('adds the groups that every collected domain has, once', async () => {
    await run();
    const first = await exported(server.deps.graph);
    const everyone = first.graph.nodes.find(({ id }) => id === 'CORP.LOCAL-S-1-1-0');
    assert.deepEqual(everyone?.kinds, ['Group', 'Base']);
    assert.equal(everyone?.properties?.name, 'EVERYONE@CORP.LOCAL');
    assert.ok((await seen(['MemberOf'])).includes(`${domain}-513 MemberOf CORP.LOCAL-S-1-5-11`));
    await run({ requestId: 2 });
    assert.deepEqual(compareGraphs(first, await exported(server.deps.graph)), []);
  });

  it('gives the same graph when its export is ingested into an empty one and analysed', async () => {
    await run();
    const first = await exported(server.deps.graph);
    await server.deps.graph.transaction(async (graph) => {
      const askedAt = server.now() + 1;
      for (let cursor: number | undefined = 0; cursor !== undefined; )
        cursor = (await clearEdges(graph, askedAt, cursor)).cursor;
      for (let cursor: number | undefined = 0; cursor !== undefined; )
        cursor = (await clearNodes(graph, { askedAt }, cursor)).cursor;
      await unpublish(graph);
    });
    assert.deepEqual((await exported(server.deps.graph)).graph, { nodes: [], edges: [] });
    const [result] = await ingestJson(server.deps.graph, first, server.now());
    assert.deepEqual([result?.outcome, result?.errors], ['complete', []]);
    await run({ requestId: 2 });
    const second = await exported(server.deps.graph);
    const timeless = ({ properties, ...edge }: (typeof second.graph.edges)[number]) => {
      const { lastseen: _, ...others } = properties ?? {};
      return { ...edge, properties: others };
    };
    assert.deepEqual(
      compareGraphs(first, { graph: { ...second.graph, edges: second.graph.edges.map(timeless) } }),
      [],
    );
    assert.ok(first.graph.edges.some(({ kind }) => kind === 'DCSync'));
  });

  it('tells a role for a part of a tenant from one for all of it, and names management groups', async () => {
    const tenantid = '0F-TENANT';
    const role = `62E90394-69F5-4237-9190-012177145E10@${tenantid}`;
    const azure = (
      objectId: string,
      kind: string,
      properties: Record<string, unknown> = {},
      name = objectId,
    ) => ({
      objectId,
      kinds: [kind, 'AZBase'],
      name,
      properties: { tenantid, ...properties },
    });
    const scopes = { WHOLE: '0f-tenant', SLASH: '/', NONE: '', MISSING: undefined, PART: 'APP-1', ODD: 7 };
    const users = Object.keys(scopes);
    await server.deps.graph.transaction((graph) =>
      insertGraph(
        graph,
        [
          azure(tenantid, 'AZTenant', {}, 'CONTOSO'),
          azure(role, 'AZRole', { templateid: '62e90394-69f5-4237-9190-012177145e10' }),
          azure('/MG', 'AZManagementGroup', { displayname: 'Root' }, ''),
          ...users.map((user) => azure(user, 'AZUser', { displayname: 'Somebody' })),
        ],
        [
          { start: tenantid, kind: 'AZContains', end: role },
          ...Object.entries(scopes).map(([user, scope]) => ({
            start: user,
            kind: 'AZHasRole',
            end: role,
            properties: { scope },
          })),
          // Not taken at its word, either.
          { start: 'PART', kind: 'AZGlobalAdmin', end: tenantid },
        ],
        server.now(),
      ),
    );
    await run();
    assert.deepEqual(
      await seen(['AZGlobalAdmin']),
      ['MISSING', 'NONE', 'ODD', 'SLASH', 'WHOLE'].map((user) => `${user} AZGlobalAdmin ${tenantid}`),
    );
    assert.equal((await seen(['AZHasRole'])).length, users.length);
    assert.deepEqual(await seen(['AZHasRole(scoped)']), []);
    const { graph } = await exported(server.deps.graph);
    assert.equal(graph.nodes.find(({ id }) => id === '/MG')?.properties?.name, 'ROOT@CONTOSO');
  });

  it('tells every stage in order, and never goes back', async () => {
    const told: AnalysisProgress[] = [];
    await run({ onProgress: (progress) => told.push(progress) });
    assert.deepEqual([...new Set(told.map(({ stage }) => stage))], analysisStages);
    const percents = told.map(({ percent }) => percent);
    assert.deepEqual(
      percents,
      [...percents].sort((one, two) => one - two),
    );
    assert.equal(percents.at(-1), 100);
  });

  it('leaves the results of before in place until it is published, whenever it ends', async () => {
    await run();
    const before = await exported(server.deps.graph);
    const { graph } = server.deps;
    await graph.transaction((graph) =>
      insertGraph(graph, [], [{ start: bob, kind: 'GetChanges', end: domain }], server.now()),
    );
    await graph.transaction((graph) =>
      insertGraph(graph, [], [{ start: bob, kind: 'GetChangesAll', end: domain }], server.now()),
    );
    for (let steps = 0; ; steps += 1) {
      assert.ok(steps < 200);
      let left = steps;
      const stopped = await run({ requestId: 2, isStopped: () => left-- === 0 }).catch((error) => error);
      if (!(stopped instanceof Error)) break;
      assert.ok(stopped instanceof AnalysisStopped, String(stopped));
      assert.deepEqual(await seen(['DCSync']), [`${ada} DCSync ${domain}`]);
      assert.equal(await answeredRequest(graph), 1);
    }
    assert.deepEqual(await seen(['DCSync']), [`${ada} DCSync ${domain}`, `${bob} DCSync ${domain}`]);
    assert.equal(before.graph.edges.filter(({ kind }) => kind === 'DCSync').length, 1);
    assert.equal(await answeredRequest(graph), 2);
  });

  it('is published together with what goes with it, or not at all', async () => {
    const refusal = new Error('the disk is full');
    await assert.rejects(
      run({
        publish: async () => {
          throw refusal;
        },
      }),
      refusal,
    );
    assert.equal(await findPublished(server.deps.graph), undefined);
    assert.equal(await answeredRequest(server.deps.graph), 0);
    assert.deepEqual(await seen(['DCSync']), []);
  });

  it('leaves the store alone once another run has begun', async () => {
    const { graph } = server.deps;
    let isOvertaken = false;
    const onProgress = ({ stage }: AnalysisProgress) => {
      if (stage !== 'measuring' || isOvertaken) return;
      isOvertaken = true;
      overtaking = startAnalysis(graph, 9, server.now());
    };
    let overtaking: Promise<number> | undefined;
    await assert.rejects(run({ onProgress }), Superseded);
    assert.ok((await overtaking) !== undefined);
    assert.equal(await findPublished(graph), undefined);
    assert.deepEqual(await rowsOf('derived_edges'), []);
  });

  it('has the rows of runs that nobody sees any more swept up in small steps, and only those', async () => {
    const { graph } = server.deps;
    const first = await run({ requestId: 1 });
    const second = await run({ requestId: 2 });
    assert.deepEqual(await rowsOf('derived_edges'), [first.id, second.id]);
    const many = Array.from({ length: 12_000 }, (_, end) => [first.id, 1, 1, end]);
    await graph.transaction((graph) =>
      graph.bulk('derived_edges', ['analysis_id', 'start_id', 'kind_id', 'end_id'], many),
    );
    const before = await exported(graph);
    assert.equal(await sweepAnalyses(graph), true);
    assert.deepEqual(await rowsOf('derived_edges'), [first.id, second.id]);
    await sweep();
    assert.deepEqual(await rowsOf('derived_edges'), [second.id]);
    assert.deepEqual(await exported(graph), before);
    await graph.transaction(unpublish);
    await startAnalysis(graph, 3, server.now());
    const third = await startAnalysis(graph, 3, server.now());
    await sweep();
    assert.deepEqual(await rowsOf('derived_edges'), []);
    assert.equal(await answeredRequest(graph), 2);
    const left = await graph.query<{ id: number }>('select id from analyses order by id');
    assert.deepEqual(
      left.map(({ id }) => id),
      [first.id, second.id, third],
    );
  });
});
