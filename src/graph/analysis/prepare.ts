import { specialIdentities, wellKnownSids } from './domains.ts';
import type { Properties } from './estate.ts';

export interface PreparedNode {
  readonly objectId: string;
  readonly kinds: readonly string[];
  readonly properties: Properties;
}

export interface NodeChange {
  readonly objectId: string;
  readonly addKinds?: readonly string[];
  readonly setProperties?: Readonly<Record<string, unknown>>;
}

export interface Amendments {
  readonly newNodes: readonly PreparedNode[];
  readonly changes: readonly NodeChange[];
}

/** Groups by their ids, whatever a collector that saw only the id made of them. Local groups are not among them. */
const groupIds = /(^|-)S-1-5-(21-\d+-\d+-\d+-(512|516|518|519|526|527)|9|32-(544|551))$/;
const accountIds = /^(S-1-5-21-\d+-\d+-\d+)-\d+$/;

/**
 * What the graph must have before rules look at it: groups that every domain has, their kind, and names for objects of
 * a domain that were only mentioned and for management groups. Nothing is left to do once it is done.
 */
export function amendmentsFor(nodes: Iterable<PreparedNode>): Amendments {
  const domains = new Map<string, Domain>();
  const ids = new Set<string>();
  const odd: PreparedNode[] = [];
  const tenants = new Map<string, string>();
  const scopes: PreparedNode[] = [];
  for (const node of nodes) {
    ids.add(node.objectId);
    if (node.kinds.includes('AZManagementGroup')) scopes.push(node);
    else if (node.kinds.includes('AZTenant')) tenants.set(node.objectId, textOf(node.properties.name) ?? '');
    else if (node.kinds.includes('Domain')) {
      const name = textOf(node.properties.name);
      if (name !== undefined)
        domains.set(node.objectId, {
          id: node.objectId,
          name: name.toUpperCase(),
          collected: node.properties.collected === true,
        });
    } else if (isGroupWithoutKind(node) || isUnnamedAccount(node)) odd.push(node);
  }
  const groups = [...domains.values()].filter(({ collected }) => collected).flatMap(wellKnownGroups);
  return {
    newNodes: groups.filter(({ objectId }) => !ids.has(objectId)),
    changes: [
      ...odd.flatMap((node) => changeOf(node, domains) ?? []),
      ...scopes.flatMap((node) => scopeChange(node, tenants) ?? []),
    ],
  };
}

interface Domain {
  readonly id: string;
  readonly name: string;
  readonly collected: boolean;
}

function wellKnownGroups({ id, name }: Domain): PreparedNode[] {
  const named: readonly (readonly [objectId: string, title: string])[] = [
    [`${name}-${wellKnownSids.everyone}`, 'EVERYONE'],
    [`${name}-${wellKnownSids.authenticatedUsers}`, 'AUTHENTICATED USERS'],
    [`${id}-513`, 'DOMAIN USERS'],
    [`${id}-515`, 'DOMAIN COMPUTERS'],
    ...specialIdentities.map(([sid, title]) => [`${name}-${sid}`, title] as const),
  ];
  return named.map(([objectId, title]) => ({
    objectId,
    kinds: ['Group', 'Base'],
    properties: { name: `${title}@${name}`, domain: name, domainsid: id },
  }));
}

function changeOf(node: PreparedNode, domains: ReadonlyMap<string, Domain>): NodeChange | undefined {
  const domain = isUnnamedAccount(node) ? domains.get(accountIds.exec(node.objectId)?.[1] ?? '') : undefined;
  const isGroup = isGroupWithoutKind(node);
  if (!isGroup && domain === undefined) return undefined;
  return {
    objectId: node.objectId,
    ...(isGroup && { addKinds: ['Group'] }),
    ...(domain && {
      setProperties: { name: `(${domain.name}) ${node.objectId}`, domainsid: domain.id },
    }),
  };
}

/** Management groups come without a name: they are called after themselves and their tenant. */
function scopeChange(
  { objectId, properties }: PreparedNode,
  tenants: ReadonlyMap<string, string>,
): NodeChange | undefined {
  const displayName = textOf(properties.displayname);
  const tenant = tenants.get((textOf(properties.tenantid) ?? '').toUpperCase()) ?? '';
  const name = `${displayName}@${tenant}`.toUpperCase();
  if (displayName === undefined || tenant === '' || name === properties.name) return undefined;
  return { objectId, setProperties: { name } };
}

function isGroupWithoutKind({ objectId, kinds }: PreparedNode): boolean {
  return !kinds.includes('Group') && groupIds.test(objectId);
}

function isUnnamedAccount({ objectId, properties }: PreparedNode): boolean {
  return textOf(properties.name) === undefined && accountIds.test(objectId);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
