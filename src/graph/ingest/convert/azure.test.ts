import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readItem } from '../../../../test/collectors/azure-items.ts';
import { azureTenant } from '../../../../test/collectors/azure-tenant.ts';
import { convert, warningsOf } from '../../../../test/server/statements.ts';
import { azureReaders } from './azure.ts';

describe('azure', () => {
  it('reads 57 kinds of item, all of which a tenant can have', () => {
    assert.equal(azureReaders.size, 57);
    const kinds = new Set(azureTenant().map(({ kind }) => kind));
    assert.deepEqual([...azureReaders.keys()].filter((kind) => !kinds.has(kind)).sort(), []);
  });

  it('reads members in any case', () => {
    const { nodes } = convert('azure', { Data: { ID: 'a1', USERPRINCIPALNAME: 'ann@x' }, Kind: 'AZUser' });
    assert.deepEqual([nodes[0]?.objectId, nodes[0]?.properties.name], ['A1', 'ANN@X']);
  });

  it('states nothing as a whole', () => {
    const items = azureTenant();
    assert.ok(items.length > 100);
    for (const item of items) assert.deepEqual(convert('azure', item).wholes, []);
  });

  it('never states a node or an edge without an id, whatever is missing', () => {
    for (const item of azureTenant()) {
      for (const [member, value] of Object.entries(item.data)) {
        for (const instead of [undefined, '', null, 5, [null], typeof value === 'string' ? {} : [{}]]) {
          const { nodes, edges, problems } = convert('azure', {
            kind: item.kind,
            data: { ...item.data, [member]: instead },
          });
          assert.deepEqual(problems, []);
          for (const { objectId } of nodes) assert.ok(objectId !== '' && !/^@|@$/.test(objectId), objectId);
          for (const { start, end } of edges) assert.ok(start !== '' && end !== '');
        }
      }
    }
  });

  it('leaves out ids that are too long together', () => {
    const { nodes, skipped, warnings } = readItem('AZRole', {
      id: 'a'.repeat(500),
      tenantId: 'b'.repeat(500),
    });
    assert.deepEqual([nodes, skipped, warnings.length], [[], 'AZRole', 1]);
  });

  const neverRead = [
    ...['AZAppMember', 'AZStorageAccount', 'AZStorageAccountRoleAssignment', 'AZStorageContainer'],
    ...['AZKeyVaultRoleAssignment', 'AZVMRoleAssignment', 'AZManagementGroupRoleAssignment'],
    ...['AZResourceGroupRoleAssignment', 'AZSubscriptionRoleAssignment', 'AZSomethingNew'],
  ];
  const skipped: [record: unknown, kind: string, warnings: string[]][] = [
    ...neverRead.map((kind): [unknown, string, string[]] => [{ kind, data: { id: 'x' } }, kind, []]),
    [{ kind: 'x'.repeat(65), data: {} }, 'unknown', []],
    [{ kind: 'AZUser', data: {} }, 'AZUser', ['data[0].data.id: is missing']],
    [{ kind: 'AZUser', data: { id: 5 } }, 'AZUser', ['data[0].data.id: must be a text, but is 5']],
    [{ kind: 'AZUser', data: null }, 'AZUser', ['data[0].data: must be an object, but is null']],
    [{ kind: 'AZUser' }, 'AZUser', ['data[0].data: must be an object, but is null']],
    [{ kind: 'AZRole', data: { id: 'a' } }, 'AZRole', ['data[0].data.tenantId: is missing']],
    [{ kind: 'AZGroupMember', data: {} }, 'AZGroupMember', ['data[0].data.groupId: is missing']],
    [{ data: {} }, 'unknown', ['data[0]: is not an item with a kind']],
    [null, 'unknown', ['data[0]: is not an item with a kind']],
  ];
  for (const [record, kind, warnings] of skipped) {
    it(`counts ${JSON.stringify(record)?.slice(0, 60)} without failing`, () => {
      const statements = convert('azure', record);
      assert.equal(statements.skipped, kind);
      assert.deepEqual([statements.nodes, statements.edges, statements.problems], [[], [], []]);
      assert.deepEqual(warningsOf(statements), warnings);
    });
  }
});
