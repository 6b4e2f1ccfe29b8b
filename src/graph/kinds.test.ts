import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { azureTenant } from '../../test/collectors/azure-tenant.ts';
import { convertAzureItem } from './ingest/convert/azure.ts';
import { builtInKinds, labelOf } from './kinds.ts';

const registered = new Set(['BackupVault', 'Printer']);
const label = (...kinds: string[]) => labelOf(kinds, (kind) => registered.has(kind));

describe('labelOf', () => {
  it('is the first kind that is built in', () => {
    assert.equal(label('EnterpriseCA', 'Base'), 'EnterpriseCA');
    assert.equal(label('Base', 'EnterpriseCA'), 'EnterpriseCA');
    assert.equal(label('User', 'Computer'), 'User');
    assert.equal(label('Computer', 'User'), 'Computer');
    assert.equal(label('AZBase', 'AZUser'), 'AZUser');
    for (const kind of builtInKinds.keys()) assert.equal(label('Base', kind), kind);
  });

  it('counts a registered kind like a built-in one, in the order stated', () => {
    assert.equal(label('BackupVault', 'EnterpriseCA'), 'BackupVault');
    assert.equal(label('EnterpriseCA', 'BackupVault'), 'EnterpriseCA');
    assert.equal(label('Base', 'Printer'), 'Printer');
  });

  it('passes over zone tags and kinds that nobody registered', () => {
    assert.equal(label('Tag_Tier_Zero', 'EnterpriseCA', 'Base'), 'EnterpriseCA');
    assert.equal(label('Tag_Owned', 'Scanner', 'Printer'), 'Printer');
    assert.equal(label('enterpriseca', 'Base'), 'Base');
  });

  it('is a local group only if it is nothing else', () => {
    assert.equal(label('ADLocalGroup', 'Group'), 'Group');
    assert.equal(label('Group', 'ADLocalGroup'), 'Group');
    assert.equal(label('ADLocalGroup', 'Printer'), 'Printer');
    assert.equal(label('ADLocalGroup', 'Base'), 'ADLocalGroup');
    assert.equal(label('Base', 'ADLocalGroup'), 'ADLocalGroup');
  });

  it('is a source kind only if there is nothing at all, and the first of two', () => {
    assert.equal(label('Base'), 'Base');
    assert.equal(label('Tag_Tier_Zero', 'AZBase'), 'AZBase');
    assert.equal(label('Base', 'AZBase'), 'Base');
    assert.equal(label('AZBase', 'Base'), 'AZBase');
  });

  it('is Meta at once, unless a known kind comes first', () => {
    for (const kind of ['Meta', 'MetaDetail', 'MetaIncludes']) {
      assert.equal(label(kind), 'Meta');
      assert.equal(label(kind, 'User'), 'Meta');
      assert.equal(label('Base', kind, 'User'), 'Meta');
      assert.equal(label('ADLocalGroup', kind), 'Meta');
      assert.equal(label('User', kind), 'User');
    }
  });

  it('is Unknown when nothing is known', () => {
    assert.equal(label(), 'Unknown');
    assert.equal(label('Tag_Tier_Zero'), 'Unknown');
    assert.equal(label('Scanner', 'constructor'), 'Unknown');
  });
});

describe('builtInKinds', () => {
  it('have an icon of the free solid set and a colour', () => {
    for (const [kind, { type, name, color }] of builtInKinds) {
      assert.equal(type, 'font-awesome', kind);
      assert.match(name, /^[a-z]+(-[a-z]+)*$/, kind);
      assert.match(color, /^#[0-9A-F]{6}$/, kind);
    }
    assert.deepEqual(builtInKinds.get('EnterpriseCA'), {
      type: 'font-awesome',
      name: 'building',
      color: '#4696E9',
    });
    assert.deepEqual(builtInKinds.get('CertTemplate'), {
      type: 'font-awesome',
      name: 'id-card',
      color: '#B153F3',
    });
  });

  it('have every kind of node that a tenant is made of', () => {
    const found = azureTenant().flatMap((item, index) =>
      convertAzureItem(item, { methods: 0, version: 5, index }).nodes.flatMap(({ kinds }) => kinds),
    );
    const kinds = [...new Set(found)].filter((kind) => kind !== 'AZBase');
    assert.ok(kinds.includes('AZFederatedIdentityCredential') && kinds.length > 15, String(kinds));
    assert.deepEqual(
      kinds.filter((kind) => !builtInKinds.has(kind)),
      [],
    );
  });
});
