import { asUser, departmentOf, mira, peopleOf } from './accounts.ts';
import { corp, guid, tenant } from './domain.ts';
import { isOn, story } from './story.ts';

const inTenant = { tenantId: tenant.id, tenantName: tenant.name };
const globalAdministrator = '62e90394-69f5-4237-9190-012177145e10';
const applicationAdministrator = '9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3';

const cloudId = (name: string) => guid(`${name} in ${tenant.name}`);
const payroll = { displayName: 'PAYROLL', appId: cloudId('app PAYROLL'), id: cloudId('service of PAYROLL') };
const owner = (id: string) => ({ owner: { id, '@odata.type': '#microsoft.graph.user' } });

/** What a collector of the cloud says of the tenant: some of the staff, and the application of the payroll. */
export function makeTenant(day: number): object[] {
  const staff = [...peopleOf(corp, day).slice(0, 40), mira];
  const [developer] = departmentOf(corp, day, 'Engineering');
  const owners =
    developer !== undefined && isOn(story.ownedApplication, day) ? [owner(cloudId(developer.name))] : [];
  const role = (id: string, displayName: string) => ({
    kind: 'AZRole',
    data: { id, templateId: id, displayName, isEnabled: true, isBuiltIn: true, ...inTenant },
  });
  const assignment = (roleDefinitionId: string, principalId: string) => ({
    kind: 'AZRoleAssignment',
    data: {
      roleDefinitionId,
      ...inTenant,
      roleAssignments: [{ roleDefinitionId, principalId, directoryScopeId: '/' }],
    },
  });
  return [
    { kind: 'AZTenant', data: { tenantId: tenant.id, displayName: tenant.name, collected: true } },
    ...staff.map((account) => ({
      kind: 'AZUser',
      data: {
        id: cloudId(account.name),
        userPrincipalName: `${account.name}@corp.example`,
        displayName: account.name,
        accountEnabled: true,
        onPremisesSecurityIdentifier: asUser(account).ObjectIdentifier,
        onPremisesSyncEnabled: true,
        userType: 'Member',
        ...inTenant,
      },
    })),
    { kind: 'AZApp', data: { ...payroll, publisherDomain: tenant.name, ...inTenant } },
    {
      kind: 'AZServicePrincipal',
      data: { ...payroll, accountEnabled: true, appOwnerOrganizationId: tenant.id, ...inTenant },
    },
    { kind: 'AZAppOwner', data: { appId: payroll.appId, owners } },
    role(globalAdministrator, 'Global Administrator'),
    role(applicationAdministrator, 'Application Administrator'),
    assignment(globalAdministrator, cloudId(mira.name)),
    assignment(applicationAdministrator, payroll.id),
  ];
}
