import { type MadeUp, nothingMadeUp } from '../ingest/write/made-up.ts';
import { specialIdentities, wellKnownSids } from './domains.ts';
import type { Properties } from './estate.ts';

/** As it was stated: without what earlier runs have made up. */
export interface PreparedNode {
  readonly objectId: string;
  readonly kinds: readonly string[];
  readonly properties: Properties;
}

/** Groups by their ids, whatever a collector that saw only the id made of them. Local groups are not among them. */
const groupIds = /(^|-)S-1-5-(21-\d+-\d+-\d+-(512|516|518|519|526|527)|9|32-(544|551))$/;
const accountIds = /^(S-1-5-21-\d+-\d+-\d+)-\d+$/;

interface Domain {
  readonly id: string;
  readonly name: string;
  readonly collected: boolean;
}

/**
 * What the graph must have before rules look at it: groups that every domain has, their kind, and names for objects of
 * a domain that were only mentioned and for management groups. It follows from what is stated alone, so that neither
 * earlier runs nor the order of files count.
 */
export class Wants {
  readonly #domains = new Map<string, Domain>();
  readonly #tenants = new Map<string, string>();
  readonly #groups = new Map<string, MadeUp>();

  constructor(nodes: Iterable<PreparedNode>) {
    for (const { objectId, kinds, properties } of nodes) {
      const name = textOf(properties.name);
      if (kinds.includes('AZTenant')) this.#tenants.set(objectId, name ?? '');
      else if (kinds.includes('Domain') && name !== undefined)
        this.#domains.set(objectId, {
          id: objectId,
          name: name.toUpperCase(),
          collected: properties.collected === true,
        });
    }
    for (const domain of this.#domains.values())
      if (domain.collected) for (const [id, group] of wellKnownGroups(domain)) this.#groups.set(id, group);
  }

  /** The groups that there must be, stated or not. */
  get groups(): ReadonlyMap<string, MadeUp> {
    return this.#groups;
  }

  /** What the node lacks. */
  of(node: PreparedNode): MadeUp {
    const { objectId, kinds, properties } = node;
    const isNamed = textOf(properties.name) !== undefined;
    const group = isNamed ? undefined : this.#groups.get(objectId);
    if (group !== undefined) return group;
    const isGroup = !kinds.includes('Group') && groupIds.test(objectId);
    const named = isNamed ? {} : this.#nameFor(node);
    if (!isGroup && named === undefined) return nothingMadeUp;
    return { kinds: isGroup ? ['Group'] : [], properties: named ?? {} };
  }

  #nameFor({ objectId, kinds, properties }: PreparedNode): Properties | undefined {
    if (kinds.includes('AZManagementGroup')) {
      // Management groups come without a name: they are called after themselves and their tenant.
      const displayName = textOf(properties.displayname);
      const tenant = this.#tenants.get((textOf(properties.tenantid) ?? '').toUpperCase()) ?? '';
      if (displayName === undefined || tenant === '') return undefined;
      return { name: `${displayName}@${tenant}`.toUpperCase() };
    }
    const domain = this.#domains.get(accountIds.exec(objectId)?.[1] ?? '');
    return domain && { name: `(${domain.name}) ${objectId}`, domainsid: domain.id };
  }
}

function wellKnownGroups({ id, name }: Domain): (readonly [objectId: string, group: MadeUp])[] {
  const named: readonly (readonly [objectId: string, title: string])[] = [
    [`${name}-${wellKnownSids.everyone}`, 'EVERYONE'],
    [`${name}-${wellKnownSids.authenticatedUsers}`, 'AUTHENTICATED USERS'],
    [`${id}-513`, 'DOMAIN USERS'],
    [`${id}-515`, 'DOMAIN COMPUTERS'],
    ...specialIdentities.map(([sid, title]) => [`${name}-${sid}`, title] as const),
  ];
  return named.map(([objectId, title]) => [
    objectId,
    {
      kinds: ['Group', 'Base'],
      properties: { name: `${title}@${name}`, domain: name, domainsid: id },
    },
  ]);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
