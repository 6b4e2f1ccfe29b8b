import { CollectorFile } from './collector-file.ts';
import { Random } from './random.ts';

export interface TenantOptions {
  readonly path: string;
  /** About so many users, groups, applications and service principals together. */
  readonly objects: number;
  readonly seed?: number;
  onProgress?(objects: number): void;
}

export interface WrittenTenant {
  readonly files: readonly string[];
  readonly objects: number;
  /** Objects, and what relates them. */
  readonly records: number;
  readonly memberships: number;
  readonly bytes: number;
}

interface Counts {
  readonly users: number;
  readonly groups: number;
  readonly apps: number;
}

/** As the tenant that the goal is about: 100,000 users, 50,000 groups and 20,000 applications with their principals. */
export const usualObjects = 190_000;
const perUsual: Counts = { users: 100_000, groups: 50_000, apps: 20_000 };
/** Sizes of groups: mostly few members, now and then many, ten on average. */
const groupSizes = [2, 2, 3, 3, 4, 5, 6, 8, 12, 55];

const Thing = { Tenant: 0, User: 1, Group: 2, App: 3, AppObject: 4, Principal: 5 } as const;

/** Makes ids and items of one tenant; every item depends on nothing but the seed and its number. */
class Tenant {
  readonly counts: Counts;
  readonly home: { readonly tenantId: string; readonly tenantName: string };
  readonly #seed: number;

  constructor(objects: number, seed: number) {
    const scale = (count: number) => Math.max(1, Math.round((count * objects) / usualObjects));
    this.counts = {
      users: scale(perUsual.users),
      groups: scale(perUsual.groups),
      apps: scale(perUsual.apps),
    };
    this.#seed = seed;
    this.home = { tenantId: this.id(Thing.Tenant, 0), tenantName: 'Contoso' };
  }

  id(thing: number, n: number): string {
    const hex = new Random(this.#seed, 90, thing, n).hex(32).toLowerCase();
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    return parts.join('-');
  }

  random(thing: number, n: number): Random {
    return new Random(this.#seed, 91, thing, n);
  }

  object(type: string, thing: number, n: number): object {
    return { '@odata.type': `#microsoft.graph.${type}`, id: this.id(thing, n), displayName: `${type} ${n}` };
  }

  someUser(random: Random): object {
    return this.object('user', Thing.User, random.below(this.counts.users));
  }
}

/** Writes one file as AzureHound does: objects first, then who is a member or an owner of what. */
export async function writeTenant(options: TenantOptions): Promise<WrittenTenant> {
  const { path, objects, seed = 1, onProgress } = options;
  const tenant = new Tenant(objects, seed);
  const { users, groups, apps } = tenant.counts;
  const file = await CollectorFile.create(path, 'azure', { version: 5 });
  const put = async (kind: string, data: object) => {
    await file.add({ kind, data });
    if (file.objects % 1000 === 0) onProgress?.(Math.min(file.objects, objects));
  };
  const { tenantId, tenantName } = tenant.home;
  await put('AZTenant', { id: `/tenants/${tenantId}`, tenantId, displayName: tenantName, collected: true });
  for (let n = 0; n < users; n += 1) await put('AZUser', makeUser(tenant, n));
  for (let n = 0; n < groups; n += 1) await put('AZGroup', makeGroup(tenant, n));
  for (let n = 0; n < apps; n += 1) {
    await put('AZApp', makeApp(tenant, n));
    await put('AZServicePrincipal', makePrincipal(tenant, n));
  }
  const written = file.objects;
  let memberships = 0;
  for (let n = 0; n < groups; n += 1) {
    const members = makeMembers(tenant, n);
    memberships += members.length;
    const groupId = tenant.id(Thing.Group, n);
    await put('AZGroupMember', { groupId, members: members.map((member) => ({ groupId, member })) });
    const owner = tenant.someUser(tenant.random(Thing.Group, n));
    if (n % 5 === 0) await put('AZGroupOwner', { groupId, owners: [{ groupId, owner }] });
  }
  for (let n = 0; n < apps; n += 1) {
    const [appId, id] = [tenant.id(Thing.App, n), tenant.id(Thing.AppObject, n)];
    const owner = tenant.someUser(tenant.random(Thing.App, n));
    await put('AZAppOwner', { appId, owners: [{ appId: id, owner }], ...tenant.home });
  }
  await file.end();
  onProgress?.(objects);
  return { files: [path], objects: written, records: file.objects, memberships, bytes: file.bytes };
}

const titles = ['Accountant', 'Engineer', 'Buyer', 'Analyst', 'Planner', 'Nurse', 'Driver'];
const someTime = (random: Random) =>
  `20${10 + random.below(16)}-0${1 + random.below(9)}-1${random.below(10)}T03:04:05Z`;

function makeUser(tenant: Tenant, n: number): object {
  const random = tenant.random(Thing.User, n);
  const isSynced = random.chance(0.6);
  const name = `user${n}@contoso.example`;
  return {
    id: tenant.id(Thing.User, n),
    userPrincipalName: name,
    displayName: `User ${n}`,
    mail: name,
    ...(random.chance(0.9) ? { accountEnabled: true } : {}),
    createdDateTime: someTime(random),
    lastPasswordChangeDateTime: someTime(random),
    jobTitle: random.pick(titles),
    ...(isSynced
      ? { onPremisesSyncEnabled: true, onPremisesSecurityIdentifier: `S-1-5-21-1-2-3-${1000 + n}` }
      : {}),
    userType: random.chance(0.95) ? 'Member' : 'Guest',
    signInActivity: {},
    ...tenant.home,
  };
}

function makeGroup(tenant: Tenant, n: number): object {
  const random = tenant.random(Thing.Group, n);
  return {
    id: tenant.id(Thing.Group, n),
    displayName: `Group ${n}`,
    createdDateTime: someTime(random),
    ...(random.chance(0.3) ? { description: `Everyone who works on ${n}` } : {}),
    ...(random.chance(0.01) ? { isAssignableToRole: true } : {}),
    securityEnabled: true,
    securityIdentifier: `S-1-12-1-${n}-2-3-4`,
    ...tenant.home,
  };
}

function makeApp(tenant: Tenant, n: number): object {
  return {
    id: tenant.id(Thing.AppObject, n),
    appId: tenant.id(Thing.App, n),
    displayName: `App ${n}`,
    createdDateTime: someTime(tenant.random(Thing.App, n)),
    publisherDomain: 'contoso.example',
    signInAudience: 'AzureADMyOrg',
    ...tenant.home,
  };
}

function makePrincipal(tenant: Tenant, n: number): object {
  return {
    id: tenant.id(Thing.Principal, n),
    appId: tenant.id(Thing.App, n),
    displayName: `App ${n}`,
    appDisplayName: `App ${n}`,
    accountEnabled: true,
    appOwnerOrganizationId: tenant.home.tenantId,
    servicePrincipalType: 'Application',
    ...tenant.home,
  };
}

/** Mostly users, and sometimes an earlier group. Nobody twice. */
function makeMembers(tenant: Tenant, n: number): object[] {
  const { users, groups } = tenant.counts;
  const random = tenant.random(Thing.Group, n + groups);
  const wanted = Math.min(groupSizes[n % groupSizes.length] ?? 0, users);
  const first = random.below(users);
  const step = users % 97 === 0 ? 1 : 97;
  return Array.from({ length: wanted }, (_, index) =>
    index === 0 && n > 0 && random.chance(0.1)
      ? tenant.object('group', Thing.Group, random.below(n))
      : tenant.object('user', Thing.User, (first + index * step) % users),
  );
}
