import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyGraph, ingest, openGraph, readGraph } from '../../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../../test/server/stores.ts';
import { insertGraph } from '../../store.ts';

const group = (id: string, more: object = {}) => ({
  ObjectIdentifier: id,
  Properties: { name: `${id}@x`, distinguishedname: `CN=${id}` },
  Aces: [],
  Members: [],
  ...more,
});
const user = (id: string, more: object = {}) => ({ ObjectIdentifier: id, Properties: {}, Aces: [], ...more });
const member = (id: string, type = 'User') => ({ ObjectIdentifier: id, ObjectType: type });

describe('what a file does to nodes and edges', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());
  beforeEach(() => emptyGraph(stores.graph));

  const times = (id: string) =>
    stores.graph.one<{ last_seen: number; last_collected: number | null }>(
      'select last_seen, last_collected from nodes where object_id = $1',
      [id],
    );

  it('makes a node of what is only referred to, and fills it in later', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'groups', data: [group('G', { Members: [member('u1')] })] }, { seenAt: 10 });
    assert.deepEqual((await readGraph(graph)).nodes.U1, {
      kinds: ['User', 'Base'],
      properties: { objectid: 'U1' },
    });
    assert.deepEqual(await times('U1'), { last_seen: 10, last_collected: null });
    await ingest(
      graph,
      { type: 'users', data: [user('u1', { Properties: { name: 'ann@x', title: 'boss' } })] },
      { seenAt: 20 },
    );
    const { nodes, edges } = await readGraph(graph);
    assert.deepEqual(nodes.U1?.properties, { objectid: 'U1', name: 'ANN@X', title: 'boss' });
    assert.deepEqual(await times('U1'), { last_seen: 20, last_collected: 20 });
    assert.deepEqual(await times('G'), { last_seen: 10, last_collected: 10 });
    assert.deepEqual(Object.keys(edges), ['U1 MemberOf G']);
  });

  it('merges properties and removes those that are null', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'users', data: [user('U', { Properties: { a: 1, b: 2, name: 'n' } })] });
    await ingest(graph, { type: 'users', data: [user('U', { Properties: { b: 3, c: [4], a: null } })] });
    assert.deepEqual((await readGraph(graph)).nodes.U?.properties, {
      objectid: 'U',
      b: 3,
      name: 'N',
      c: [4],
    });
    const row = await graph.one<{ name: string }>("select name from nodes where object_id = 'U'");
    assert.equal(row?.name, 'N');
  });

  it('unites kinds, with those of the own record before those of references and the source last', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'groups', data: [group('G', { Members: [member('X', 'Group')] })] });
    await ingest(graph, { type: 'users', data: [user('X')] });
    await ingest(graph, { type: 'groups', data: [group('H', { Members: [member('X', 'Computer')] })] });
    assert.deepEqual((await readGraph(graph)).nodes.X?.kinds, ['User', 'Group', 'Computer', 'Base']);
  });

  it('lets a reference add a property to a collected object, but not change one', async () => {
    const { graph } = stores;
    const trust = { TargetDomainSid: 'S-2', TargetDomainName: 'other', TrustDirection: 'Inbound' };
    const domain = (id: string, name: string, Trusts: object[] = []) => ({
      ObjectIdentifier: id,
      Properties: { name, domainsid: id },
      Aces: [],
      Trusts,
    });
    await ingest(graph, { type: 'domains', data: [domain('S-2', 'two.local')] });
    await ingest(graph, { type: 'domains', data: [domain('S-1', 'one.local', [trust])] });
    assert.equal((await readGraph(graph)).nodes['S-2']?.properties.name, 'TWO.LOCAL');
  });

  it('keeps what the collector could read from a computer', async () => {
    const { graph } = stores;
    const sessions = { Collected: true, Results: [], FailureReason: null };
    const computer = { ObjectIdentifier: 'C', Properties: {}, Aces: [], Sessions: sessions };
    await ingest(graph, {
      type: 'computers',
      data: [computer, { ...computer, ObjectIdentifier: 'D', Sessions: null }],
    });
    const rows = await graph.query('select object_id, scanned from nodes order by object_id');
    assert.deepEqual(
      [...rows],
      [
        { object_id: 'C', scanned: 1 },
        { object_id: 'D', scanned: 0 },
      ],
    );
  });

  it('makes one edge of what is said twice in one batch, with the properties of both', async () => {
    const { graph } = stores;
    const [result] = await ingest(graph, {
      graph: {
        nodes: [],
        edges: [
          { kind: 'Knows', start: { value: 'a' }, end: { value: 'b' }, properties: { x: 1, y: 1 } },
          { kind: 'Knows', start: { value: 'A' }, end: { value: 'B' }, properties: { y: 2 } },
        ],
      },
    });
    assert.equal(result?.edges, 1);
    assert.deepEqual((await readGraph(graph)).edges, { 'A Knows B': { x: 1, y: 2 } });
  });

  it('merges the properties of an edge that was there, whoever made it; null removes', async () => {
    const { graph } = stores;
    await graph.transaction((db) =>
      insertGraph(
        db,
        [
          { objectId: 'A', kinds: ['User'], name: 'a' },
          { objectId: 'B', kinds: ['User'], name: 'b' },
        ],
        [{ start: 'A', kind: 'Knows', end: 'B', properties: { x: 1, y: 1, z: 1 } }],
        5,
      ),
    );
    const properties = { y: 2, z: null, n: null };
    const edge = { kind: 'Knows', start: { value: 'a' }, end: { value: 'b' }, properties };
    await ingest(graph, { graph: { edges: [edge] } });
    const { nodes, edges } = await readGraph(graph);
    assert.deepEqual(edges, { 'A Knows B': { x: 1, y: 2 } });
    assert.deepEqual(nodes.A?.kinds, ['User']);
    const pending = await graph.query('select id from edges where pending is not null');
    assert.equal(pending.length, 0);
  });

  it('holds more statements than one batch', async () => {
    const { graph } = stores;
    const members = Array.from({ length: 1500 }, (_, index) => member(`U${index}`));
    const groups = Array.from({ length: 1100 }, (_, index) =>
      group(`G${index}`, { Members: [member('U0')] }),
    );
    const [result] = await ingest(graph, {
      type: 'groups',
      data: [group('ALL', { Members: members }), ...groups],
    });
    assert.deepEqual([result?.outcome, result?.records], ['complete', 1101]);
    const { nodes, edges } = await readGraph(graph);
    assert.deepEqual([Object.keys(nodes).length, Object.keys(edges).length], [2601, 2600]);
  });
});
