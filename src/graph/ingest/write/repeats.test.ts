import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyGraph, ingest, openGraph, readGraph } from '../../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../../test/server/stores.ts';
import { refreshAfterMs } from './read-statements.ts';

const members = (...ids: string[]) => ids.map((id) => ({ ObjectIdentifier: id, ObjectType: 'User' }));
const group = (id: string, ...ids: string[]) => ({
  ObjectIdentifier: id,
  Properties: { name: id, distinguishedname: `CN=${id}` },
  Aces: [],
  Members: members(...ids),
});
const builtIn = 'X-S-1-5-32-544';
const controller = (id: string, ...ids: string[]) => ({
  ObjectIdentifier: id,
  Properties: { name: id },
  Aces: [],
  LocalGroups: [
    {
      ObjectIdentifier: builtIn,
      Name: 'IGNOREME',
      Collected: true,
      Results: members(...ids),
      LocalNames: [],
    },
  ],
});

describe('a file that comes again', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());
  beforeEach(() => emptyGraph(stores.graph));

  /** Rows with everything but times and numbers of files. */
  const rows = async () => {
    const { graph } = stores;
    const nodes = await graph.query(
      'select id, object_id, kind_list_id, properties, record_hash from nodes order by id',
    );
    const edges = await graph.query(
      'select id, start_id, end_id, properties, stated_by from edges order by id',
    );
    return JSON.stringify([nodes, edges]);
  };
  const edgesNow = async () => Object.keys((await readGraph(stores.graph)).edges);

  it('changes nothing but the time, and its records count as unchanged', async () => {
    const { graph } = stores;
    const file = { type: 'groups', data: [group('G', 'A', 'B'), group('H', 'A')] };
    await ingest(graph, file, { seenAt: 10 });
    const had = await rows();
    const [result] = await ingest(graph, file, { seenAt: 20 });
    assert.equal(await rows(), had);
    assert.deepEqual([result?.unchanged, result?.nodes, result?.edges, result?.withdrawn], [2, 0, 0, 0]);
    const seen = await graph.one("select last_seen, last_collected from nodes where object_id = 'G'");
    assert.deepEqual({ ...(seen as object) }, { last_seen: 20, last_collected: 20 });
  });

  it('is applied record by record where it has changed', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'groups', data: [group('G', 'A'), group('H', 'A', 'B')] });
    const [result] = await ingest(graph, { type: 'groups', data: [group('G', 'A'), group('H', 'B', 'C')] });
    assert.deepEqual([result?.unchanged, result?.edges, result?.withdrawn], [1, 2, 1]);
    assert.deepEqual(await edgesNow(), ['A MemberOf G', 'B MemberOf H', 'C MemberOf H']);
  });

  it('is applied again when its meta says something else', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'groups', data: [group('G', 'A', 'B')], methods: 0 });
    await ingest(graph, { type: 'groups', data: [group('G', 'A')], methods: 0 });
    const [result] = await ingest(graph, { type: 'groups', data: [group('G', 'A')], methods: 1 });
    assert.deepEqual([result?.unchanged, result?.withdrawn], [0, 1]);
  });

  it('is applied again after a while, so that its edges are seen', async () => {
    const { graph } = stores;
    const file = { type: 'groups', data: [group('G', 'A')] };
    const seen = () => graph.one<{ last_seen: number }>('select last_seen from edges');
    await ingest(graph, file, { seenAt: 1 });
    await ingest(graph, file, { seenAt: 1 + refreshAfterMs });
    assert.equal((await seen())?.last_seen, 1);
    await ingest(graph, file, { seenAt: 2 + refreshAfterMs });
    assert.equal((await seen())?.last_seen, 2 + refreshAfterMs);
  });

  it('is applied again after another file has said something else about the object', async () => {
    const { graph } = stores;
    const file = { type: 'groups', data: [group('G', 'A', 'B')] };
    await ingest(graph, file);
    await ingest(graph, { type: 'groups', data: [group('G', 'A')] });
    await ingest(graph, file);
    assert.deepEqual(await edgesNow(), ['A MemberOf G', 'B MemberOf G']);
  });

  it('has every record applied of an object that it lists twice', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'groups', data: [group('G', 'A')] });
    const twice = { type: 'groups', data: [group('G', 'A'), group('G', 'B')] };
    for (const _ of [1, 2]) {
      const [result] = await ingest(graph, twice);
      assert.deepEqual([result?.outcome, result?.unchanged], ['complete', 0]);
      assert.deepEqual(await edgesNow(), ['A MemberOf G', 'B MemberOf G']);
    }
  });

  it('has every record applied of an object that it lists twice, far apart', async () => {
    const { graph } = stores;
    const others = Array.from({ length: 1200 }, (_, index) => group(`H${index}`));
    await ingest(graph, { type: 'groups', data: [group('G', 'A'), ...others] });
    const twice = { type: 'groups', data: [group('G', 'A'), ...others, group('G', 'B')] };
    const [first] = await ingest(graph, twice);
    assert.deepEqual(await edgesNow(), ['A MemberOf G', 'B MemberOf G']);
    const [second] = await ingest(graph, twice);
    assert.deepEqual([first?.unchanged, second?.unchanged], [0, 1200]);
    assert.deepEqual(await edgesNow(), ['A MemberOf G', 'B MemberOf G']);
  });

  it('has the records of all domain controllers applied, which speak about the same groups', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'computers', data: [controller('DC1', 'A', 'B')] });
    await ingest(graph, { type: 'computers', data: [controller('DC1', 'A', 'B'), controller('DC2', 'A')] });
    assert.ok((await edgesNow()).includes(`B MemberOfLocalGroup ${builtIn}`));
    await ingest(graph, { type: 'computers', data: [controller('DC2', 'A')] });
    assert.ok(!(await edgesNow()).includes(`B MemberOfLocalGroup ${builtIn}`));
    const [result] = await ingest(graph, { type: 'computers', data: [controller('DC1', 'A', 'B')] });
    assert.equal(result?.unchanged, 0);
    assert.ok((await edgesNow()).includes(`B MemberOfLocalGroup ${builtIn}`));
  });

  it('passes over nodes of OpenGraph too', async () => {
    const { graph } = stores;
    const file = { graph: { nodes: [{ id: 'a', kinds: ['K'], properties: { name: 'x' } }] } };
    await ingest(graph, file);
    const [result] = await ingest(graph, file);
    assert.equal(result?.unchanged, 1);
    const [other] = await ingest(graph, { ...file, metadata: { source_kind: 'S' } });
    assert.equal(other?.unchanged, 0);
    assert.deepEqual((await readGraph(graph)).nodes.A?.kinds, ['K', 'S']);
  });
});
