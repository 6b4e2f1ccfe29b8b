import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyGraph, ingest, openGraph, readGraph } from '../../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../../test/server/stores.ts';
import { insertGraph } from '../../store.ts';
import { Chunks } from './chunks.ts';
import { expire } from './expire.ts';
import { refreshAfterMs } from './read-statements.ts';

const dayMs = 24 * 60 * 60 * 1000;
const group = (id: string, ...ids: string[]) => ({
  ObjectIdentifier: id,
  Properties: { name: id, distinguishedname: `CN=${id}` },
  Aces: [],
  Members: ids.map((member) => ({ ObjectIdentifier: member, ObjectType: 'User' })),
});
const session = { ComputerSID: 'C', UserSID: 'U' };
const limits = { baseTtlMs: 7 * dayMs, sessionTtlMs: 3 * dayMs, reconciliation: true };

describe('what was not seen again', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());
  beforeEach(() => emptyGraph(stores.graph));

  const start = 100 * dayMs;
  const left = async () => {
    const { nodes, edges } = await readGraph(stores.graph);
    return [Object.keys(nodes), Object.keys(edges)];
  };

  it('goes: sessions first, then everything else', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'groups', data: [group('G', 'U')] }, { seenAt: start });
    await ingest(graph, { type: 'sessions', data: [session] }, { seenAt: start });
    const at = (days: number) => expire(graph, { ...limits, now: start + days * dayMs });
    assert.deepEqual(await at(3), { edges: 0, nodes: 0 });
    assert.deepEqual(await at(3.1), { edges: 1, nodes: 0 });
    assert.deepEqual(await left(), [['C', 'G', 'U'], ['U MemberOf G']]);
    assert.deepEqual(await at(7), { edges: 0, nodes: 0 });
    assert.deepEqual(await at(7.1), { edges: 1, nodes: 3 });
    assert.deepEqual(await left(), [[], []]);
  });

  it('stays while reconciliation is off', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'groups', data: [group('G', 'U')] }, { seenAt: start });
    const now = start + 100 * dayMs;
    assert.deepEqual(await expire(graph, { ...limits, reconciliation: false, now }), { edges: 0, nodes: 0 });
  });

  it('leaves what was seen again, changed or not', async () => {
    const { graph } = stores;
    await ingest(graph, { type: 'groups', data: [group('G', 'U'), group('H', 'V')] }, { seenAt: start });
    // Passed over: only the record itself is known to be there.
    await ingest(graph, { type: 'groups', data: [group('G', 'U')] }, { seenAt: start + dayMs });
    const expired = await expire(graph, { ...limits, now: start + 7.5 * dayMs });
    assert.deepEqual(expired, { edges: 1, nodes: 2 });
    assert.deepEqual(await left(), [['G', 'U'], ['U MemberOf G']]);
    assert.deepEqual(await expire(graph, { ...limits, now: start + 8.5 * dayMs }), { edges: 1, nodes: 2 });
  });

  it('leaves members of local groups a little longer', async () => {
    const { graph } = stores;
    const localGroup = {
      ObjectIdentifier: 'C-544',
      Name: 'admins',
      Collected: true,
      Results: [{ ObjectIdentifier: 'U', ObjectType: 'User' }],
      LocalNames: [],
    };
    const computer = { ObjectIdentifier: 'C', Properties: {}, Aces: [], LocalGroups: [localGroup] };
    await ingest(graph, { type: 'computers', data: [computer] }, { seenAt: start });
    await ingest(graph, { type: 'computers', data: [computer] }, { seenAt: start + refreshAfterMs });
    await expire(graph, { ...limits, now: start + refreshAfterMs + 7 * dayMs });
    assert.deepEqual(await left(), [
      ['C', 'C-544', 'U'],
      ['C-544 LocalToComputer C', 'U MemberOfLocalGroup C-544'],
    ]);
    await expire(graph, { ...limits, now: start + refreshAfterMs + 7 * dayMs + 1 });
    assert.deepEqual(await left(), [[], []]);
  });

  it('comes back with its source', async () => {
    const { graph } = stores;
    const file = { type: 'groups', data: [group('G', 'U')] };
    await ingest(graph, file, { seenAt: start });
    const had = await left();
    await expire(graph, { ...limits, now: start + 30 * dayMs });
    await ingest(graph, file, { seenAt: start + 30 * dayMs });
    assert.deepEqual(await left(), had);
  });

  it('leaves edges that no file has stated', async () => {
    const { graph } = stores;
    const nodes = ['A', 'B'].map((objectId) => ({ objectId, kinds: ['Base'], name: objectId }));
    await graph.transaction((db) => insertGraph(db, nodes, [{ start: 'A', kind: 'Knows', end: 'B' }], 1));
    assert.deepEqual(await expire(graph, { ...limits, now: start }), { edges: 0, nodes: 0 });
  });

  it('takes what a killed process has left behind with it', async () => {
    const { graph } = stores;
    await graph.transaction(async (db) => {
      await new Chunks('old').write(db, [1], start);
      await new Chunks('new').write(db, [1], start + 20 * dayMs);
    });
    await expire(graph, { ...limits, reconciliation: false, now: start + 21 * dayMs });
    const rows = await graph.query<{ stage: string }>('select stage from staged_chunks');
    assert.deepEqual(
      rows.map(({ stage }) => stage),
      ['new'],
    );
  });

  it('goes in small steps, however much it is', async () => {
    const { graph } = stores;
    const members = Array.from({ length: 2500 }, (_, index) => `U${index}`);
    await ingest(graph, { type: 'groups', data: [group('G', ...members)] }, { seenAt: start });
    const expired = await expire(graph, { ...limits, now: start + 30 * dayMs });
    assert.deepEqual(expired, { edges: 2500, nodes: 2501 });
  });
});
