import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addingOnly, standingOf } from './standing.ts';
import { Field } from './statements.ts';

const sid = 'S-1-5-21-1-2-3';
const standing = (ObjectIdentifier: string, Properties?: object) =>
  standingOf({ ObjectIdentifier, Properties });

describe('whose word a record is', () => {
  it('is its domain, by its properties or its id', () => {
    assert.deepEqual(standing('X', { domainsid: 's-1-5-21-1-2-3' }), { kind: 'listed', domain: sid });
    assert.deepEqual(standing(`${sid}-1105`), { kind: 'listed', domain: sid });
    assert.deepEqual(standing(sid, {}), { kind: 'listed', domain: sid });
    assert.deepEqual(standing('X', { domainsid: '' }), { kind: 'listed', domain: undefined });
    for (const record of [null, 1, 'X', [], {}, { ObjectIdentifier: 5, Properties: 'no' }])
      assert.deepEqual(standingOf(record), { kind: 'listed', domain: undefined });
  });

  it('is the forest for what is in its Configuration', () => {
    const at = (distinguishedname: unknown) => standing('X', { domainsid: sid, distinguishedname }).kind;
    assert.equal(at('CN=AIA,CN=SERVICES,CN=CONFIGURATION,DC=CORP,DC=LOCAL'), 'forest');
    assert.equal(at('cn=configuration,dc=corp'), 'forest');
    assert.equal(at('CN=CONFIGURATION,OU=PEOPLE,DC=CORP'), 'listed');
    assert.equal(at('CN=XCN=CONFIGURATION,OU=A,DC=CORP'), 'listed');
    assert.equal(at(7), 'listed');
  });

  it('is nobody for principals that the collector added without reading them', () => {
    const kind = (id: string, properties: object) => standing(id, properties).kind;
    assert.equal(kind(`${sid}-512`, { reconcile: false }), 'unread');
    assert.equal(kind('CORP-S-1-5-9', { name: 'ENTERPRISE DOMAIN CONTROLLERS@CORP' }), 'unread');
    assert.equal(kind('CORP-S-1-5-32-544', { distinguishedname: 'CN=ADMINISTRATORS' }), 'listed');
    assert.equal(kind(`${sid}-512`, { reconcile: true }), 'listed');
  });
});

describe('addingOnly', () => {
  it('leaves a reference that takes nothing back', () => {
    const said = addingOnly({
      nodes: [{ objectId: 'X', kinds: ['Base'], properties: { name: 'X' }, collected: true }],
      edges: [{ start: 'A', end: 'T', kind: 'K', properties: {}, by: Field.Aces, through: 'X' }],
      wholes: [{ objectId: 'X', end: 'end', field: Field.Aces }],
    });
    assert.deepEqual(said, {
      nodes: [{ objectId: 'X', kinds: ['Base'], properties: { name: 'X' }, collected: false }],
      edges: [{ start: 'A', end: 'T', kind: 'K', properties: {}, by: Field.Elsewhere }],
      wholes: [],
    });
  });
});
