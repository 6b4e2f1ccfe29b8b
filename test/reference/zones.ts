import { isAdminSdHolder } from './domains.ts';
import { type Graph, isA, isFalse, isTrue, type Node, reach, text, union } from './graph.ts';

/** A zone of object ids, besides Tier Zero. */
export interface Zone {
  readonly tagId: number;
  /** The lower, the more privileged. */
  readonly position: number;
  readonly objectIds: readonly string[];
}

const tierZeroGroups = [
  'S-1-5-32-544',
  'S-1-5-32-551',
  '-512',
  '-519',
  '-518',
  '-516',
  '-527',
  '-526',
  'S-1-5-9',
  'S-1-5-32-548',
  'S-1-5-32-549',
  'S-1-5-32-550',
  '-517',
  'S-1-5-32-569',
  'S-1-5-32-562',
  'S-1-5-32-559',
  'S-1-5-32-557',
];

const tierZeroGroupNames = ['EXCHANGE TRUSTED SUBSYSTEM@', 'EXCHANGE WINDOWS PERMISSIONS@', 'DNSADMINS@'];

const tierZeroKinds = [
  'Domain',
  'AZTenant',
  'NTAuthStore',
  'RootCA',
  'AIACA',
  'EnterpriseCA',
  'CertTemplate',
];

const tierZeroRoles = [
  '62E90394-69F5-4237-9190-012177145E10',
  'E00E864A-17C5-4A4B-9C06-F5B95A8D5BD8',
  '7BE44C8A-ADAF-4E2A-84D6-AB2649E08A13',
  'E8611AB8-C189-46E8-94E1-60213AB1F814',
  '9B895D92-2CD3-44C7-9D02-A6AC2D5EA5C3',
  'B5A8DCF3-09D5-43A9-A639-8E29EF291470',
  '3A2C62DB-5318-420D-8D74-23AFFEE5D9D5',
  '194AE4CB-B126-40B2-BD5B-6091B380977D',
];

/** What the default selectors of Tier Zero choose. */
export function isSelectedForTierZero(graph: Graph, node: Node): boolean {
  const id = node.objectId;
  const name = text(node, 'name')?.toUpperCase() ?? '';
  return (
    isA(node, ...tierZeroKinds) ||
    isAdminSdHolder(graph, node) ||
    (isA(node, 'Group') &&
      (tierZeroGroups.some((ending) => id.endsWith(ending)) ||
        tierZeroGroupNames.some((beginning) => name.startsWith(beginning)))) ||
    (isA(node, 'User') && (id.endsWith('-500') || id.endsWith('-502'))) ||
    (isA(node, 'Computer') && isTierZeroComputer(graph, node)) ||
    (isA(node, 'AZRole') && tierZeroRoles.some((role) => id.startsWith(`${role}@`)))
  );
}

function isTierZeroComputer(graph: Graph, computer: Node): boolean {
  const groups = reach([computer], (node) => graph.ends(node, 'MemberOf'));
  const hosted = [...graph.ends(computer, 'HostsCAService')];
  return (
    [...groups].some((group) => isA(group, 'Group') && group.objectId.endsWith('-521')) ||
    isTrue(computer, 'isreadonlydc') ||
    hosted.some((ca) => isA(ca, 'EnterpriseCA')) ||
    text(computer, 'samaccountname')?.toUpperCase() === 'AZUREADSSOACC$'
  );
}

/** What is chosen, what that holds, and then what holds all of that. */
export function expandZone(graph: Graph, selected: Iterable<Node>): Set<Node> {
  const members = union(
    selected,
    reach(selected, (node) => childrenOf(graph, node)),
  );
  return union(members, parentsOf(graph, members));
}

function childrenOf(graph: Graph, node: Node): Set<Node> {
  return union(
    isA(node, 'Group') ? graph.starts(node, 'MemberOf') : [],
    isA(node, 'OU', 'Container') ? graph.ends(node, 'Contains') : [],
    isA(node, 'AZGroup') ? graph.starts(node, 'AZMemberOf') : [],
    isA(node, 'AZResourceGroup', 'AZManagementGroup', 'AZSubscription') ? graph.ends(node, 'AZContains') : [],
    isA(node, 'AZRole') ? graph.starts(node, 'AZHasRole', 'AZRoleEligible') : [],
  );
}

/** What is of both worlds counts as the directory's. */
function parentsOf(graph: Graph, members: ReadonlySet<Node>): Set<Node> {
  const directory = [...members].filter((member) => isA(member, 'Base'));
  const azure = [...members].filter((member) => isA(member, 'AZBase') && !isA(member, 'Base'));
  return union(parentsInDirectory(graph, directory), parentsInAzure(graph, azure));
}

function parentsInDirectory(graph: Graph, members: readonly Node[]): Set<Node> {
  const above = reach(members, (node) => graph.starts(node, 'Contains'));
  const units = [...above].filter((node) => isA(node, 'OU'));
  const policies = [...members, ...units]
    .flatMap((node) => [...graph.starts(node, 'GPLink')])
    .filter((node) => isA(node, 'GPO'));
  const open = members.filter((member) => isFalse(member, 'isaclprotected'));
  const containers = [...reach(open, (node) => graph.starts(node, 'Contains'))].filter((node) =>
    isA(node, 'Container'),
  );
  return union(units, policies, containers);
}

function parentsInAzure(graph: Graph, members: readonly Node[]): Set<Node> {
  const scopes = [...reach(members, (node) => graph.starts(node, 'AZContains'))].filter((node) =>
    isA(node, 'AZSubscription', 'AZResourceGroup', 'AZManagementGroup'),
  );
  const apps = members
    .filter((member) => isA(member, 'AZServicePrincipal'))
    .flatMap((member) => [...graph.starts(member, 'AZRunsAs')])
    .filter((node) => isA(node, 'AZApp'));
  return union(scopes, apps);
}

/** A node is in one zone at most: the most privileged of those that claim it. */
export function zonesOf(graph: Graph, tierZero: { tagId: number; position: number }, zones: readonly Zone[]) {
  const claims = [
    { ...tierZero, members: [...graph.nodes.values()].filter((node) => isSelectedForTierZero(graph, node)) },
    ...zones.map((zone) => ({
      ...zone,
      members: zone.objectIds.flatMap((id) => graph.find(id) ?? []),
    })),
  ].map(({ tagId, position, members }) => ({ tagId, position, members: expandZone(graph, members) }));
  const tags = new Map<Node, number>();
  for (const node of graph.nodes.values()) {
    const [best] = claims.filter(({ members }) => members.has(node)).sort((a, b) => a.position - b.position);
    if (best) tags.set(node, best.tagId);
  }
  return tags;
}
