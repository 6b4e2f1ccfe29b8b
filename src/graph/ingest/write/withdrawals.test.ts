import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyGraph, everything, ingest, openGraph, readGraph } from '../../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../../test/server/stores.ts';
import { insertGraph } from '../../store.ts';

const reference = (id: string, type: string) => ({ ObjectIdentifier: id, ObjectType: type });
const ace = (id: string, right = 'GenericAll') => ({
  PrincipalSID: id,
  PrincipalType: 'Group',
  RightName: right,
  IsInherited: false,
});
const object = (more: object) => ({ ObjectIdentifier: 'X', Properties: {}, Aces: [], ...more });
const registry = (more: object) => ({ EnabledCertTemplates: [], CARegistryData: more });
const localGroup = (id: string, members: string[]) => ({
  ObjectIdentifier: id,
  Name: `direct access users ${id}`,
  Collected: true,
  Results: members.map((member) => reference(member, 'User')),
  LocalNames: [],
});

interface Case {
  readonly type: string;
  /** What the record says with these two, and later only with the first. */
  readonly record: (ids: readonly string[]) => object;
  readonly edge: (id: string) => string;
  /** False when the field withdraws whatever the collector was asked for. */
  readonly needsMethod?: boolean;
}

const fields: Readonly<Record<string, Case>> = {
  Members: {
    type: 'groups',
    record: (ids) => object({ Members: ids.map((id) => reference(id, 'User')) }),
    edge: (id) => `${id} MemberOf X`,
    needsMethod: true,
  },
  Aces: {
    type: 'users',
    record: (ids) => object({ Aces: ids.map((id) => ace(id)) }),
    edge: (id) => `${id} GenericAll X`,
    needsMethod: true,
  },
  ContainedBy: {
    type: 'users',
    record: (ids) => object({ ContainedBy: reference(ids.at(-1) ?? '', 'OU') }),
    edge: (id) => `${id} Contains X`,
    needsMethod: true,
  },
  ChildObjects: {
    type: 'ous',
    record: (ids) => object({ ChildObjects: ids.map((id) => reference(id, 'User')) }),
    edge: (id) => `X Contains ${id}`,
    needsMethod: true,
  },
  Links: {
    type: 'ous',
    record: (ids) => object({ Links: ids.map((GUID) => ({ GUID, IsEnforced: false })) }),
    edge: (id) => `${id} GPLink X`,
    needsMethod: true,
  },
  EnabledCertTemplates: {
    type: 'enterprisecas',
    record: (ids) => object({ EnabledCertTemplates: ids.map((id) => reference(id, 'CertTemplate')) }),
    edge: (id) => `${id} PublishedTo X`,
  },
  HostingComputer: {
    type: 'enterprisecas',
    record: (ids) => object({ HostingComputer: ids.at(-1) }),
    edge: (id) => `${id} HostsCAService X`,
  },
  CASecurity: {
    type: 'enterprisecas',
    record: (ids) =>
      object(registry({ CASecurity: { Collected: true, Data: ids.map((id) => ace(id, 'ManageCA')) } })),
    edge: (id) => `${id} ManageCA X`,
  },
  EnrollmentAgentRestrictions: {
    type: 'enterprisecas',
    record: (ids) =>
      object(
        registry({
          EnrollmentAgentRestrictions: {
            Collected: true,
            Restrictions: ids.map((id) => ({
              AccessType: 'AccessAllowedCallback',
              Agent: reference(id, 'User'),
              AllTemplates: false,
              Template: reference('T', 'CertTemplate'),
            })),
          },
        }),
      ),
    edge: (id) => `${id} DelegatedEnrollmentAgent T`,
  },
  LocalGroups: {
    type: 'computers',
    record: (ids) => object({ LocalGroups: ids.map((id) => localGroup(`X-${id}`, ['M'])) }),
    edge: (id) => `X-${id} LocalToComputer X`,
  },
  LocalGroupMembers: {
    type: 'computers',
    record: (ids) => object({ LocalGroups: [localGroup('X-544', [...ids])] }),
    edge: (id) => `${id} MemberOfLocalGroup X-544`,
  },
  UserRights: {
    type: 'computers',
    record: (ids) =>
      object({
        UserRights: [
          {
            Privilege: 'SeRemoteInteractiveLogonRight',
            Collected: true,
            Results: ids.map((id) => reference(id, 'User')),
          },
        ],
      }),
    edge: (id) => `${id} RemoteInteractiveLogonRight X`,
  },
};

describe('what the source no longer says (gap 4.5)', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());
  beforeEach(() => emptyGraph(stores.graph));

  const edgesNow = async () => Object.keys((await readGraph(stores.graph)).edges);

  for (const [field, { type, record, edge, needsMethod = false }] of Object.entries(fields)) {
    // A field of one value names the last.
    const [first, second] = [record(['A', 'B']), record(['A'])];

    it(`goes when ${field} leaves it out`, async () => {
      await ingest(stores.graph, { type, data: [first] });
      const had = await edgesNow();
      assert.ok(had.includes(edge('B')));
      const [result] = await ingest(stores.graph, { type, data: [second] });
      const has = await edgesNow();
      const expected = [...new Set([...had.filter((one) => one !== edge('B')), edge('A')])].sort();
      assert.deepEqual(
        has.filter((one) => !/MemberOfLocalGroup X-B/.test(one)).sort(),
        expected.filter((one) => !/MemberOfLocalGroup X-B/.test(one)),
      );
      assert.equal(result?.withdrawn, 1);
    });

    it(`stays when ${field} was collected by ${needsMethod ? 'other methods' : 'nobody knows what'}`, async () => {
      await ingest(stores.graph, { type, data: [first] });
      await ingest(stores.graph, { type, data: [second], methods: needsMethod ? 1 << 20 : 0 });
      assert.ok((await edgesNow()).includes(edge('B')));
    });
  }

  it('stays when another field states it too', async () => {
    const { graph } = stores;
    const ou = (...ids: string[]) => object({ ChildObjects: ids.map((id) => reference(id, 'User')) });
    const user = { ...object({ ContainedBy: reference('X', 'OU') }), ObjectIdentifier: 'B' };
    await ingest(graph, { type: 'users', data: [user] });
    await ingest(graph, { type: 'ous', data: [ou('A', 'B')] });
    await ingest(graph, { type: 'ous', data: [ou()] });
    assert.deepEqual(await edgesNow(), ['X Contains B']);
    const elsewhere = { ...user, ContainedBy: reference('Y', 'OU') };
    await ingest(graph, { type: 'users', data: [elsewhere] });
    assert.deepEqual(await edgesNow(), ['Y Contains B']);
  });

  it('goes from one field while the same file states it by another', async () => {
    const { graph } = stores;
    const ca = (aces: object[], security: object[]) =>
      object({ Aces: aces, ...registry({ CASecurity: { Collected: true, Data: security } }) });
    const right = ace('A', 'ManageCA');
    await ingest(graph, { type: 'enterprisecas', data: [ca([right], [right])] });
    await ingest(graph, { type: 'enterprisecas', data: [ca([], [right])] });
    assert.deepEqual(await edgesNow(), ['A ManageCA X']);
    await ingest(graph, { type: 'enterprisecas', data: [ca([], [])] });
    assert.deepEqual(await edgesNow(), []);
  });

  it('leaves primary groups, sessions and other objects alone', async () => {
    const { graph } = stores;
    const sessions = { Collected: true, Results: [{ ComputerSID: 'C', UserSID: 'U' }] };
    await ingest(graph, {
      type: 'computers',
      data: [{ ...object({ PrimaryGroupSID: 'X', Sessions: sessions }), ObjectIdentifier: 'C' }],
    });
    await ingest(graph, {
      type: 'groups',
      data: [
        object({ Members: [reference('U', 'User')] }),
        { ...object({ Members: [reference('U', 'User')] }), ObjectIdentifier: 'OTHER' },
      ],
    });
    await ingest(graph, { type: 'groups', data: [object({ Members: [] })] });
    await ingest(graph, {
      type: 'computers',
      data: [{ ...object({ Sessions: { ...sessions, Results: [] } }), ObjectIdentifier: 'C' }],
    });
    assert.deepEqual(await edgesNow(), ['C HasSession U', 'C MemberOf X', 'U MemberOf OTHER']);
  });

  it('leaves what no file has stated, until one does', async () => {
    const { graph } = stores;
    const nodes = ['X', 'U'].map((objectId) => ({ objectId, kinds: ['Base'], name: objectId }));
    await graph.transaction((db) => insertGraph(db, nodes, [{ start: 'U', kind: 'MemberOf', end: 'X' }], 1));
    const empty = { type: 'groups', data: [object({ Members: [] })] };
    await ingest(graph, empty);
    assert.deepEqual(await edgesNow(), ['U MemberOf X']);
    await ingest(graph, { type: 'groups', data: [object({ Members: [reference('U', 'User')] })] });
    await ingest(graph, empty);
    assert.deepEqual(await edgesNow(), []);
  });

  it('stays when another record of the file names it', async () => {
    const { graph } = stores;
    const listed = (...ids: string[]) => object({ Members: ids.map((id) => reference(id, 'User')) });
    await ingest(graph, { type: 'groups', data: [listed('A', 'B')] });
    await ingest(graph, { type: 'groups', data: [listed('A'), listed('B')] });
    assert.deepEqual(await edgesNow(), ['A MemberOf X', 'B MemberOf X']);
  });

  it('keeps what another authority says about the same agent and template', async () => {
    const { graph } = stores;
    const restricted = fields.EnrollmentAgentRestrictions as Case;
    const other = { ...restricted.record(['A']), ObjectIdentifier: 'Y' };
    await ingest(graph, { type: 'enterprisecas', data: [restricted.record(['A']), other] });
    await ingest(graph, { type: 'enterprisecas', data: [restricted.record([])], methods: everything });
    assert.deepEqual(await edgesNow(), ['A DelegatedEnrollmentAgent T']);
    await ingest(graph, {
      type: 'enterprisecas',
      data: [{ ...restricted.record([]), ObjectIdentifier: 'Y' }],
    });
    assert.deepEqual(await edgesNow(), []);
  });
});
