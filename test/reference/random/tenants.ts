import type { Node } from '../graph.ts';
import { type Short, templates } from '../tenants.ts';
import type { Sketch } from './sketch.ts';

/** What a random tenant has; some of it only mentioned, and then not contained in the tenant. */
interface Cast {
  readonly tenant: Node;
  readonly users: readonly Node[];
  readonly groups: readonly Node[];
  readonly principals: readonly Node[];
  readonly apps: readonly Node[];
  readonly devices: readonly Node[];
  readonly roles: readonly Node[];
}

const permissions = [
  'AZMGApplication_ReadWrite_All',
  'AZMGAppRoleAssignment_ReadWrite_All',
  'AZMGDirectory_ReadWrite_All',
  'AZMGGroup_ReadWrite_All',
  'AZMGGroupMember_ReadWrite_All',
  'AZMGRoleManagement_ReadWrite_Directory',
  'AZMGServicePrincipalEndpoint_ReadWrite_All',
];

/** One tenant or several, with people of a directory in them. */
export function drawTenants(sketch: Sketch, { users: people }: { readonly users: readonly Node[] }): void {
  const tenants = [1, 2, 3].slice(0, sketch.pick([1, 1, 1, 2, 2, 3]));
  const casts = tenants.map((number) => drawCast(sketch, number));
  for (const cast of casts) {
    for (const node of [...cast.users, ...cast.groups, ...cast.principals, ...cast.apps, ...cast.devices])
      if (sketch.holds()) sketch.edge(cast.tenant, 'AZContains', node);
    for (const role of cast.roles)
      if (sketch.chance(0.95)) sketch.edge(sketch.pick([cast, cast, ...casts]).tenant, 'AZContains', role);
    const guests = sketch.pick(casts).users;
    drawGroups(sketch, cast, guests);
    drawRoles(sketch, cast, guests);
    drawApprovals(sketch, cast);
    for (const permission of sketch.some(permissions, 0.3))
      for (const resource of sketch.few(cast.principals))
        sketch.edgesFrom(
          sketch.few(sketch.chance(0.8) ? cast.principals : [...cast.users, ...cast.apps]),
          permission,
          resource,
        );
    for (const user of sketch.some(cast.users, 0.4)) drawPerson(sketch, user, people);
    if (sketch.chance(0.4)) drawScopes(sketch, cast);
  }
}

function drawCast(sketch: Sketch, number: number): Cast {
  const id = `TENANT-${number}`;
  const some = (kind: string, most: number, more: () => Record<string, unknown> = () => ({})) =>
    Array.from({ length: sketch.upTo(most) }, (_, at) =>
      sketch.node(`${kind}-${number}-${at}`.toUpperCase(), [kind], { tenantid: id, ...more() }),
    );
  return {
    tenant: sketch.node(id, ['AZTenant'], {
      tenantid: id,
      name: sketch.nearly(`TENANT ${number}`, ''),
      collected: sketch.anyFlag(),
    }),
    users: some('AZUser', 5),
    groups: some('AZGroup', 4, () => ({
      isassignabletorole: sketch.pick([true, true, true, false, false, false, undefined, 'true']),
    })),
    principals: some('AZServicePrincipal', 4),
    apps: some('AZApp', 2),
    devices: some('AZDevice', 3, () => ({
      operatingsystem: sketch.pick(['WINDOWS', 'windows 11', 'MACOS', '', undefined]),
    })),
    roles: drawTemplates(sketch, id),
  };
}

function drawTemplates(sketch: Sketch, tenantid: string): Node[] {
  const shorts = Object.keys(templates) as Short[];
  const often = sketch.pick([0.1, 0.2, 0.4]);
  const found = sketch.some([...shorts, 'GA', 'PRA', 'INT', 'UA', 'RR'] as Short[], often).map((short) => {
    const templateid = sketch.pick([templates[short], templates[short].toUpperCase()]);
    const id = `${templates[short]}@${tenantid}`.toUpperCase();
    return sketch.node(id, ['AZRole'], { tenantid, templateid: sketch.nearly(templateid, '') });
  });
  if (sketch.chance(0.2)) found.push(sketch.node(`CUSTOM@${tenantid}`, ['AZRole'], { tenantid }));
  if (sketch.chance(0.1))
    found.push(sketch.node(`TWIN@${tenantid}`, ['AZRole'], { tenantid, templateid: templates.HD }));
  return [...new Set(found)];
}

function drawGroups(
  sketch: Sketch,
  { groups, users, principals, devices }: Cast,
  guests: readonly Node[],
): void {
  for (const group of groups) {
    const kinds = [users, users, groups, devices, principals, guests];
    for (const members of sketch.some(kinds, 0.4)) sketch.edgesFrom(sketch.few(members), 'AZMemberOf', group);
  }
}

function drawRoles(
  sketch: Sketch,
  { roles, groups, users, principals, devices }: Cast,
  guests: readonly Node[],
): void {
  const stub = sketch.chance(0.2) ? [sketch.node('AZSTUB', ['AZBase'])] : [];
  for (const role of roles) {
    const kinds = [users, groups, principals, guests, stub, sketch.chance(0.2) ? devices : []];
    for (const holders of sketch.some(kinds, 0.35))
      for (const holder of sketch.few(holders)) {
        if (sketch.chance(0.2)) sketch.edge(holder, 'AZRoleEligible', role);
        else sketch.edge(holder, 'AZHasRole', role);
        if (sketch.chance(0.1)) {
          sketch.edge(holder, 'AZHasRole', role);
          sketch.edge(holder, 'AZHasRole(scoped)', role);
        }
      }
  }
}

function drawApprovals(sketch: Sketch, { roles, groups, users, principals }: Cast): void {
  for (const role of sketch.some(roles, 0.3)) {
    const ids = (nodes: readonly Node[]) =>
      sketch.pick([
        undefined,
        [],
        sketch.few(nodes).map(({ objectId }) => objectId.toLowerCase()),
        ['NOBODY'],
      ]);
    sketch.describe(role, {
      enduserassignmentrequiresapproval: sketch.flag(true),
      enduserassignmentuserapprovers: ids([...users, ...principals]),
      enduserassignmentgroupapprovers: ids(groups),
    });
  }
}

function drawPerson(sketch: Sketch, user: Node, people: readonly Node[]): void {
  const id = people.length === 0 ? 'NOBODY' : sketch.pick(people).objectId;
  sketch.describe(user, {
    onpremsyncenabled: sketch.flag(true),
    onpremid: sketch.nearly(sketch.pick([id, id.toLowerCase()]), '', 'NOBODY', user.objectId),
  });
}

/** What holds resources, for zones; now and then something that is in the directory as well. */
function drawScopes(sketch: Sketch, { tenant, users, roles, principals, apps }: Cast): void {
  const belongs = { tenantid: tenant.objectId };
  const own = (kind: string, kinds: readonly string[] = [kind], more = {}) =>
    sketch.node(`${kind}-OF-${tenant.objectId}`.toUpperCase(), kinds, { ...belongs, ...more });
  const group = own('AZManagementGroup', ['AZManagementGroup'], {
    displayname: sketch.nearly('Root group', ''),
  });
  const subscription = own('AZSubscription');
  const resources = own('AZResourceGroup');
  const machine = own('AZVM', sketch.chance(0.2) ? ['AZVM', 'Base'] : ['AZVM']);
  if (sketch.holds()) sketch.edge(tenant, 'AZContains', group);
  if (sketch.holds()) sketch.edge(group, 'AZContains', subscription);
  if (sketch.holds()) sketch.edge(subscription, 'AZContains', resources);
  if (sketch.holds()) sketch.edge(resources, 'AZContains', machine);
  if (sketch.chance(0.1)) sketch.edge(machine, 'AZContains', sketch.pick([machine, subscription, ...users]));
  for (const role of sketch.some(roles, 0.1))
    sketch.edge(sketch.pick([machine, resources, subscription, group]), 'AZHasRole', role);
  for (const app of apps) sketch.edge(app, 'AZRunsAs', sketch.pick([...principals, ...users, machine]));
}
