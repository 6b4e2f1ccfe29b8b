import { environment, type Graph, isA, isTrue, list, type Node, type Pair, text } from './graph.ts';
import {
  contained,
  free,
  has,
  inAssignableGroups,
  only,
  ordinaryGroups,
  rolesOf,
  type Short,
} from './tenants.ts';

type TenantRule = (graph: Graph, tenant: Node) => Pair[];

/** Goes through all tenants, collected or not. */
function everyTenant(rule: TenantRule): (graph: Graph) => Pair[] {
  return (graph) => graph.ofKind('AZTenant').flatMap((tenant) => rule(graph, tenant));
}

export function product(starts: Iterable<Node>, ends: Iterable<Node>): Pair[] {
  return [...starts].flatMap((start) => [...ends].map((end): Pair => [start, end]));
}

/** Whose password each role may reset: those of users who have no role, or none but these. */
const resettable: Partial<Record<Short, 'everybody' | readonly Short[]>> = {
  GA: 'everybody',
  PAA: 'everybody',
  PT2: 'everybody',
  UA: ['UA', 'RR', 'MCR', 'HD', 'GI', 'DR', 'PW', 'USR', 'GRP'],
  HD: ['RR', 'MCR', 'HD', 'GI', 'DR', 'PW', 'USR'],
  AUTH: ['AUTH', 'RR', 'MCR', 'GI', 'DR', 'PW', 'USR'],
  PW: ['PW', 'GI', 'DR'],
  PT1: [],
};

export const azResetPassword = everyTenant((graph, tenant) =>
  (Object.keys(resettable) as Short[]).flatMap((short) => {
    const roles = rolesOf(graph, tenant, short);
    const which = resettable[short];
    if (which === undefined) return [];
    if (which === 'everybody') return product(roles, contained(graph, tenant, 'AZUser'));
    const spared = inAssignableGroups(graph, tenant);
    const users = [...free(graph, tenant), ...only(graph, tenant, ...which)];
    return product(
      roles,
      users.filter((user) => !spared.has(user)),
    );
  }),
);

export const azGlobalAdmin = everyTenant((graph, tenant) => product(has(graph, tenant, 'GA'), [tenant]));
export const azPrivilegedRoleAdmin = everyTenant((graph, tenant) =>
  product(has(graph, tenant, 'PRA'), [tenant]),
);
export const azPrivilegedAuthAdmin = everyTenant((graph, tenant) =>
  product(has(graph, tenant, 'PAA'), [tenant]),
);

export const azAddMembers = everyTenant((graph, tenant) => {
  const own = new Set(contained(graph, tenant, 'AZUser', 'AZServicePrincipal'));
  const those = (...shorts: Short[]) =>
    [...has(graph, tenant, ...shorts)].filter((node) => own.has(node) && !isA(node, 'AZGroup'));
  return [
    ...product(those('GA', 'PRA'), contained(graph, tenant, 'AZGroup')),
    ...product(those('GRP', 'DW', 'IGA', 'UA', 'INT', 'KA', 'KM'), ordinaryGroups(graph, tenant)),
  ];
});

export const azExecuteCommand = everyTenant((graph, tenant) =>
  product(
    has(graph, tenant, 'INT'),
    contained(graph, tenant, 'AZDevice').filter((device) =>
      text(device, 'operatingsystem')?.toLowerCase().includes('windows'),
    ),
  ),
);

export const azAddSecret = everyTenant((graph, tenant) =>
  product(rolesOf(graph, tenant, 'APP', 'CAPP'), contained(graph, tenant, 'AZApp', 'AZServicePrincipal')),
);

export const azAddOwner = everyTenant((graph, tenant) =>
  product(
    rolesOf(graph, tenant, 'HYB', 'PT1', 'PT2', 'DSA'),
    contained(graph, tenant, 'AZApp', 'AZServicePrincipal'),
  ),
);

/** People of the directory and what they are in the cloud. */
const synchronised = everyTenant((graph, tenant) =>
  contained(graph, tenant, 'AZUser')
    .filter((user) => isTrue(user, 'onpremsyncenabled'))
    .flatMap((user) => {
      const person = graph.find(text(user, 'onpremid')?.toUpperCase());
      return person !== undefined && isA(person, 'User') ? [[person, user] as const] : [];
    }),
);

export const syncedToEntraUser = synchronised;
export const syncedToAdUser = (graph: Graph): Pair[] =>
  synchronised(graph).map(([person, user]) => [user, person]);

export const azRoleApprover = everyTenant((graph, tenant) =>
  graph
    .ofKind('AZRole')
    .filter((role) => environment(role) === tenant.objectId)
    .filter((role) => isTrue(role, 'enduserassignmentrequiresapproval'))
    .flatMap((role) => {
      const lists = ['enduserassignmentuserapprovers', 'enduserassignmentgroupapprovers'].map((name) =>
        list(role, name),
      );
      if (lists.every((approvers) => approvers === undefined)) return [];
      const ids = lists.flatMap((approvers) => approvers ?? []).map((id) => String(id).toUpperCase());
      const named = ids.map((id) => graph.find(id)).filter((node) => node !== undefined);
      const approvers =
        ids.length > 0 ? named.filter((node) => isA(node, 'AZBase')) : rolesOf(graph, tenant, 'GA', 'PRA');
      return product(approvers, [role]);
    }),
);
