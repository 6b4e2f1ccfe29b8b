import { type Graph, intersection, isA, isFalse, isTrue, type Node, text, union } from './graph.ts';

/** Templates of roles by short names, written down a second time. */
export const templates = {
  GA: '62e90394-69f5-4237-9190-012177145e10',
  PRA: 'e8611ab8-c189-46e8-94e1-60213ab1f814',
  PAA: '7be44c8a-adaf-4e2a-84d6-ab2649e08a13',
  PT2: 'e00e864a-17c5-4a4b-9c06-f5b95a8d5bd8',
  PT1: '4ba39ca4-527c-499a-b93d-d9b492c50246',
  HD: '729827e3-9c14-49f7-bb1b-9608f156bbb8',
  AUTH: 'c4e39bd9-1100-46d3-8c65-fb160da0071f',
  UA: 'fe930be7-5e62-47db-91af-98c3a49a38b1',
  PW: '966707d0-3269-4727-9be2-8c3a10f19b9d',
  APP: '9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3',
  CAPP: '158c047a-c907-4556-b7ef-446551a6b5f7',
  HYB: '8ac3fc64-6eca-42ea-9e69-59f4c7b60eb2',
  DSA: 'd29b2b05-8046-44ba-8758-1e26182fcf32',
  GRP: 'fdd7a751-b60b-444a-984c-02652fe8fa1c',
  DW: '9360feb5-f418-4baa-8175-e2a00bac4301',
  IGA: '45d8d3c5-c802-45c6-b32a-1d70b5e1e86e',
  INT: '3a2c62db-5318-420d-8d74-23affee5d9d5',
  KA: 'b5a8dcf3-09d5-43a9-a639-8e29ef291470',
  KM: '744ec460-397e-42ad-a462-8b3f9747a02c',
  RR: '4a5d8f65-41da-4de4-8968-e035b65339cf',
  MCR: '790c1fb9-7f7d-4f88-86a1-ef1f95c05c1b',
  GI: '95e79109-95c0-4d8e-aee3-d01accf2d47b',
  DR: '88d8e3e3-8f55-4a1e-953a-9b9898b8876b',
  USR: '75934031-6c7e-415a-99d7-48dbd49e875e',
  SEC: '194ae4cb-b126-40b2-bd5b-6091b380977d',
} as const;

export type Short = keyof typeof templates;

/** What a tenant contains itself, of one of the kinds. */
export function contained(graph: Graph, tenant: Node, ...kinds: string[]): Node[] {
  return [...graph.ends(tenant, 'AZContains')].filter((node) => isA(node, ...kinds));
}

export function rolesOf(graph: Graph, tenant: Node, ...shorts: Short[]): Node[] {
  return contained(graph, tenant, 'AZRole').filter((role) =>
    shorts.some((short) => templates[short] === text(role, 'templateid')?.toLowerCase()),
  );
}

/** Who has the role: users and service principals, and groups that may have roles, with their direct members. */
export function holdersOf(graph: Graph, role: Node): Set<Node> {
  const inPart = graph.starts(role, 'AZHasRole(scoped)');
  const given = [...graph.starts(role, 'AZHasRole')].filter((node) => !inPart.has(node));
  const groups = given.filter((node) => isA(node, 'AZGroup') && isTrue(node, 'isassignabletorole'));
  return union(
    given.filter(isIdentity),
    groups.filter((group) => countsItself(graph, group)),
    groups.flatMap((group) => [...graph.starts(group, 'AZMemberOf')].filter(isIdentity)),
  );
}

function isIdentity(node: Node): boolean {
  return isA(node, 'AZUser', 'AZServicePrincipal');
}

/** Unless there is somebody in it, but nobody who could use the role. */
function countsItself(graph: Graph, group: Node): boolean {
  const others = [...graph.starts(group, 'AZMemberOf')].filter((member) => !isA(member, 'AZGroup'));
  return others.length === 0 || others.some(isIdentity);
}

/** Who has one of the roles. */
export function has(graph: Graph, tenant: Node, ...shorts: Short[]): Set<Node> {
  return union(...rolesOf(graph, tenant, ...shorts).map((role) => holdersOf(graph, role)));
}

/** Users without any role. */
export function free(graph: Graph, tenant: Node): Node[] {
  const holders = union(...contained(graph, tenant, 'AZRole').map((role) => holdersOf(graph, role)));
  return contained(graph, tenant, 'AZUser').filter((user) => !holders.has(user));
}

/** Users with at least one of the roles, and with no other. */
export function only(graph: Graph, tenant: Node, ...shorts: Short[]): Set<Node> {
  const listed = rolesOf(graph, tenant, ...shorts);
  const others = contained(graph, tenant, 'AZRole').filter((role) => !listed.includes(role));
  const holdersOfOthers = union(...others.map((role) => holdersOf(graph, role)));
  const users = intersection(contained(graph, tenant, 'AZUser'), has(graph, tenant, ...shorts));
  return new Set([...users].filter((user) => !holdersOfOthers.has(user)));
}

/** Users that are in a group which may have roles, whether it has one or not. */
export function inAssignableGroups(graph: Graph, tenant: Node): Set<Node> {
  const groups = contained(graph, tenant, 'AZGroup').filter((group) => isTrue(group, 'isassignabletorole'));
  const members = union(...groups.map((group) => graph.starts(group, 'AZMemberOf')));
  return intersection(contained(graph, tenant, 'AZUser'), members);
}

/** Groups of which it is known that they can't have roles. */
export function ordinaryGroups(graph: Graph, tenant: Node): Node[] {
  return contained(graph, tenant, 'AZGroup').filter((group) => isFalse(group, 'isassignabletorole'));
}
