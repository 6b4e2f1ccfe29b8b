import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { home, readItem, readingOf, tenant, tenantId } from '../../../../../test/collectors/azure-items.ts';
import { propertiesOf, warningsOf } from '../../../../../test/server/statements.ts';

const zeroDate = '0001-01-01T00:00:00Z';
const date = '2024-02-03T04:05:06.789Z';

interface Case {
  readonly kind: string;
  readonly data: object;
  readonly id: string;
  /** Besides the tenant. */
  readonly full: object;
  readonly empty: object;
  readonly emptyData?: object;
}

const cases: readonly Case[] = [
  {
    kind: 'AZUser',
    data: {
      ...{ id: 'a1', userPrincipalName: 'ann@contoso.com', accountEnabled: true, createdDateTime: date },
      ...{ displayName: 'Ann', jobTitle: 'Boss', lastPasswordChangeDateTime: date, mail: 'a@contoso.com' },
      ...{ onPremisesSecurityIdentifier: 'S-1-5-21-1', onPremisesSyncEnabled: true, userType: 'Member' },
      signInActivity: { lastSuccessfulSignInDateTime: date },
    },
    id: 'A1',
    full: {
      ...{ name: 'ANN@CONTOSO.COM', userprincipalname: 'ann@contoso.com', enabled: true, whencreated: date },
      ...{ displayname: 'Ann', title: 'Boss', pwdlastset: date, email: 'a@contoso.com' },
      ...{ onpremid: 'S-1-5-21-1', onpremsyncenabled: true, usertype: 'Member' },
      lastsuccessfulsignindatetime: date,
    },
    empty: {
      ...{ userprincipalname: '', enabled: false, whencreated: zeroDate, displayname: '', title: '' },
      ...{ pwdlastset: zeroDate, email: '', onpremid: '', onpremsyncenabled: false, usertype: '' },
    },
  },
  {
    kind: 'AZGroup',
    data: {
      ...{ id: 'a1', displayName: 'Crew', createdDateTime: date, description: 'D', isAssignableToRole: true },
      ...{ onPremisesSecurityIdentifier: 'S-1-5-21-1', onPremisesSyncEnabled: true, securityEnabled: true },
      securityIdentifier: 'S-1-12-1',
    },
    id: 'A1',
    full: {
      ...{ name: 'CREW@CONTOSO', displayname: 'Crew', whencreated: date, description: 'D' },
      ...{ isassignabletorole: true, onpremid: 'S-1-5-21-1', onpremsyncenabled: true },
      ...{ securityenabled: true, securityidentifier: 'S-1-12-1' },
    },
    empty: {
      ...{ displayname: '', whencreated: zeroDate, description: '', isassignabletorole: false, onpremid: '' },
      ...{ onpremsyncenabled: false, securityenabled: false, securityidentifier: '' },
    },
  },
  {
    kind: 'AZDevice',
    data: {
      ...{ id: 'a1', displayName: 'Pc', operatingSystem: 'Windows', operatingSystemVersion: '10' },
      ...{ deviceId: 'd1', trustType: 'AzureAd' },
    },
    id: 'A1',
    full: {
      ...{ name: 'PC@CONTOSO', displayname: 'Pc', operatingsystem: 'WINDOWS', operatingsystemversion: '10' },
      ...{ deviceid: 'd1', trustype: 'AzureAd' },
    },
    empty: { displayname: '', operatingsystem: '', operatingsystemversion: '', deviceid: '', trustype: '' },
  },
  {
    kind: 'AZApp',
    data: {
      ...{ id: 'directory-id', appId: 'b2', displayName: 'Shop', publisherDomain: 'contoso.com' },
      ...{ description: 'D', createdDateTime: date, signInAudience: 'AzureADMyOrg' },
    },
    id: 'B2',
    full: {
      ...{ name: 'SHOP@CONTOSO.COM', displayname: 'Shop', appid: 'b2', publisherdomain: 'contoso.com' },
      ...{ description: 'D', whencreated: date, signinaudience: 'AzureADMyOrg' },
    },
    emptyData: { appId: 'b2' },
    empty: {
      ...{ displayname: '', appid: 'b2', publisherdomain: '', description: '', whencreated: zeroDate },
      signinaudience: '',
    },
  },
  {
    kind: 'AZServicePrincipal',
    data: {
      ...{ id: 'a1', displayName: 'Shop', accountEnabled: true, description: 'D', loginUrl: 'https://x' },
      ...{ appOwnerOrganizationId: 'o1', appDescription: 'AD', appDisplayName: 'The shop' },
      servicePrincipalType: 'Application',
    },
    id: 'A1',
    full: {
      ...{
        name: 'SHOP@CONTOSO',
        displayname: 'Shop',
        enabled: true,
        description: 'D',
        loginurl: 'https://x',
      },
      ...{ appownerorganizationid: 'o1', appdescription: 'AD', appdisplayname: 'The shop' },
      serviceprincipaltype: 'Application',
    },
    empty: {
      ...{ displayname: '', enabled: false, description: '', loginurl: '', appownerorganizationid: '' },
      ...{ appdescription: '', appdisplayname: '', serviceprincipaltype: '' },
    },
  },
  {
    kind: 'AZRole',
    data: {
      ...{ id: 'a1', templateId: 'a1', displayName: 'Admin', description: 'D' },
      ...{ isEnabled: true, isBuiltIn: true },
    },
    id: `A1@${tenant}`,
    full: {
      ...{ name: 'ADMIN@CONTOSO', displayname: 'Admin', templateid: 'a1', description: 'D' },
      ...{ enabled: true, isbuiltin: true },
    },
    empty: { displayname: '', templateid: '', description: '', enabled: false, isbuiltin: false },
  },
];

describe('objects of a tenant', () => {
  for (const { kind, data, id, full, empty, emptyData = { id: 'a1' } } of cases) {
    it(`reads all of ${kind}`, () => {
      const statements = readItem(kind, { ...data, ...home });
      assert.deepEqual(readingOf(statements), {
        nodes: [`+${id} ${kind} AZBase`],
        named: [`${tenant} AZTenant`],
        edges: [`${tenant} AZContains ${id}`],
      });
      assert.deepEqual(propertiesOf(statements, id), { ...full, tenantid: tenant });
      assert.deepEqual([statements.skipped, statements.warnings, statements.wholes], [undefined, [], []]);
      assert.deepEqual(statements.edges[0]?.properties, {});
    });

    it(`reads ${kind} with nothing but its id as empty`, () => {
      const statements = readItem(kind, { ...emptyData, tenantId });
      assert.deepEqual(propertiesOf(statements, id), { ...empty, tenantid: tenant });
    });
  }

  it('reads the tenant by its own id, and marks the one that was collected', () => {
    const data = { id: `/tenants/${tenantId}`, tenantId, displayName: 'Contoso' };
    const collected = readItem('AZTenant', { ...data, collected: true });
    const common = { name: 'CONTOSO', displayname: 'Contoso', tenantid: tenant };
    assert.deepEqual(readingOf(collected), { nodes: [`+${tenant} AZTenant AZBase`], named: [], edges: [] });
    assert.deepEqual(propertiesOf(collected, tenant), { ...common, collected: true });
    const other = readItem('AZTenant', { ...data, collected: false });
    assert.deepEqual(propertiesOf(other, tenant), common);
  });

  it('states no tenant without an id, and no "@" without a name for it', () => {
    const statements = readItem('AZGroup', { id: 'a1', displayName: 'Crew' });
    assert.deepEqual(readingOf(statements), { nodes: ['+A1 AZGroup AZBase'], named: [], edges: [] });
    const { name, tenantid } = propertiesOf(statements, 'A1');
    assert.deepEqual([name, tenantid], ['CREW', undefined]);
  });

  it('takes what is no date of the collector for none', () => {
    const created = (createdDateTime: unknown) =>
      propertiesOf(readItem('AZGroup', { id: 'a1', createdDateTime }), 'A1').whencreated;
    assert.equal(created('2024-02-03T04:05:06Z'), '2024-02-03T04:05:06Z');
    for (const value of ['2024-02-03', '2024-02-03T04:05:06+01:00', '2024-13-03T04:05:06Z', '', null]) {
      assert.equal(created(value), zeroDate, String(value));
    }
  });

  it('leaves out a member of another type, and says where it is', () => {
    const statements = readItem('AZGroup', { id: 'a1', displayName: 5, securityEnabled: 'yes' });
    const properties = propertiesOf(statements, 'A1');
    assert.deepEqual([properties.displayname, properties.securityenabled], [undefined, undefined]);
    assert.equal(statements.skipped, undefined);
    assert.deepEqual(warningsOf(statements), [
      'data[0].data.displayName: must be a text, but is 5',
      'data[0].data.securityEnabled: must be true or false, but is the text "yes"',
    ]);
  });

  describe('a service principal', () => {
    const principal = { id: 'a1', appId: 'b2', ...home };

    it('runs an application, of which it tells in passing', () => {
      const owner = { appDisplayName: 'Shop', appOwnerOrganizationId: 'f8cd' };
      const statements = readItem('AZServicePrincipal', { ...principal, ...owner });
      assert.deepEqual(readingOf(statements), {
        nodes: ['+A1 AZServicePrincipal AZBase', 'B2 AZApp AZBase'],
        named: [`${tenant} AZTenant`],
        edges: [`${tenant} AZContains A1`, 'B2 AZRunsAs A1'],
      });
      assert.deepEqual(propertiesOf(statements, 'B2'), { displayname: 'Shop', tenantid: 'F8CD' });
    });

    it('says nothing about an application that belongs nowhere, such as a managed identity', () => {
      const statements = readItem('AZServicePrincipal', principal);
      assert.deepEqual(propertiesOf(statements, 'B2'), {});
      assert.deepEqual(readingOf(statements).named, [`${tenant} AZTenant`, 'B2 AZApp'].sort());
    });
  });

  it('reads every credential of an application', () => {
    const fic = { id: 'f1', name: 'github', issuer: 'I', subject: 'S', audiences: ['x'], description: 'D' };
    const fics = [
      { appId: 'b2', fic },
      { appId: 'b2', fic: {} },
      { appId: 'x' },
      { appId: '', fic: { id: 'f2' } },
    ];
    const statements = readItem('AZFederatedIdentityCredential', { appId: 'b2', ...home, fics });
    assert.deepEqual(readingOf(statements), {
      nodes: ['F1 AZFederatedIdentityCredential AZBase', 'F2 AZFederatedIdentityCredential AZBase'],
      named: ['B2 AZApp'],
      edges: ['F1 AZAuthenticatesTo B2'],
    });
    const { id: _, ...rest } = fic;
    assert.deepEqual(propertiesOf(statements, 'F1'), { ...rest, name: 'GITHUB@CONTOSO', tenantid: tenant });
    assert.deepEqual(propertiesOf(statements, 'F2').audiences, []);
  });

  it('reads credentials of an unknown tenant by their own names', () => {
    const fics = [{ appId: 'b2', fic: { id: 'f1', name: 'github' } }];
    const properties = propertiesOf(readItem('AZFederatedIdentityCredential', { fics }), 'F1');
    assert.deepEqual([properties.name, 'tenantid' in properties], ['GITHUB', false]);
  });
});

describe('members and owners', () => {
  const object = (id: string, type: string) => ({ id, '@odata.type': `#microsoft.graph.${type}` });
  const kinds = [
    ['AZGroupMember', 'groupId', 'members', 'member', 'AZGroup', 'AZMemberOf'],
    ['AZGroupOwner', 'groupId', 'owners', 'owner', 'AZGroup', 'AZOwns'],
    ['AZDeviceOwner', 'deviceId', 'owners', 'owner', 'AZDevice', 'AZOwns'],
    ['AZAppOwner', 'appId', 'owners', 'owner', 'AZApp', 'AZOwns'],
    ['AZServicePrincipalOwner', 'servicePrincipalId', 'owners', 'owner', 'AZServicePrincipal', 'AZOwns'],
  ] as const;
  for (const [kind, idMember, list, element, target, edge] of kinds) {
    it(`are read from ${kind}`, () => {
      const objects = [
        object('u', 'user'),
        object('g', 'group'),
        object('p', 'servicePrincipal'),
        object('d', 'device'),
        object('c', 'orgContact'),
        object('', 'user'),
      ];
      const entries = objects.map((one) => ({ [idMember]: 'inner', [element]: one }));
      const statements = readItem(kind, { [idMember]: 't1', [list]: [...entries, null] });
      assert.deepEqual(readingOf(statements), {
        nodes: [],
        named: ['D AZDevice', 'G AZGroup', 'P AZServicePrincipal', `T1 ${target}`, 'U AZUser'],
        edges: ['U', 'G', 'P', 'D'].map((id) => `${id} ${edge} T1`),
      });
      assert.deepEqual(warningsOf(statements), [
        `data[0].data.${list}[6]: must be an object, but is null`,
        `data[0].data.${list}: has 1 that are not users, groups, service principals or devices; they are left out`,
      ]);
      assert.equal(statements.skipped, undefined);
      assert.deepEqual(readingOf(readItem(kind, { [idMember]: 't1', [list]: null })).edges, []);
    });
  }
});
