import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type CollectorFile,
  emptyGraph,
  ingest,
  openGraph,
  readGraph,
  type WholeGraph,
} from '../../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../../test/server/stores.ts';
import { labelOf } from '../../kinds.ts';

const sid = 'S-1-5-21-1';
const reference = (id: string, type: string) => ({ ObjectIdentifier: id, ObjectType: type });
const ace = (id: string, type: string, right: string) => ({
  PrincipalSID: id,
  PrincipalType: type,
  RightName: right,
  IsInherited: false,
});

/** They speak about one another: members, containers, rights, local groups, templates. */
const files: readonly CollectorFile[] = [
  {
    type: 'users',
    data: [
      {
        ObjectIdentifier: `${sid}-1`,
        Properties: { name: 'ann@x', domainsid: sid },
        PrimaryGroupSID: `${sid}-513`,
        Aces: [ace(`${sid}-513`, 'Group', 'GenericAll')],
        ContainedBy: reference('OU1', 'OU'),
      },
    ],
  },
  {
    type: 'groups',
    data: [
      {
        ObjectIdentifier: `${sid}-513`,
        Properties: { name: 'users@x', distinguishedname: 'CN=U' },
        Aces: [ace(`${sid}-1`, 'User', 'WriteDacl')],
        // The collector lists the primary group's members too.
        Members: [reference(`${sid}-1`, 'User'), reference(`${sid}-7`, 'Base')],
      },
    ],
  },
  {
    type: 'computers',
    data: [
      {
        ObjectIdentifier: `${sid}-7`,
        Properties: { name: 'pc@x' },
        Aces: [],
        Sessions: { Collected: true, Results: [{ ComputerSID: `${sid}-7`, UserSID: `${sid}-1` }] },
        LocalGroups: [
          {
            ObjectIdentifier: `${sid}-7-544`,
            Name: 'admins@pc',
            Collected: true,
            Results: [reference(`${sid}-513`, 'Group'), reference(`${sid}-1`, 'Base')],
            LocalNames: [{ ObjectIdentifier: `${sid}-1`, PrincipalName: 'local name' }],
          },
        ],
      },
    ],
  },
  {
    type: 'ous',
    data: [
      {
        ObjectIdentifier: 'OU1',
        Properties: { name: 'ou@x' },
        Aces: [],
        ChildObjects: [reference(`${sid}-1`, 'User'), reference(`${sid}-7`, 'Computer')],
        Links: [{ GUID: 'GPO1', IsEnforced: true }],
      },
    ],
  },
];

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length < 2) return [[...values]];
  return values.flatMap((value, index) =>
    permutations([...values.slice(0, index), ...values.slice(index + 1)]).map((rest) => [value, ...rest]),
  );
}

function comparable({ nodes, edges }: WholeGraph): unknown {
  const sorted = Object.entries(nodes).map(([id, { kinds, properties }]) => [
    id,
    [...kinds].sort(),
    labelOf(kinds, () => false),
    Object.entries(properties).sort(),
  ]);
  return [sorted, Object.entries(edges).map(([key, properties]) => [key, Object.entries(properties).sort()])];
}

describe('files of one upload', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());

  it('give the same graph in any order', async () => {
    const { graph } = stores;
    let expected: unknown;
    for (const order of permutations(files)) {
      await emptyGraph(graph);
      for (const file of order) {
        const [result] = await ingest(graph, file, { seenAt: 1000 });
        assert.deepEqual([result?.outcome, result?.warnings], ['complete', []]);
      }
      const found = comparable(await readGraph(graph));
      expected ??= found;
      assert.deepEqual(found, expected, order.map(({ type }) => type).join());
    }
    const whole = await readGraph(graph);
    assert.equal(whole.nodes[`${sid}-1`]?.properties.name, 'ANN@X');
    assert.deepEqual(whole.edges[`${sid}-1 MemberOf ${sid}-513`], { isacl: false, isprimarygroup: true });
    assert.equal(Object.keys(whole.edges).length, 11);
  });

  it('add up where two of them list the same object', async () => {
    const { graph } = stores;
    const listing = (...ids: string[]): CollectorFile => ({
      type: 'groups',
      data: [
        {
          ObjectIdentifier: 'G',
          Properties: { distinguishedname: 'CN=G' },
          Aces: [],
          Members: ids.map((id) => reference(id, 'User')),
        },
      ],
    });
    const both = [listing('A', 'B'), listing('B', 'C')];
    for (const order of permutations(both)) {
      await emptyGraph(graph);
      for (const seenAt of [1, 2]) for (const file of order) await ingest(graph, file, { seenAt });
      const { edges } = await readGraph(graph);
      assert.deepEqual(Object.keys(edges), ['A MemberOf G', 'B MemberOf G', 'C MemberOf G']);
    }
  });
});
