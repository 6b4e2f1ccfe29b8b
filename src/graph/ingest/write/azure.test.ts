import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Random } from '../../../../bench/generator/random.ts';
import { azureTenant, azureTenantId } from '../../../../test/collectors/azure-tenant.ts';
import {
  type AzureItem,
  azureBatches,
  azureFile,
  shuffled,
  wireStyles,
} from '../../../../test/collectors/azure-wire.ts';
import {
  emptyGraph,
  ingest,
  openGraph,
  readGraph,
  type WholeGraph,
} from '../../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../../test/server/stores.ts';
import { expire } from './expire.ts';
import { refreshAfterMs } from './read-statements.ts';

/** Newer collectors write many texts in upper case before they send them; ids, kinds and edges must not differ. */
function comparable({ nodes, edges }: WholeGraph): unknown {
  const fold = (properties: Record<string, unknown>) =>
    Object.entries(properties)
      .map(([key, value]) => `${key} ${JSON.stringify(value).toUpperCase()}`)
      .sort();
  return [
    Object.entries(nodes).map(([id, { kinds, properties }]) => [id, kinds, fold(properties)]),
    Object.entries(edges).map(([key, properties]) => [key, fold(properties)]),
  ];
}

describe('a tenant', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());
  beforeEach(() => emptyGraph(stores.graph));

  const now = async () => comparable(await readGraph(stores.graph));
  const read = async (text: string) => {
    const [result] = await ingest(stores.graph, text);
    assert.deepEqual(
      [result?.outcome, result?.skipped, result?.warnings, result?.withdrawn],
      ['complete', {}, [], 0],
    );
  };
  const item = (kind: string, data: object): AzureItem => ({ kind, data });
  const readItems = (...items: AzureItem[]) => read(azureFile(items));
  const propertiesOf = async (id: string) => (await readGraph(stores.graph)).nodes[id]?.properties;

  it('is the same from a file and from batches, of both styles, repeated and in any order', async () => {
    await read(azureFile(azureTenant()));
    const whole = await readGraph(stores.graph);
    const expected = comparable(whole);
    const tenant = whole.nodes[azureTenantId()];
    assert.deepEqual([tenant?.kinds, tenant?.properties.collected], [['AZTenant', 'AZBase'], true]);
    assert.ok(Object.keys(whole.nodes).length > 100 && Object.keys(whole.edges).length > 200);
    for (const style of wireStyles) {
      await emptyGraph(stores.graph);
      const random = new Random(style.length, 3);
      const batches = azureBatches(shuffled(azureTenant({ style }), random), 60);
      const posts = shuffled([...batches, ...batches, ...batches], random);
      for (const batch of posts) await read(batch);
      assert.deepEqual(await now(), expected, style);
    }
  });

  it('adds to what is there, and changes nothing when it comes again', async () => {
    const items = azureTenant();
    await read(azureFile(items));
    const expected = await readGraph(stores.graph);
    await read(azureFile(items.filter(({ kind }) => kind !== 'AZGroupMember')));
    for (const batch of azureBatches(items)) await read(batch);
    assert.deepEqual(await readGraph(stores.graph), expected);
  });

  it('passes over users, groups, devices and applications that are as they were, in a file or a batch', async () => {
    const items = azureTenant();
    const known = ['AZUser', 'AZGroup', 'AZDevice', 'AZApp'];
    const count = items.filter(({ kind }) => known.includes(kind)).length;
    await read(azureFile(items));
    const expected = await readGraph(stores.graph);
    const repeats = [azureFile(items), azureFile(items.toReversed())];
    for (const text of repeats) {
      const [result] = await ingest(stores.graph, text);
      assert.deepEqual([result?.outcome, result?.unchanged], ['complete', count]);
    }
    let unchanged = 0;
    for (const batch of azureBatches(items)) {
      const [result] = await ingest(stores.graph, batch);
      unchanged += result?.unchanged ?? 0;
    }
    // The other half has its members in another order.
    assert.ok(unchanged > 0, 'none');
    assert.deepEqual(await readGraph(stores.graph), expected);
  });

  it('passes over nobody whom anything else has been said about', async () => {
    const ann = item('AZUser', { id: 'u', displayName: 'Ann', tenantId: 't1' });
    const bob = item('AZUser', { id: 'u', displayName: 'Bob', tenantId: 't1' });
    const cy = item('AZUser', { ID: 'u', displayName: 'Cy', tenantId: 't1' });
    const dan = { graph: { nodes: [{ id: 'u', kinds: ['K'], properties: { displayname: 'Dan' } }] } };
    for (const other of [azureFile([bob]), azureFile([cy]), JSON.stringify(dan), azureFile([ann, bob])]) {
      await readItems(ann);
      await ingest(stores.graph, other);
      assert.notEqual((await propertiesOf('U'))?.displayname, 'Ann', other);
      await readItems(ann);
      assert.equal((await propertiesOf('U'))?.displayname, 'Ann', other);
    }
  });

  it('applies an unchanged item again after a while, so that what it states is seen', async () => {
    const file = azureFile([item('AZUser', { id: 'u', tenantId: 't1' })]);
    const seen = () => stores.graph.one<{ last_seen: number }>('select last_seen from edges');
    for (const [seenAt, stated] of [
      [1, 1],
      [1 + refreshAfterMs, 1],
      [2 + refreshAfterMs, 2 + refreshAfterMs],
    ] as const) {
      await ingest(stores.graph, file, { seenAt });
      assert.equal((await seen())?.last_seen, stated);
    }
  });

  it('loses a membership that is not told again, and nothing of what is passed over', async () => {
    const day = 24 * 60 * 60 * 1000;
    const objects = ['AZUser', 'AZGroup'].map((kind) => item(kind, { id: kind, tenantId: 't1' }));
    const member = { id: 'AZUser', '@odata.type': '#microsoft.graph.user' };
    const members = item('AZGroupMember', { groupId: 'AZGroup', members: [{ member }] });
    await ingest(stores.graph, azureFile([...objects, members]), { seenAt: day });
    let unchanged = 0;
    const memberships: boolean[] = [];
    for (let now = 2 * day; now <= 12 * day; now += day) {
      const [result] = await ingest(stores.graph, azureFile(objects), { seenAt: now });
      unchanged += result?.unchanged ?? 0;
      await expire(stores.graph, { now, baseTtlMs: 7 * day, sessionTtlMs: 3 * day, reconciliation: true });
      const edges = Object.keys((await readGraph(stores.graph)).edges);
      memberships.push(edges.includes('AZUSER AZMemberOf AZGROUP'));
      assert.ok(edges.includes('T1 AZContains AZUSER') && edges.includes('T1 AZContains AZGROUP'));
    }
    assert.ok(unchanged > 0);
    assert.deepEqual([memberships[0], memberships[5], memberships.at(-1)], [true, true, false]);
  });

  it('keeps what an application says of itself, whenever its service principal comes', async () => {
    const app = item('AZApp', { appId: 'a', displayName: 'Shop', tenantId: 't1' });
    const principal = item('AZServicePrincipal', {
      ...{ id: 'p', appId: 'a', appDisplayName: 'Other', appOwnerOrganizationId: 't2', tenantId: 't1' },
    });
    for (const order of [
      [app, principal],
      [principal, app],
    ]) {
      for (const files of [[order], order.map((one) => [one])]) {
        await emptyGraph(stores.graph);
        for (const file of files) await readItems(...file);
        const properties = await propertiesOf('A');
        assert.deepEqual([properties?.displayname, properties?.tenantid], ['Shop', 'T1']);
      }
    }
    await emptyGraph(stores.graph);
    await readItems(principal);
    assert.deepEqual(await propertiesOf('A'), { objectid: 'A', displayname: 'Other', tenantid: 'T2' });
  });

  it('follows a policy that has changed, also for a role that was collected', async () => {
    const role = item('AZRole', { id: 'r', displayName: 'Admin', tenantId: 't1' });
    const policy = (approval: boolean) =>
      item('AZRoleManagementPolicyAssignment', {
        ...{ roleDefinitionId: 'r', tenantId: 't1', endUserAssignmentRequiresApproval: approval },
      });
    await readItems(role, policy(true));
    assert.equal((await propertiesOf('R@T1'))?.enduserassignmentrequiresapproval, true);
    await readItems(policy(false), role);
    const properties = await propertiesOf('R@T1');
    assert.deepEqual(
      [properties?.enduserassignmentrequiresapproval, properties?.displayname],
      [false, 'Admin'],
    );
  });

  it('follows a role that is now given for less than before', async () => {
    const assigned = (directoryScopeId: string) =>
      item('AZRoleAssignment', {
        tenantId: 't1',
        roleAssignments: [{ roleDefinitionId: 'r', principalId: 'p', directoryScopeId }],
      });
    for (const [scope, stored] of [
      ['/', 'T1'],
      ['/app', 'APP'],
    ] as const) {
      await readItems(assigned(scope));
      assert.deepEqual((await readGraph(stores.graph)).edges, { 'P AZHasRole R@T1': { scope: stored } });
    }
  });

  it('is read although some of its items are not', async () => {
    const items = [
      item('AZNews', { id: 'x' }),
      item('AZUser', { displayName: 'nobody' }),
      item('AZUser', { id: 'u', displayName: 'Ann' }),
      item('AZStorageAccount', { id: 'x' }),
    ];
    const [result] = await ingest(stores.graph, azureFile(items));
    assert.deepEqual([result?.outcome, result?.nodes], ['complete', 1]);
    assert.deepEqual(result?.skipped, { AZNews: 1, AZUser: 1, AZStorageAccount: 1 });
    assert.equal(result.warnings.length, 1);
    assert.match(result.warnings[0] ?? '', /^record 1 of data, byte \d+: data\[1\]\.data\.id is missing$/);
  });
});
