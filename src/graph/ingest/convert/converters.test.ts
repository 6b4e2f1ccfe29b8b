import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { convert, edgesOf, propertiesOf, warningsOf, wholesOf } from '../../../../test/server/statements.ts';
import { convertersByType, findConverter } from './converters.ts';
import { Field, fieldEnds } from './statements.ts';

describe('findConverter', () => {
  it('knows the types that collectors write', () => {
    for (const type of convertersByType.keys()) assert.equal(typeof findConverter(type), 'function');
    assert.equal(convertersByType.size, 15);
  });

  const reasons: [type: unknown, reason: RegExp][] = [
    ['deleted', /^files of type deleted are not read$/],
    ['localgroups', /^files of type localgroups are not read$/],
    ['opengraph', /belongs into the member "graph"/],
    ['gizmos', /is "gizmos"; it must be one of sessions, users, /],
    ['__proto__', /is "__proto__"/],
    [undefined, /is missing or not a text/],
    [5, /is missing or not a text/],
  ];
  for (const [type, reason] of reasons) {
    it(`names what is wrong with ${type}`, () => {
      const found = findConverter(type);
      assert.match('reason' in found ? found.reason : '', reason);
    });
  }
});

describe('records', () => {
  const refused: [record: unknown, path: string][] = [
    [null, 'data[4]'],
    [[], 'data[4]'],
    ['text', 'data[4]'],
    [{}, 'data[4].ObjectIdentifier'],
    [{ ObjectIdentifier: '' }, 'data[4].ObjectIdentifier'],
    [{ ObjectIdentifier: 5 }, 'data[4].ObjectIdentifier'],
  ];
  for (const type of convertersByType.keys()) {
    if (type === 'azure' || type === 'sessions') continue;
    it(`of ${type} are refused by name when they are no object with an id`, () => {
      for (const [record, path] of refused) {
        const statements = convert(type, record, { index: 4 });
        assert.deepEqual(
          statements.problems.map((problem) => problem.path),
          [path],
        );
        assert.deepEqual([statements.nodes, statements.edges, statements.wholes], [[], [], []]);
      }
    });
  }

  it('have members in any case, the exact spelling first', () => {
    const group = (record: object) => edgesOf(convert('groups', record));
    const member = { objectidentifier: 'm', OBJECTTYPE: 'User' };
    assert.deepEqual(group({ objectidentifier: 'g', MEMBERS: [member] }), ['M MemberOf G']);
    assert.deepEqual(group({ ObjectIdentifier: 'g', Members: [member], members: [] }), ['M MemberOf G']);
    assert.deepEqual(group({ ObjectIdentifier: 'g', members: [], Members: [member] }), ['M MemberOf G']);
  });

  it('keep the case of property names', () => {
    const Properties = { Name: 'x', name: 'y' };
    const statements = convert('users', { ObjectIdentifier: 'u', properties: Properties });
    assert.deepEqual(propertiesOf(statements, 'U'), { Name: 'x', name: 'Y' });
  });
});

describe('properties', () => {
  const user = (Properties: unknown) => convert('users', { ObjectIdentifier: 'u', Properties });

  it('are stored as they are, some in upper case, some not at all', () => {
    const Properties = {
      name: 'ann@corp',
      distinguishedname: 'cn=ann',
      operatingsystem: 'Windows',
      domainsid: 's-1-5',
      displayname: 'Ann',
      description: null,
      enabled: false,
      lastlogon: -1,
      serviceprincipalnames: [],
      sidhistory: ['S-1'],
      reconcile: true,
      objectid: 'other',
      lastseen: 'now',
      lastcollected: 'now',
    };
    assert.deepEqual(propertiesOf(user(Properties), 'U'), {
      name: 'ANN@CORP',
      distinguishedname: 'CN=ANN',
      operatingsystem: 'WINDOWS',
      domainsid: 'S-1-5',
      displayname: 'Ann',
      description: null,
      enabled: false,
      lastlogon: -1,
      serviceprincipalnames: [],
      sidhistory: ['S-1'],
    });
  });

  const bad: [name: string, value: unknown, reason: RegExp][] = [
    ['an object', { a: 1 }, /must be a text, .* but is an object/],
    ['a list of lists', [[1]], /must be a list of texts only/],
    ['a mixed list', ['a', 1], /must be a list of texts only/],
    ['a list with null', ['a', null], /must be a list of texts only/],
    ['a number without end', JSON.parse('1e999'), /too large/],
    ['a long text', 'x'.repeat(65_537), /longer than 65536 characters/],
    ['a long text in a list', ['x'.repeat(65_537)], /longer than 65536 characters/],
    ['a long list', Array.from({ length: 10_001 }, () => 1), /has 10001 elements, more than 10000/],
  ];
  for (const [name, value, reason] of bad) {
    it(`leave out ${name}, with a warning`, () => {
      const statements = user({ bad: value, good: 1 });
      assert.deepEqual(propertiesOf(statements, 'U'), { good: 1 });
      assert.equal(statements.warnings.length, 1);
      assert.equal(statements.warnings[0]?.path, 'data[0].Properties.bad');
      assert.match(statements.warnings[0].reason, reason);
    });
  }

  it('leave out names that are too long, or not safe', () => {
    const statements = user(JSON.parse(`{"${'k'.repeat(257)}":1,"__proto__":{"polluted":true},"ok":1}`));
    const properties = statements.nodes[0]?.properties ?? {};
    assert.deepEqual(Object.keys(properties), ['ok']);
    assert.equal(Object.getPrototypeOf(properties), Object.prototype);
    assert.equal(statements.warnings.length, 1);
  });

  it('have characters replaced that cannot be stored', () => {
    const statements = user({ title: 'a\0b', list: ['\ud800'], fine: '\u{1f415}' });
    assert.deepEqual(propertiesOf(statements, 'U'), {
      title: 'a\ufffdb',
      list: ['\ufffd'],
      fine: '\u{1f415}',
    });
    assert.equal(statements.warnings.length, 2);
  });

  it('may be missing, but not be a list', () => {
    assert.deepEqual(warningsOf(user(null)), []);
    assert.deepEqual(warningsOf(user([1])), ['data[0].Properties: must be an object, but is a list']);
  });
});

describe('what a record states as a whole', () => {
  const common = {
    Aces: [],
    ContainedBy: { ObjectIdentifier: 'c', ObjectType: 'OU' },
    ChildObjects: [],
    Links: [],
  };
  const ca = {
    EnabledCertTemplates: [],
    HostingComputer: 'H',
    CARegistryData: {
      CASecurity: { Collected: true, Data: [] },
      EnrollmentAgentRestrictions: { Collected: true, Restrictions: [] },
    },
  };
  const caWholes = [
    'CASecurity end X',
    'EnabledCertTemplates end X',
    'EnrollmentAgentRestrictions through X',
    'HostingComputer end X',
  ];
  const sets = {
    UserRights: [{ Privilege: 'SeRemoteInteractiveLogonRight', Collected: true, Results: [] }],
    LocalGroups: [{ ObjectIdentifier: 'L', Name: 'L', Collected: true, Results: [] }],
    Sessions: { Collected: true, Results: [] },
  };
  const setWholes = ['LocalGroupMembers end L', 'LocalGroups end X', 'UserRights end X'];
  const group = 1;
  const acl = 64;
  const container = 128;
  const session = 8;

  const table: [type: string, members: object, methods: number, wholes: string[]][] = [
    ['groups', { Members: [], ...common }, 0, []],
    ['groups', { Members: [], ...common }, session, []],
    ['groups', { Members: [], ...common }, group, ['Members end X']],
    ['groups', { Members: [], ...common }, acl, ['Aces end X']],
    ['groups', { Members: [], ...common }, container, ['ContainedBy end X']],
    ['groups', { Members: [], ...common }, group | acl, ['Aces end X', 'Members end X']],
    ['groups', { Members: null, Aces: null, ContainedBy: null }, group | acl | container, []],
    ['groups', {}, group | acl | container, []],
    ['ous', common, container, ['ChildObjects start X', 'ContainedBy end X', 'Links end X']],
    ['domains', common, container, ['ChildObjects start X', 'Links end X']],
    ['domains', common, acl, ['Aces end X']],
    ['enterprisecas', ca, session, caWholes],
    ['enterprisecas', ca, 0, []],
    ['enterprisecas', { HostingComputer: null }, session, []],
    ['computers', sets, session, setWholes],
    ['computers', sets, 0, []],
    [
      'users',
      { PrimaryGroupSID: 'p', AllowedToDelegate: [], HasSIDHistory: [], SPNTargets: [] },
      group | acl | container,
      [],
    ],
  ];
  for (const [type, members, methods, wholes] of table) {
    it(`${type} with ${Object.keys(members).join(', ') || 'nothing'}, methods ${methods}`, () => {
      const statements = convert(type, { ObjectIdentifier: 'x', ...members }, { methods });
      assert.deepEqual(wholesOf(statements), wholes);
    });
  }
});

describe('fields', () => {
  it('have one bit each', () => {
    const bits = Object.values(Field);
    assert.equal(new Set(bits).size, bits.length);
    for (const bit of bits) assert.equal(bit & (bit - 1), 0);
    assert.ok(Math.max(...bits) < 2 ** 31);
    for (const field of fieldEnds.keys()) assert.ok(bits.includes(field));
  });
});
