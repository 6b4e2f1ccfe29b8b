import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { compareGraphs } from '../../scripts/compare-graphs.ts';
import { collectorFiles } from '../../test/collectors/collector-files.ts';
import { plainReading } from '../../test/collectors/plain-reading.ts';
import { exported, ingestJson } from '../../test/graph/exported.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import { clearEdges, clearNodes } from './clear.ts';
import { insertGraph } from './store.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

async function take(content: unknown): Promise<void> {
  for (const { outcome, errors } of await ingestJson(server.deps.graph, content, server.now()))
    assert.deepEqual([outcome, errors], ['complete', []]);
}

async function empty(): Promise<void> {
  await server.deps.graph.transaction(async (graph) => {
    const askedAt = server.now() + 1;
    for (let cursor: number | undefined = 0; cursor !== undefined; )
      cursor = (await clearEdges(graph, askedAt, cursor)).cursor;
    for (let cursor: number | undefined = 0; cursor !== undefined; )
      cursor = (await clearNodes(graph, { askedAt }, cursor)).cursor;
  });
  assert.deepEqual((await exported(server.deps.graph)).graph, { nodes: [], edges: [] });
}

describe('an export', () => {
  for (const version of [5, 6] as const) {
    it(`is what a plain reading of collector files of version ${version} says, in any order of the files`, async () => {
      const files = collectorFiles(version);
      const expected = plainReading(files);
      assert.ok(expected.graph.nodes.length > 50 && expected.graph.edges.length > 200);
      for (const file of files) await take(file);
      assert.deepEqual(compareGraphs(expected, await exported(server.deps.graph)), []);
      await empty();
      for (const file of [...files].reverse()) await take(file);
      assert.deepEqual(compareGraphs(expected, await exported(server.deps.graph)), []);
    });
  }

  it('can be ingested again, and is the same graph then', async () => {
    for (const file of collectorFiles(6)) await take(file);
    const first = await exported(server.deps.graph);
    await empty();
    await take(first);
    const second = await exported(server.deps.graph);
    assert.deepEqual(compareGraphs(first, second), []);
    // The first kind that is known is what a node is shown as.
    const kinds = ({ graph }: typeof first) => new Map(graph.nodes.map((node) => [node.id, node.all_kinds]));
    assert.deepEqual(kinds(second), kinds(first));
  });

  it('keeps nodes with no kind and with many, leaves zones out, and stays within three for others', async () => {
    const nodes = [
      { objectId: 'NONE', kinds: [], name: '' },
      { objectId: 'MANY', kinds: ['A', 'Tag_Tier_Zero', 'B', 'C', 'D', 'Base'], name: 'MANY' },
      {
        objectId: 'OPEN',
        kinds: ['Printer'],
        name: 'P',
        properties: { primarykind: 'Printer', list: ['a "b"\n', 'é'], number: -1.5e-7 },
      },
    ];
    const edges = [{ start: 'MANY', kind: 'Knows', end: 'NONE', properties: { weight: 2 } }];
    await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, server.now()));
    const first = await exported(server.deps.graph);
    assert.deepEqual(
      first.graph.nodes.map(({ id, kinds, all_kinds }) => [id, kinds, all_kinds]),
      [
        ['NONE', ['Unknown'], []],
        ['MANY', ['A', 'B', 'C'], ['A', 'B', 'C', 'D', 'Base']],
        ['OPEN', ['Printer'], ['Printer']],
      ],
    );
    assert.ok(first.graph.nodes.every(({ properties }) => !Object.hasOwn(properties ?? {}, 'objectid')));
    await empty();
    await take(first);
    assert.deepEqual(compareGraphs(first, await exported(server.deps.graph)), []);
  });

  it('has more nodes and edges than one page', async () => {
    const nodes = Array.from({ length: 1201 }, (_, n) => ({ objectId: `N-${n}`, kinds: ['K'], name: '' }));
    const edges = nodes.flatMap(({ objectId }) => [
      { start: objectId, kind: 'A', end: 'N-0' },
      { start: 'N-0', kind: 'B', end: objectId },
    ]);
    await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, server.now()));
    const { graph } = await exported(server.deps.graph);
    assert.equal(new Set(graph.nodes.map(({ id }) => id)).size, 1201);
    assert.equal(graph.edges.length, 2402);
  });
});

describe('compareGraphs', () => {
  it('names what is missing, too much or different, and nothing else', () => {
    const file = (nodes: [string, string[], object][], edges: [string, string, string, object][]) => ({
      graph: {
        nodes: nodes.map(([id, kinds, properties]) => ({ id, kinds, properties: { ...properties } })),
        edges: edges.map(([start, kind, end, properties]) => ({
          kind,
          start: { value: start },
          end: { value: end },
          properties: { ...properties },
        })),
      },
    });
    const expected = file(
      [
        ['A', ['X', 'Y'], { n: 1, lastseen: 'then' }],
        ['B', ['X'], { n: 1 }],
      ],
      [['A', 'K', 'B', { w: [1] }]],
    );
    assert.deepEqual(compareGraphs(expected, expected), []);
    const same = file(
      [
        ['b', ['X'], { n: 1, objectid: 'B' }],
        ['a', ['Y', 'X'], { n: 1, lastseen: 'now' }],
      ],
      [['a', 'K', 'b', { w: [1], lastseen: 'now' }]],
    );
    assert.deepEqual(compareGraphs(expected, same), []);
    const other = file(
      [
        ['A', ['X'], { n: 2 }],
        ['C', ['X'], {}],
      ],
      [['B', 'K', 'A', {}]],
    );
    assert.deepEqual(compareGraphs(expected, other), [
      'node A: (kinds) is ["X"], not ["X","Y"]',
      'node A: n is 2, not 1',
      'node B is missing',
      'node C is too much',
      'edge A -K-> B is missing',
      'edge B -K-> A is too much',
    ]);
  });
});
