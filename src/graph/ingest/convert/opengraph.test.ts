import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { edgesOf, propertiesOf, warningsOf } from '../../../../test/server/statements.ts';
import { convertOpenGraphEdge, convertOpenGraphNode, readOpenGraphMetadata } from './opengraph.ts';

const context = { methods: 0, version: 0, index: 7 };
const node = (record: unknown, sourceKind?: string) =>
  convertOpenGraphNode(record, sourceKind === undefined ? context : { ...context, sourceKind });
const edge = (record: unknown) => convertOpenGraphEdge(record, context);

describe('OpenGraph nodes', () => {
  it('become nodes under their id in upper case', () => {
    const properties = { name: 'ann', environmentid: 'org1', Title: 'Boss', n: 1, tags: ['a'], gone: null };
    const { nodes, problems } = node({ id: 'u-1', kinds: ['GHUser', 'Person'], properties });
    assert.deepEqual(problems, []);
    assert.deepEqual(nodes, [
      {
        objectId: 'U-1',
        kinds: ['GHUser', 'Person'],
        properties: {
          name: 'ANN',
          environmentid: 'ORG1',
          Title: 'Boss',
          n: 1,
          tags: ['a'],
          gone: null,
          primarykind: 'GHUser',
        },
        collected: true,
      },
    ]);
  });

  it('have the source kind besides their own', () => {
    assert.deepEqual(node({ id: 'a', kinds: ['X'] }, 'GithubBase').nodes[0]?.kinds, ['X', 'GithubBase']);
    assert.deepEqual(node({ id: 'a', kinds: ['X', 'X'] }, 'X').nodes[0]?.kinds, ['X']);
  });

  it('lose values that no property can have, and the id among the properties', () => {
    const properties = { objectid: 'b', nested: { a: 1 }, mixed: ['a', 1], lists: [['a']], ok: true };
    const statements = node({ id: 'a', kinds: ['X'], properties });
    assert.deepEqual(propertiesOf(statements, 'A'), { ok: true, primarykind: 'X' });
    assert.deepEqual(
      statements.warnings.map((warning) => warning.path),
      ['nested', 'mixed', 'lists', 'objectid'].map((key) => `graph.nodes[7].properties.${key}`),
    );
  });

  const refused: [record: unknown, path: string][] = [
    [null, 'graph.nodes[7]'],
    [{ kinds: ['X'] }, 'graph.nodes[7].id'],
    [{ id: 5, kinds: ['X'] }, 'graph.nodes[7].id'],
    [{ id: '', kinds: ['X'] }, 'graph.nodes[7].id'],
    [{ id: 'a' }, 'graph.nodes[7].kinds'],
    [{ id: 'a', kinds: [] }, 'graph.nodes[7].kinds'],
    [{ id: 'a', kinds: ['A', 'B', 'C', 'D'] }, 'graph.nodes[7].kinds'],
    [{ id: 'a', kinds: ['A', 5] }, 'graph.nodes[7].kinds[1]'],
    [{ id: 'a', kinds: ['Tag_Tier_Zero'] }, 'graph.nodes[7].kinds[0]'],
    [{ id: 'a', kinds: ['TAG'] }, 'graph.nodes[7].kinds[0]'],
  ];
  for (const [record, path] of refused) {
    it(`are refused: ${JSON.stringify(record)}`, () => {
      const statements = node(record);
      assert.deepEqual(statements.nodes, []);
      assert.deepEqual(
        statements.problems.map((problem) => problem.path),
        [path],
      );
    });
  }
});

describe('OpenGraph edges', () => {
  const start = { value: 'a' };
  const end = { value: 'b', match_by: 'id', kind: 'Repo' };

  it('lead between ids, which become nodes', () => {
    const statements = edge({ kind: 'Knows', start, end, properties: { since: 3, bad: {} } });
    assert.deepEqual(edgesOf(statements), ['A Knows B']);
    assert.deepEqual(statements.edges[0]?.properties, { since: 3 });
    assert.deepEqual(
      statements.nodes.map((stub) => [stub.objectId, stub.kinds, stub.collected]),
      [
        ['A', [], false],
        ['B', ['Repo'], false],
      ],
    );
    assert.match(warningsOf(statements).join(), /^graph\.edges\[7\]\.properties\.bad: /);
    assert.deepEqual(statements.wholes, []);
  });

  it('refer to nodes by name, in the case that names are stored in', () => {
    const statements = edge({ kind: 'Knows', start, end: { match_by: 'name', value: 'Ann', kind: 'X' } });
    const match = { properties: [{ key: 'name', value: 'ANN' }], kind: 'X' };
    assert.deepEqual(statements.edges[0]?.end, match);
    assert.deepEqual(
      statements.nodes.map((stub) => stub.objectId),
      ['A'],
    );
  });

  it('refer to nodes by properties', () => {
    const property_matchers = [
      { key: 'email', operator: 'equals', value: 'Ann@x' },
      { key: 'distinguishedname', operator: 'equals', value: 'cn=x' },
      { key: 'age', operator: 'equals', value: 5 },
    ];
    const statements = edge({ kind: 'Knows', start: { match_by: 'property', property_matchers }, end });
    assert.deepEqual(statements.edges[0]?.start, {
      properties: [
        { key: 'email', value: 'Ann@x' },
        { key: 'distinguishedname', value: 'CN=X' },
        { key: 'age', value: 5 },
      ],
    });
  });

  const matcher = { key: 'k', operator: 'equals', value: 'v' };
  const refused: [record: unknown, path: string][] = [
    ['x', ''],
    [{ start, end }, '.kind'],
    [{ kind: 'Has Space', start, end }, '.kind'],
    [{ kind: 'Tagged', start, end }, '.kind'],
    [{ kind: 'Knows', end }, '.start'],
    [{ kind: 'Knows', start, end: 'b' }, '.end'],
    [{ kind: 'Knows', start: {}, end }, '.start.value'],
    [{ kind: 'Knows', start: { value: 5 }, end }, '.start.value'],
    [{ kind: 'Knows', start: { value: 'a', match_by: 'color' }, end }, '.start.match_by'],
    [{ kind: 'Knows', start: { value: 'a', kind: 'tag_x' }, end }, '.start.kind'],
    [{ kind: 'Knows', start, end: { match_by: 'name' } }, '.end.value'],
    [{ kind: 'Knows', start, end: { match_by: 'property' } }, '.end.property_matchers'],
    [
      { kind: 'Knows', start, end: { match_by: 'property', property_matchers: [] } },
      '.end.property_matchers',
    ],
    [
      { kind: 'Knows', start, end: { match_by: 'property', value: 'b', property_matchers: [matcher] } },
      '.end.value',
    ],
    ...(
      [
        [{ ...matcher, operator: 'like' }, 'operator'],
        [{ ...matcher, key: '' }, 'key'],
        [{ ...matcher, value: ['v'] }, 'value'],
        [null, 'key'],
      ] as const
    ).map(([bad, member]): [unknown, string] => [
      { kind: 'Knows', start, end: { match_by: 'property', property_matchers: [bad] } },
      `.end.property_matchers[0].${member}`,
    ]),
  ];
  for (const [record, path] of refused) {
    it(`are refused: ${JSON.stringify(record)}`, () => {
      const statements = edge(record);
      assert.deepEqual([statements.edges, statements.nodes], [[], []]);
      assert.deepEqual(
        statements.problems.map((problem) => problem.path),
        [`graph.edges[7]${path}`],
      );
    });
  }
});

describe('OpenGraph metadata', () => {
  it('may name a source kind', () => {
    assert.deepEqual(readOpenGraphMetadata({ source_kind: 'GithubBase' }), {
      sourceKind: 'GithubBase',
      problems: [],
    });
    for (const value of [undefined, null, {}, { source_kind: '' }]) {
      assert.deepEqual(readOpenGraphMetadata(value), { problems: [] });
    }
  });

  for (const value of [5, [], { other: 1 }, { source_kind: 5 }, { source_kind: 'tag_a' }]) {
    it(`is refused: ${JSON.stringify(value)}`, () => {
      const { sourceKind, problems } = readOpenGraphMetadata(value);
      assert.equal(sourceKind, undefined);
      assert.equal(problems.length, 1);
    });
  }
});
