import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { home, readItem, readingOf, tenant, tenantId } from '../../../../../test/collectors/azure-items.ts';
import { propertiesOf, warningsOf } from '../../../../../test/server/statements.ts';

const applicationAdministrator = '9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3';
const cloudApplicationAdministrator = '158c047a-c907-4556-b7ef-446551a6b5f7';

describe('AZRoleAssignment', () => {
  const read = (role: string, ...entries: [principal: string, scope?: string][]) => {
    const roleAssignments = entries.map(([principalId, directoryScopeId]) => ({
      ...{ roleDefinitionId: role, principalId, directoryScopeId },
    }));
    const statements = readItem('AZRoleAssignment', { tenantId, roleDefinitionId: role, roleAssignments });
    return statements.edges.map(({ start, kind, end, properties }) =>
      [start, kind, end, ...(properties.scope === undefined ? [] : [properties.scope])].join(' '),
    );
  };
  const everywhere = `P AZHasRole R1@${tenant} ${tenant}`;

  it('gives a role in the whole tenant, or says where', () => {
    assert.deepEqual(read('r1', ['p', '/']), [everywhere]);
    assert.deepEqual(read('r1', ['p', '']), [everywhere]);
    assert.deepEqual(read('r1', ['p']), [everywhere]);
    assert.deepEqual(read('r1', ['p', '/app1']), [`P AZHasRole R1@${tenant} APP1`]);
  });

  it('has one edge to a role, with the widest scope, in whatever order', () => {
    assert.deepEqual(read('r1', ['p', '/b'], ['p', '/'], ['p', '/a']), [everywhere]);
    assert.deepEqual(read('r1', ['p', '/'], ['p', '/b']), [everywhere]);
    for (const order of [
      ['/b', '/a'],
      ['/a', '/b'],
    ]) {
      const entries = order.map((scope): [string, string] => ['p', scope]);
      assert.deepEqual(read('r1', ...entries), [`P AZHasRole R1@${tenant} A`]);
    }
  });

  for (const style of ['older', 'newer'] as const) {
    const write = (id: string) => (style === 'newer' ? id.toUpperCase() : id);
    it(`gives an application to its administrators, as ${style} collectors write it`, () => {
      assert.deepEqual(read(write(applicationAdministrator), ['p', '/app1']), ['P AZAppAdmin APP1']);
      assert.deepEqual(read(write(cloudApplicationAdministrator), ['p', '/app1']), [
        'P AZCloudAppAdmin APP1',
      ]);
      assert.deepEqual(read(write(applicationAdministrator), ['p', '/']), [
        `P AZHasRole ${applicationAdministrator.toUpperCase()}@${tenant} ${tenant}`,
      ]);
    });
  }

  it('gives nothing where the scope or the role cannot be read', () => {
    const roleAssignments = [
      { roleDefinitionId: 'r1', principalId: 'p', directoryScopeId: 7 },
      { roleDefinitionId: 'r1', principalId: 'p', directoryScopeId: `/${'x'.repeat(5000)}` },
      { principalId: 'p', directoryScopeId: '/' },
      { roleDefinitionId: 'r1', principalId: 'q', directoryScopeId: null },
    ];
    const statements = readItem('AZRoleAssignment', { ...home, roleAssignments });
    assert.deepEqual(readingOf(statements).edges, [`Q AZHasRole R1@${tenant}`]);
    const warnings = warningsOf(statements).join('\n');
    for (const place of [
      /roleAssignments\[0\]\.directoryScopeId: must be a text, but is 7/,
      /roleAssignments\[1\]\.directoryScopeId: is longer/,
      /roleAssignments\[2\]\.roleDefinitionId: is missing/,
    ])
      assert.match(warnings, place);
  });

  it('names principals and scopes without a kind, and leaves out who has no id', () => {
    const roleAssignments = [
      { roleDefinitionId: applicationAdministrator, principalId: 'p', directoryScopeId: '/app1' },
      { principalId: 'q', directoryScopeId: '/' },
      { principalId: '', directoryScopeId: '/' },
    ];
    const statements = readItem('AZRoleAssignment', { ...home, roleDefinitionId: 'r1', roleAssignments });
    assert.deepEqual(readingOf(statements).named, [
      'APP1 AZBase',
      'P AZBase',
      'Q AZBase',
      `R1@${tenant} AZRole`,
    ]);
  });
});

describe('AZRoleEligibilityScheduleInstance', () => {
  const read = (directoryScopeId: unknown) =>
    readItem('AZRoleEligibilityScheduleInstance', {
      ...{ id: 'x', roleDefinitionId: 'r1', principalId: 'p', directoryScopeId, tenantId },
    });

  it('makes eligible in the whole tenant only', () => {
    const expected = {
      nodes: [],
      named: ['P AZBase', `R1@${tenant} AZRole`],
      edges: [`P AZRoleEligible R1@${tenant}`],
    };
    assert.deepEqual(readingOf(read('/')), expected);
    for (const scope of ['/app1', '', undefined]) {
      assert.deepEqual(readingOf(read(scope)), { nodes: [], named: [], edges: [] });
      assert.equal(read(scope).skipped, undefined);
    }
    assert.deepEqual(readingOf(read(7)).edges, []);
    assert.match(warningsOf(read(7)).join(), /directoryScopeId: must be a text, but is 7/);
  });
});

describe('AZRoleManagementPolicyAssignment', () => {
  const id = `R1@${tenant}`;
  const policy = { id: 'x', roleDefinitionId: 'r1', tenantId };
  const common = { roledefinitionid: 'R1', tenantid: tenant };

  it('tells what the use of a role requires', () => {
    const statements = readItem('AZRoleManagementPolicyAssignment', {
      ...{ ...policy, endUserAssignmentRequiresApproval: true, endUserAssignmentRequiresMFA: true },
      endUserAssignmentRequiresCAPAuthenticationContext: true,
      endUserAssignmentRequiresJustification: true,
      endUserAssignmentRequiresTicketInformation: true,
      endUserAssignmentUserApprovers: ['u1', 'u2'],
      endUserAssignmentGroupApprovers: ['g1'],
    });
    assert.deepEqual(readingOf(statements), { nodes: [`+${id} AZRole AZBase`], named: [], edges: [] });
    assert.deepEqual(propertiesOf(statements, id), {
      ...{ ...common, enduserassignmentrequiresapproval: true, enduserassignmentrequiresmfa: true },
      enduserassignmentrequirescapauthenticationcontext: true,
      enduserassignmentrequiresjustification: true,
      enduserassignmentrequiresticketinformation: true,
      enduserassignmentuserapprovers: ['u1', 'u2'],
      enduserassignmentgroupapprovers: ['g1'],
    });
  });

  it('requires nothing that it does not name', () => {
    const statements = readItem('AZRoleManagementPolicyAssignment', {
      ...policy,
      endUserAssignmentUserApprovers: null,
    });
    assert.deepEqual(propertiesOf(statements, id), {
      ...{ ...common, enduserassignmentrequiresapproval: false, enduserassignmentrequiresmfa: false },
      enduserassignmentrequirescapauthenticationcontext: false,
      enduserassignmentrequiresjustification: false,
      enduserassignmentrequiresticketinformation: false,
      enduserassignmentuserapprovers: [],
      enduserassignmentgroupapprovers: [],
    });
  });
});

describe('AZAppRoleAssignment', () => {
  const principalId = '11111111-aaaa-4000-8000-000000000001';
  const resourceId = '22222222-bbbb-4000-8000-000000000002';
  const [start, end] = [principalId.toUpperCase(), resourceId.toUpperCase()];
  const assignment = {
    ...{ appId: '00000003-0000-0000-c000-000000000000', appRoleId: '62a82d76-70ea-41e2-9197-370581804d09' },
    ...{ principalId, principalType: 'ServicePrincipal', principalDisplayName: 'Shop', tenantId },
    ...{ resourceId, resourceDisplayName: 'Microsoft Graph' },
  };
  const roles = [
    ['1bfefb4e-e0b5-418b-a88f-73c46d2cc8e9', 'AZMGApplication_ReadWrite_All'],
    ['06b708a9-e830-4db3-a914-8e69da51d44f', 'AZMGAppRoleAssignment_ReadWrite_All'],
    ['19dbc75e-c2e2-444c-a770-ec69d8559fc7', 'AZMGDirectory_ReadWrite_All'],
    ['62a82d76-70ea-41e2-9197-370581804d09', 'AZMGGroup_ReadWrite_All'],
    ['dbaae8cf-10b5-4b86-a4a1-f871c94c6695', 'AZMGGroupMember_ReadWrite_All'],
    ['9e3f62cf-ca93-4989-b6ce-bf83c28f9fe8', 'AZMGRoleManagement_ReadWrite_Directory'],
    ['89c8469c-83ad-45f7-8ff2-6e3d4285709e', 'AZMGServicePrincipalEndpoint_ReadWrite_All'],
    ['810c84a8-4a9e-49e6-bf7d-12d183f40d01', undefined],
  ] as const;
  for (const [appRoleId, edge] of roles) {
    it(`reads ${appRoleId} as ${edge ?? 'no edge'}, in any case`, () => {
      for (const id of [appRoleId, appRoleId.toUpperCase()]) {
        const statements = readItem('AZAppRoleAssignment', { ...assignment, appRoleId: id });
        assert.deepEqual(readingOf(statements), {
          nodes: [`${start} AZServicePrincipal AZBase`, `${end} AZServicePrincipal AZBase`],
          named: [],
          edges: edge === undefined ? [] : [`${start} ${edge} ${end}`],
        });
        assert.deepEqual(propertiesOf(statements, start), { displayname: 'SHOP', tenantid: tenant });
        assert.deepEqual(propertiesOf(statements, end), { displayname: 'MICROSOFT GRAPH', tenantid: tenant });
      }
    });
  }

  it('says nothing about users, or about roles of other applications', () => {
    for (const other of [{ principalType: 'User' }, { appId: resourceId }, { appId: undefined }]) {
      const statements = readItem('AZAppRoleAssignment', { ...assignment, ...other });
      assert.deepEqual([statements.nodes, statements.edges, statements.skipped], [[], [], undefined]);
    }
  });

  for (const member of ['appRoleId', 'principalId']) {
    it(`cannot be read when its ${member} is no UUID`, () => {
      const statements = readItem('AZAppRoleAssignment', { ...assignment, [member]: 'x1' });
      assert.deepEqual(warningsOf(statements), [`data[0].data.${member}: must be a UUID`]);
      assert.equal(statements.skipped, 'AZAppRoleAssignment');
      assert.deepEqual(statements.nodes, []);
    });
  }
});
