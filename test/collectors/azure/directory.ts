import type { AzureData } from '../azure-wire.ts';
import type { TenantSketch } from './sketch.ts';

export const graphAppId = '00000003-0000-0000-c000-000000000000';
/** Where Microsoft's own applications belong. */
const microsoft = 'f8cdef31-a31e-4b4a-93e4-5f571e91255a';
/** Service principals besides those of the tenant's applications. */
export const graphNumber = 100_000;
/** Identities of resources: those with an even number are the resource's own, the others are shared. */
export const identityCount = 4;

const typed = (type: string, id: string) => ({ id, '@odata.type': `#microsoft.graph.${type}` });

export function putDirectory(sketch: TenantSketch): void {
  const { tenantId, tenantName } = sketch;
  sketch.put('AZTenant', { id: `/tenants/${tenantId}`, tenantId, displayName: tenantName, collected: true });
  const partner = sketch.id('tenant', 1);
  sketch.put('AZTenant', { id: `/tenants/${partner}`, tenantId: partner, displayName: 'Partner' });
  for (let n = 0; n < sketch.size.users; n += 1) sketch.put('AZUser', user(sketch, n));
  for (let n = 0; n < sketch.size.groups; n += 1) sketch.put('AZGroup', group(sketch, n));
  for (let n = 0; n < sketch.size.devices; n += 1) sketch.put('AZDevice', device(sketch, n));
  for (let n = 0; n < sketch.size.apps; n += 1) putApp(sketch, n);
  sketch.put('AZServicePrincipal', {
    ...{ id: sketch.id('principal', graphNumber), appId: graphAppId, accountEnabled: true, ...sketch.home },
    ...{ displayName: 'Microsoft Graph', appDisplayName: 'Microsoft Graph' },
    ...{ appOwnerOrganizationId: microsoft, servicePrincipalType: 'Application' },
  });
  for (let n = 0; n < identityCount; n += 1) {
    sketch.put('AZServicePrincipal', {
      ...{ id: sketch.id('identity', n), appId: sketch.id('identityClient', n), accountEnabled: true },
      ...{ displayName: `Identity ${n}`, servicePrincipalType: 'ManagedIdentity', ...sketch.home },
    });
  }
  for (let n = 0; n < sketch.size.groups; n += 1) putGroupRelations(sketch, n);
  for (let n = 0; n < sketch.size.devices; n += 1) putDeviceOwner(sketch, n);
}

function user(sketch: TenantSketch, n: number): AzureData {
  const isSynced = n % 3 === 0;
  return {
    ...{ id: sketch.id('user', n), userPrincipalName: `User${n}@contoso.example`, displayName: `User ${n}` },
    ...{
      accountEnabled: n % 5 !== 4,
      createdDateTime: '2023-01-02T03:04:05Z',
      jobTitle: n === 1 ? 'Chief' : '',
    },
    ...{
      lastPasswordChangeDateTime: n === 2 ? '' : '2024-01-02T03:04:05.5Z',
      mail: `user${n}@contoso.example`,
    },
    ...{ onPremisesSecurityIdentifier: isSynced ? `S-1-5-21-1-2-3-${1100 + n}` : '' },
    ...{ onPremisesSyncEnabled: isSynced, userType: n % 7 === 6 ? 'Guest' : 'Member', ...sketch.home },
    signInActivity: n === 0 ? { lastSuccessfulSignInDateTime: '2024-05-06T07:08:09Z' } : {},
  };
}

function group(sketch: TenantSketch, n: number): AzureData {
  return {
    ...{ id: sketch.id('group', n), displayName: `Group ${n}`, createdDateTime: '2023-01-02T03:04:05Z' },
    ...{ description: n === 1 ? 'Some group' : '', isAssignableToRole: n % 3 === 0, securityEnabled: true },
    ...{ securityIdentifier: `S-1-12-1-${n}`, ...sketch.home },
  };
}

function device(sketch: TenantSketch, n: number): AzureData {
  return {
    ...{ id: sketch.id('device', n), deviceId: sketch.id('other', n), displayName: `Device ${n}` },
    ...{ operatingSystem: n % 2 === 0 ? 'Windows' : 'MacMDM', operatingSystemVersion: '10.0' },
    ...{ trustType: 'AzureAd', ...sketch.home },
  };
}

function putDeviceOwner(sketch: TenantSketch, n: number): void {
  const deviceId = sketch.id('device', n);
  const owner = typed('user', sketch.id('user', n % Math.max(sketch.size.users, 1)));
  sketch.put('AZDeviceOwner', { deviceId, owners: [{ deviceId, owner }] });
}

function putApp(sketch: TenantSketch, n: number): void {
  const { random, size, tenantId } = sketch;
  const [appId, objectId, principal] = [
    sketch.id('app', n),
    sketch.id('appObject', n),
    sketch.id('principal', n),
  ];
  sketch.put('AZApp', {
    ...{ id: objectId, appId, displayName: `App ${n}`, publisherDomain: 'contoso.example', ...sketch.home },
    ...{ createdDateTime: '2023-01-02T03:04:05Z', signInAudience: 'AzureADMyOrg' },
  });
  sketch.put('AZServicePrincipal', {
    ...{ id: principal, appId, displayName: `App ${n}`, appDisplayName: `App ${n}`, accountEnabled: true },
    ...{ appOwnerOrganizationId: tenantId, servicePrincipalType: 'Application', ...sketch.home },
  });
  const owner = () => typed('user', sketch.id('user', random.below(Math.max(size.users, 1))));
  sketch.put('AZAppOwner', { appId, owners: [{ appId: objectId, owner: owner() }], ...sketch.home });
  sketch.put('AZServicePrincipalOwner', {
    servicePrincipalId: principal,
    owners: [{ servicePrincipalId: principal, owner: owner() }],
  });
  if (n % 2 === 1) return;
  const fic = {
    ...{ id: sketch.id('credential', n), name: `repo-${n}`, issuer: 'https://issuer.example' },
    ...{ subject: `repo:contoso/${n}`, audiences: ['api://AzureADTokenExchange'] },
  };
  sketch.put('AZFederatedIdentityCredential', { appId, fics: [{ appId, fic }], ...sketch.home });
}

function putGroupRelations(sketch: TenantSketch, n: number): void {
  const { size } = sketch;
  const groupId = sketch.id('group', n);
  const members = [
    ...sketch.some(6, size.users).map((number) => typed('user', sketch.id('user', number))),
    // Only into later ones, so that most are no circles.
    ...(n > 0 ? sketch.some(1, n).map((number) => typed('group', sketch.id('group', number))) : []),
    ...sketch.some(1, size.apps).map((number) => typed('servicePrincipal', sketch.id('principal', number))),
    ...sketch.some(1, size.devices).map((number) => typed('device', sketch.id('device', number))),
  ];
  const owners = sketch.some(2, size.users).map((number) => typed('user', sketch.id('user', number)));
  sketch.put('AZGroupMember', { groupId, members: members.map((member) => ({ groupId, member })) });
  sketch.put('AZGroupOwner', { groupId, owners: owners.map((owner) => ({ groupId, owner })) });
}
