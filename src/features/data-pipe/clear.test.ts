import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { auditRows, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph } from '../../graph/store.ts';
import { insertRun } from '../posture/index.ts';
import { clearTask } from './clear.ts';

describe('POST /api/v2/clear-database', () => {
  let server: TestServer;
  let token: string;

  const clear = (body: unknown) => server.call('POST', '/api/v2/clear-database', { token, body });
  const status = async () =>
    (await server.call('GET', '/api/v2/datapipe/status', { token })).body.data.status as string;
  const count = async (table: string) => {
    const row = await server.deps.graph.one<{ n: number }>(
      `select cast(count(*) as bigint) as n from ${table}`,
    );
    return row?.n;
  };
  const counts = async () => ({
    nodes: await count('nodes'),
    edges: await count('edges'),
    runs: await count('analysis_runs'),
    points: await count('posture_points'),
  });
  const clearRecords = async () =>
    (await auditRows(server.deps)).filter(
      ({ action, outcome }) => action === 'ClearDatabase' && outcome === 'success',
    );

  beforeEach(async () => {
    server = await startTestServer();
    token = (await makeUser(server.deps)).token;
    const nodes = [
      { objectId: 'D-1', kinds: ['Domain', 'Base'], name: 'CORP' },
      { objectId: 'U-1', kinds: ['User', 'Base'], name: 'ADA' },
      { objectId: 'AZ-1', kinds: ['AZUser', 'AZBase'], name: 'ADA' },
      { objectId: 'AZ-2', kinds: ['AZTenant', 'AZBase'], name: 'CONTOSO' },
    ];
    const edges = [
      { start: 'D-1', kind: 'Contains', end: 'U-1' },
      { start: 'U-1', kind: 'SyncedToEntraUser', end: 'AZ-1' },
      { start: 'AZ-2', kind: 'AZContains', end: 'AZ-1' },
      { start: 'AZ-1', kind: 'Knows', end: 'AZ-1' },
    ];
    const now = server.now();
    await server.deps.graph.transaction(async (graph) => {
      await insertGraph(graph, nodes, edges, now);
      await graph.execute("update nodes set record_hash = 'known'");
      await insertRun(graph, { startedAt: now - 2000, finishedAt: now - 1000 }, [
        { dataType: 'assets', tagId: 1, environmentId: 'D-1', numerator: 3, denominator: 1 },
      ]);
    });
    server.advance(1000);
  });
  afterEach(() => server.stop());

  it('answers 202, and all nodes and edges are gone afterwards; posture stays', async () => {
    const answer = await clear({ confirm: 'delete', deleteCollectedGraphData: true });
    assert.equal(answer.status, 202);
    assert.equal(answer.body.data.status, 'accepted');
    assert.equal(await status(), 'purging');
    assert.deepEqual(await clearRecords(), []);
    await clearTask.run(server.deps);
    assert.equal(await status(), 'idle');
    assert.deepEqual(await counts(), { nodes: 0, edges: 0, runs: 1, points: 1 });
  });

  it('deletes by kind, however many lists of kinds there are', async () => {
    const lists = Array.from({ length: 40_000 }, (_, n) => [JSON.stringify([`K${n}`, 'AZBase'])]);
    await server.deps.graph.transaction((graph) => graph.bulk('kind_lists', ['kinds'], lists));
    assert.equal((await clear({ confirm: 'delete', deleteSourceKinds: ['AZBase'] })).status, 202);
    await clearTask.run(server.deps);
    assert.equal(await status(), 'idle');
    assert.equal(await count('nodes'), 2);
    const search = await server.call('GET', '/api/v2/search?q=ad&type=base', { token });
    assert.deepEqual(search.body.data.length, 1, search.text);
    const none = await server.call('GET', '/api/v2/search?q=ad&type=azbase', { token });
    assert.deepEqual([none.status, none.body.data], [200, []]);
  });

  it('has a record of the intent before anything is deleted, with who asked and for what', async () => {
    const { body } = await clear({ confirm: 'delete', deleteCollectedGraphData: true });
    const [record] = await auditRows(server.deps);
    assert.deepEqual([record?.action, record?.outcome], ['ClearDatabase', 'intent']);
    assert.match(record?.actor_name ?? '', /^user-/);
    assert.equal(record?.fields.clear_id, body.data.id);
    assert.equal(record?.fields.collected_graph_data, true);
    assert.equal(await count('nodes'), 4);
    const listed = await server.call('GET', '/api/v2/audit?status=eq:intent', { token });
    assert.equal(listed.body.data.logs[0].status, 'intent');
  });

  it('leaves exactly one audit record of the outcome, with what was deleted and how much', async () => {
    const { body } = await clear({
      confirm: 'delete',
      deleteCollectedGraphData: true,
      deleteDataQualityHistory: true,
    });
    const before = (await auditRows(server.deps)).length;
    await clearTask.run(server.deps);
    await clearTask.run(server.deps);
    assert.deepEqual(await counts(), { nodes: 0, edges: 0, runs: 0, points: 0 });
    const rows = await clearRecords();
    assert.equal(rows.length, 1);
    const { asked_at: askedAt, ...fields } = rows[0]?.fields ?? {};
    assert.equal(Number.isNaN(Date.parse(String(askedAt))), false);
    assert.deepEqual(fields, {
      clear_id: body.data.id,
      collected_graph_data: true,
      source_kinds: [],
      file_ingest_history: false,
      data_quality_history: true,
      deleted_nodes: 4,
      deleted_edges: 4,
      deleted_files: 0,
      deleted_uploads: 0,
      deleted_analysis_runs: 1,
    });
    assert.match(rows[0]?.actor_name ?? '', /^user-/);
    assert.equal((await auditRows(server.deps)).length, before + 1);
  });

  it('deletes nodes of a source kind with their edges, and nothing else', async () => {
    await clear({ confirm: 'delete', deleteSourceKinds: ['AZBase', 'NoSuchBase'] });
    await clearTask.run(server.deps);
    assert.deepEqual(await counts(), { nodes: 2, edges: 1, runs: 1, points: 1 });
    // What it stated about what is gone has to be read again.
    const kept = await server.deps.graph.query('select record_hash from nodes where record_hash is not null');
    assert.equal(kept.length, 0);
    const [record] = await clearRecords();
    assert.deepEqual(
      [record?.fields.source_kinds, record?.fields.deleted_nodes, record?.fields.deleted_edges],
      [['AZBase', 'NoSuchBase'], 2, 3],
    );
  });

  it('leaves what came in after it was asked for', async () => {
    await clear({ confirm: 'delete', deleteCollectedGraphData: true });
    server.advance(1000);
    await server.deps.graph.transaction((graph) =>
      insertGraph(
        graph,
        [{ objectId: 'NEW', kinds: ['User', 'Base'], name: 'NEW' }],
        [{ start: 'NEW', kind: 'Knows', end: 'NEW' }],
        server.now(),
      ),
    );
    await clearTask.run(server.deps);
    const nodes = await server.deps.graph.query('select object_id from nodes');
    assert.deepEqual([...nodes], [{ object_id: 'NEW' }]);
    assert.equal(await count('edges'), 1);
  });

  it('deletes more than fits into one transaction', async () => {
    const many = Array.from({ length: 1200 }, (_, index) => ({
      objectId: `X-${index}`,
      kinds: ['Bulk'],
      name: '',
    }));
    const hub = many.flatMap(({ objectId }) =>
      ['A', 'B', 'C', 'D', 'E'].map((kind) => ({ start: 'X-0', kind, end: objectId })),
    );
    await server.deps.graph.transaction((graph) => insertGraph(graph, many, hub, server.now()));
    await clear({ confirm: 'delete', deleteSourceKinds: ['Bulk'] });
    for (let turn = 0; turn < 50 && (await status()) === 'purging'; turn += 1)
      await clearTask.run(server.deps);
    assert.deepEqual(await counts(), { nodes: 4, edges: 4, runs: 1, points: 1 });
    assert.equal((await clearRecords())[0]?.fields.deleted_edges, 6000);
  });

  it('answers 400 that names the word without it, and nothing is deleted', async () => {
    for (const confirm of ['', 'DELETE', 'yes']) {
      const { status: code, body } = await clear({ confirm, deleteCollectedGraphData: true });
      assert.equal(code, 400);
      assert.deepEqual(
        [body.errors[0].context, body.errors[0].message],
        ['confirm', 'to delete for good, confirm must be the word "delete"'],
      );
    }
    await clearTask.run(server.deps);
    assert.equal(await count('nodes'), 4);
    assert.deepEqual(await clearRecords(), []);
  });

  it('answers 400 when nothing is chosen, both ways at once are, or something unknown is', async () => {
    const confirm = 'delete';
    for (const body of [
      { confirm },
      { confirm, deleteCollectedGraphData: false, deleteSourceKinds: [] },
      { confirm, deleteCollectedGraphData: true, deleteSourceKinds: ['Base'] },
      { confirm, deleteAuditLog: true },
      { confirm, deleteCollectedGraphData: 'true' },
    ])
      assert.equal((await clear(body)).status, 400, JSON.stringify(body));
    assert.equal(await status(), 'idle');
  });

  it('answers 403 without the permission', async () => {
    token = (await makeUser(server.deps, 'Power User')).token;
    const { status: code, body } = await clear({ confirm: 'delete', deleteCollectedGraphData: true });
    assert.equal(code, 403);
    assert.equal(body.errors[0].message, 'this needs the permission db.Wipe');
  });
});
