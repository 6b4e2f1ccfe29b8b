import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { convert, edgesOf, kindsOf, propertiesOf, warningsOf } from '../../../../test/server/statements.ts';

const id = 'S-1-5-21-1-1105';
const ace = (RightName: unknown, PrincipalSID: unknown = 'S-1-5-21-1-512', more: object = {}) => ({
  PrincipalSID,
  PrincipalType: 'Group',
  RightName,
  IsInherited: false,
  ...more,
});
const user = (Aces: unknown, Properties: object = {}) =>
  convert('users', { ObjectIdentifier: id, Properties, Aces });

describe('ACEs', () => {
  const plainRights = [
    ...[
      'AllExtendedRights',
      'ForceChangePassword',
      'AddMember',
      'AddAllowedToAct',
      'GenericAll',
      'WriteDacl',
    ],
    ...[
      'GenericWrite',
      'ReadLAPSPassword',
      'ReadGMSAPassword',
      'AddSelf',
      'WriteSPN',
      'AddKeyCredentialLink',
    ],
    ...['GetChanges', 'GetChangesAll', 'GetChangesInFilteredSet', 'WriteAccountRestrictions', 'WriteGPLink'],
    ...['SyncLAPSPassword', 'DCSync', 'ManageCertificates', 'ManageCA', 'Enroll', 'WritePKIEnrollmentFlag'],
    ...['WritePKINameFlag', 'WriteOwnerLimitedRights', 'OwnsLimitedRights', 'WriteAltSecurityIdentities'],
    'WritePublicInformation',
  ];

  it('gives one edge for each right', () => {
    const statements = user(plainRights.map((right) => ace(right)));
    assert.deepEqual(
      edgesOf(statements),
      plainRights.map((right) => `S-1-5-21-1-512 ${right} ${id}`),
    );
    assert.deepEqual(kindsOf(statements, 'S-1-5-21-1-512'), ['Group', 'Base']);
  });

  it('tells inheritance on the edge', () => {
    const aces = [
      ace('GenericAll'),
      ace('WriteDacl', 'S-1-5-21-1-512', { IsInherited: true, InheritanceHash: 'abc' }),
    ];
    assert.deepEqual(
      user(aces).edges.map((edge) => edge.properties),
      [
        { isacl: true, isinherited: false, inheritancehash: '' },
        { isacl: true, isinherited: true, inheritancehash: 'abc' },
      ],
    );
  });

  const leftOut: [name: string, ace: unknown, warning?: RegExp][] = [
    ['a right over itself', ace('GenericAll', id.toLowerCase())],
    ['a right of nobody', ace('GenericAll', '')],
    ['a right of null', ace('GenericAll', null)],
    ['a right that is none of an ACE', ace('AdminTo'), /^data\[0\]\.Aces\[0\]\.RightName: .*"AdminTo"$/],
    ['a right without a name', ace(undefined), /RightName: .*none/],
    ['a raw right', ace('OwnsRaw'), /"OwnsRaw"/],
    [
      'a principal that is a number',
      ace('GenericAll', 512),
      /Aces\[0\]\.PrincipalSID: must be a text, but is 512/,
    ],
    ['an element that is a text', 'GenericAll', /Aces\[0\]: must be an object/],
  ];
  for (const [name, value, warning] of leftOut) {
    it(`leaves out ${name}`, () => {
      const statements = user([value]);
      assert.deepEqual(edgesOf(statements), []);
      if (warning === undefined) assert.deepEqual(warningsOf(statements), []);
      else assert.match(warningsOf(statements).join(), warning);
    });
  }

  it('keeps the owner as a property, even when it is the object itself', () => {
    assert.equal(propertiesOf(user([ace('Owns', 's-1-5-21-1-519')]), id).ownersid, 'S-1-5-21-1-519');
    const self = user([ace('Owns', id)]);
    assert.equal(propertiesOf(self, id).ownersid, id);
    assert.deepEqual(edgesOf(self), []);
  });

  it('tells only the first warnings of a record', () => {
    const statements = user(Array.from({ length: 50 }, () => ace('AdminTo')));
    assert.equal(statements.warnings.length, 20);
    assert.equal(statements.moreWarnings, 30);
  });
});

describe('ACEs about ownership', () => {
  const owner = 'S-1-5-21-1-519';
  const writer = 'S-1-5-21-1-512';
  const base = [ace('Owns', owner), ace('WriteOwner', writer, { IsInherited: true, InheritanceHash: 'h' })];
  const limited = ace('GenericAll', 'CORP-S-1-3-4');
  const limitedInherited = ace('WriteDacl', 'CORP-S-1-3-4', { IsInherited: true });
  const owns = `${owner} OwnsRaw ${id}`;
  const ownsLimited = `${owner} OwnsLimitedRights ${id}`;
  const writes = `${writer} WriteOwnerRaw ${id}`;
  const writesLimited = `${writer} WriteOwnerLimitedRights ${id}`;

  type Flag = boolean | undefined;
  const matrix: [rights: object[], any: Flag, inherited: Flag, edges: string[]][] = [
    [[], undefined, undefined, [owns, writes]],
    [[], false, false, [owns, writes]],
    [[], false, true, [owns, writes]],
    [[], true, undefined, [writes]],
    [[], true, false, [writes]],
    [[], true, true, []],
    [[limited], undefined, undefined, [ownsLimited, writes]],
    [[limited], true, false, [ownsLimited, writes]],
    [[limited], true, true, [ownsLimited]],
    [[limited], undefined, true, [ownsLimited]],
    [[limitedInherited], undefined, undefined, [ownsLimited, writesLimited]],
    [[limited, limitedInherited], true, true, [ownsLimited, writesLimited]],
  ];
  for (const [rights, any, inherited, edges] of matrix) {
    const granted = rights.map((right) =>
      'IsInherited' in right && right.IsInherited ? 'inherited' : 'direct',
    );
    const given = granted.length === 0 ? 'no rights' : `${granted.join(' and ')} rights`;
    it(`with ${given} for OWNER RIGHTS, flags ${any} and ${inherited}`, () => {
      const properties = { doesanyacegrantownerrights: any, doesanyinheritedacegrantownerrights: inherited };
      assert.deepEqual(edgesOf(user([...base, ...rights], JSON.parse(JSON.stringify(properties)))), edges);
    });
  }

  it('names the rights that an owner is limited to', () => {
    const statements = user([...base, limited, limitedInherited, limitedInherited]);
    assert.deepEqual(
      statements.edges.map((edge) => edge.properties),
      [
        { isacl: true, isinherited: false, privileges: ['GenericAll', 'WriteDacl'] },
        { isacl: true, isinherited: true, inheritancehash: 'h', privileges: ['WriteDacl'] },
      ],
    );
  });

  it('has no inheritance on a raw ownership', () => {
    assert.deepEqual(user([ace('Owns', owner)]).edges[0]?.properties, { isacl: true, isinherited: false });
  });

  it('needs an owner for an edge of it', () => {
    assert.deepEqual(edgesOf(user([limited])), []);
  });
});
