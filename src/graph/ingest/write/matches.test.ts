import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyGraph, ingest, openGraph, readGraph } from '../../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../../test/server/stores.ts';

const node = (id: string, kind: string, properties: object) => ({ id, kinds: [kind], properties });
const byProperty = (...pairs: [string, unknown][]) => ({
  match_by: 'property',
  property_matchers: pairs.map(([key, value]) => ({ key, operator: 'equals', value })),
});
const knows = (start: object, end: object) => ({ kind: 'Knows', start, end });

describe('an edge whose end is not named by its id', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());
  beforeEach(() => emptyGraph(stores.graph));

  const nodes = [
    node('a', 'Person', { name: 'ann', mail: 'ann@x', floor: 1 }),
    node('b', 'Person', { name: 'bob', mail: 'bob@x', floor: 1, isBoss: true }),
    node('c', 'Cat', { name: 'bob', mail: 'cat@x', floor: 2 }),
    node('l', 'Cat', { name: `${'long '.repeat(100)}1` }),
    node('m', 'Cat', { name: `${'long '.repeat(100)}2` }),
  ];
  const edgesOf = async (edges: object[]) => {
    const [result] = await ingest(stores.graph, { graph: { edges, nodes } });
    assert.equal(result?.outcome, 'complete');
    return { edges: Object.keys((await readGraph(stores.graph)).edges), warnings: result.warnings };
  };

  for (const [what, end, expected] of [
    ['a name', { match_by: 'name', value: 'ANN' }, 'A'],
    ['a name and a kind', { match_by: 'name', value: 'bob', kind: 'Cat' }, 'C'],
    ['a name longer than the index', { match_by: 'name', value: `${'long '.repeat(100)}2` }, 'M'],
    ['a property', byProperty(['mail', 'bob@x']), 'B'],
    ['two properties', byProperty(['floor', 1], ['isBoss', true]), 'B'],
    ['a property and a kind', { ...byProperty(['floor', 1], ['name', 'bob']), kind: 'Person' }, 'B'],
    ['the object id as a property', byProperty(['objectid', 'c']), 'C'],
  ] as const) {
    it(`finds it by ${what}, even if the file states it later`, async () => {
      const { edges, warnings } = await edgesOf([knows({ value: 'x' }, end)]);
      assert.deepEqual([edges, warnings], [[`X Knows ${expected}`], []]);
    });
  }

  for (const [what, end, reason] of [
    [
      'no node has it',
      byProperty(['mail', 'nobody']),
      /^an edge "Knows" was left out: no node has "mail" "nobody"$/,
    ],
    ['the type differs', byProperty(['floor', '1']), /no node has "floor" "1"/],
    ['several have it', { match_by: 'name', value: 'bob' }, /more than one node has "name" "BOB"/],
    ['several have it by property', byProperty(['floor', 1]), /more than one node has "floor" "1"/],
    [
      'it is of another kind',
      { match_by: 'name', value: 'ann', kind: 'Cat' },
      /no node has .* and kind "Cat"/,
    ],
  ] as const) {
    it(`is left out with a warning when ${what}`, async () => {
      const { edges, warnings } = await edgesOf([knows(end, { value: 'x' })]);
      assert.deepEqual(edges, []);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', reason);
    });
  }

  it('may be one of very many', async () => {
    const many = Array.from({ length: 6000 }, (_, index) =>
      knows(byProperty(['mail', 'ann@x']), { value: `x${index}` }),
    );
    const { edges, warnings } = await edgesOf(many);
    assert.deepEqual([edges.length, warnings], [6000, []]);
    assert.equal((await stores.graph.query('select number from staged_chunks')).length, 0);
  });
});
