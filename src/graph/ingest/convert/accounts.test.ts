import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { convert, edgesOf, fieldName, kindsOf, warningsOf } from '../../../../test/server/statements.ts';

const computer = { ObjectIdentifier: 's-1-5-21-1-2000', ObjectType: 'Computer' };
const other = { ObjectIdentifier: 'S-1-5-21-9-1', ObjectType: 'User' };

describe('users', () => {
  const id = 'S-1-5-21-1-1105';
  const user = (members: object) => convert('users', { ObjectIdentifier: id, Properties: {}, ...members });

  const stated: [name: string, members: object, edges: string[]][] = [
    ['a primary group', { PrimaryGroupSID: 'S-1-5-21-1-513' }, [`${id} MemberOf S-1-5-21-1-513`]],
    ['no primary group when it is null', { PrimaryGroupSID: null }, []],
    ['no primary group when it is empty', { PrimaryGroupSID: '' }, []],
    ['delegation', { AllowedToDelegate: [computer] }, [`${id} AllowedToDelegate S-1-5-21-1-2000`]],
    ['no delegation to an empty id', { AllowedToDelegate: [{ ...computer, ObjectIdentifier: '' }] }, []],
    ['SID history', { HasSIDHistory: [other] }, [`${id} HasSIDHistory S-1-5-21-9-1`]],
    ['no SID history when it is null', { HasSIDHistory: null }, []],
    [
      'SPN targets',
      { SPNTargets: [{ ComputerSID: 'S-1-5-21-1-2000', Port: 1433, Service: 'SQLAdmin' }] },
      [`${id} SQLAdmin S-1-5-21-1-2000`],
    ],
    ['no SPN target without a computer', { SPNTargets: [{ ComputerSID: null, Service: 'SQLAdmin' }] }, []],
    [
      'unconstrained delegation among the properties',
      { Properties: { unconstraineddelegation: true, domainsid: 'S-1-5-21-1' } },
      [`${id} CoerceToTGT S-1-5-21-1`],
    ],
    [
      'unconstrained delegation beside the properties',
      { UnconstrainedDelegation: true, DomainSID: 'S-1-5-21-1' },
      [`${id} CoerceToTGT S-1-5-21-1`],
    ],
    [
      'what the properties say about delegation first',
      {
        UnconstrainedDelegation: true,
        Properties: { unconstraineddelegation: false, domainsid: 'S-1-5-21-1' },
      },
      [],
    ],
    ['no delegation without a domain', { UnconstrainedDelegation: true }, []],
  ];
  for (const [name, members, edges] of stated) {
    it(`states ${name}`, () => assert.deepEqual(edgesOf(user(members)), edges));
  }

  it('says on the edge that a group is the primary one', () => {
    const [edge] = user({ PrimaryGroupSID: 'S-1-5-21-1-513' }).edges;
    assert.deepEqual(edge?.properties, { isacl: false, isprimarygroup: true });
    assert.equal(fieldName(edge.by), 'PrimaryGroup');
  });

  it('keeps the port of an SPN target', () => {
    const statements = user({
      spntargets: [{ computersid: 'S-1-5-21-1-2000', port: 1433, service: 'SQLAdmin' }],
    });
    assert.deepEqual(statements.edges[0]?.properties, { isacl: true, port: 1433 });
  });

  it('warns of a service that is not read', () => {
    const statements = user({
      SPNTargets: [{ ComputerSID: 'S-1-5-21-1-2000', Port: 80, Service: 'GenericAll' }],
    });
    assert.deepEqual(edgesOf(statements), []);
    assert.match(warningsOf(statements)[0] ?? '', /^data\[0\]\.SPNTargets\[0\]\.Service: .*"GenericAll"/);
  });

  it('makes the ends known by the types that the record gives them', () => {
    const statements = user({
      PrimaryGroupSID: 'S-1-5-21-1-513',
      AllowedToDelegate: [computer],
      HasSIDHistory: [{ ObjectIdentifier: 'S-1-5-21-9-2', ObjectType: 'Gizmo' }],
    });
    assert.deepEqual(kindsOf(statements, id), ['User', 'Base']);
    assert.deepEqual(kindsOf(statements, 'S-1-5-21-1-513'), ['Group', 'Base']);
    assert.deepEqual(kindsOf(statements, 'S-1-5-21-1-2000'), ['Computer', 'Base']);
    assert.deepEqual(kindsOf(statements, 'S-1-5-21-9-2'), ['Base']);
    assert.deepEqual(
      statements.nodes.filter((node) => node.collected).map((node) => node.objectId),
      [id],
    );
  });
});

describe('groups', () => {
  const id = 'S-1-5-21-1-512';
  const group = (members: object) => convert('groups', { ObjectIdentifier: id, Properties: {}, ...members });

  it('states its members', () => {
    const statements = group({ Members: [other, computer] });
    assert.deepEqual(edgesOf(statements), [`S-1-5-21-9-1 MemberOf ${id}`, `S-1-5-21-1-2000 MemberOf ${id}`]);
    assert.deepEqual(statements.edges[0]?.properties, { isacl: false, isprimarygroup: false });
    assert.equal(fieldName(statements.edges[0].by), 'Members');
  });

  it('states the SID history', () => {
    assert.deepEqual(edgesOf(group({ HasSIDHistory: [other] })), [`${id} HasSIDHistory S-1-5-21-9-1`]);
  });

  it('refers to a member by its distinguished name when that is all there is', () => {
    const member = { ObjectIdentifier: 'DN=CN=Ann,DC=corp', ObjectType: 'User' };
    const statements = group({ Members: [member, { ...member, ObjectType: 'Base' }] });
    const properties = [{ key: 'distinguishedname', value: 'CN=ANN,DC=CORP' }];
    assert.deepEqual(
      statements.edges.map((edge) => edge.start),
      [{ properties, kind: 'User' }, { properties }],
    );
    assert.deepEqual(
      statements.nodes.map((node) => node.objectId),
      [id],
    );
  });

  it('leaves out members that are none, naming them', () => {
    const Members = [
      'S-1-5-21-1-1',
      null,
      { ObjectIdentifier: 7 },
      { ObjectIdentifier: 'x'.repeat(801) },
      other,
    ];
    const statements = group({ Members });
    assert.deepEqual(edgesOf(statements), [`S-1-5-21-9-1 MemberOf ${id}`]);
    assert.deepEqual(
      statements.warnings.map((warning) => warning.path),
      ['data[0].Members[0]', 'data[0].Members[2].ObjectIdentifier', 'data[0].Members[3].ObjectIdentifier'],
    );
  });

  it('warns when the list is no list', () => {
    const statements = group({ Members: 'S-1-5-21-1-1' });
    assert.deepEqual(warningsOf(statements), [
      'data[0].Members: must be a list, but is the text "S-1-5-21-1-1"',
    ]);
  });
});
