import { roleTemplates } from '../../ingest/convert/azure/role-ids.ts';
import { scopedRoleKind } from '../edge-kinds.ts';
import type { Estate } from '../estate.ts';
import { isIdentity, RoleGroups } from './role-groups.ts';

export type RoleName = keyof typeof roleTemplates;

/** What a tenant has, and who has which role in it: worked out once for all rules. */
export class Tenant {
  readonly node: number;
  readonly users: readonly number[];
  readonly groups: readonly number[];
  readonly servicePrincipals: readonly number[];
  readonly apps: readonly number[];
  readonly devices: readonly number[];
  readonly roles: readonly number[];
  readonly #estate: Estate;
  readonly #roleGroups: RoleGroups;
  readonly #rolesByTemplate = new Map<string, number[]>();
  readonly #holders = new Map<number, ReadonlySet<number>>();
  #ordinaryGroups: readonly number[] | undefined;
  #membersOfRoleGroups: ReadonlySet<number> | undefined;

  /** Objects that were only mentioned are contained in no tenant, and so take no part. */
  constructor(estate: Estate, node: number, roleGroups: RoleGroups) {
    const contained = [...estate.targets(node, 'AZContains')];
    const ofKind = (kind: string) => contained.filter((one) => estate.has(one, kind));
    this.node = node;
    this.users = ofKind('AZUser');
    this.groups = ofKind('AZGroup');
    this.servicePrincipals = ofKind('AZServicePrincipal');
    this.apps = ofKind('AZApp');
    this.devices = ofKind('AZDevice');
    this.roles = ofKind('AZRole');
    this.#estate = estate;
    this.#roleGroups = roleGroups;
    for (const role of this.roles) {
      const template = templateOf(estate, role);
      const same = this.#rolesByTemplate.get(template);
      if (same === undefined) this.#rolesByTemplate.set(template, [role]);
      else same.push(role);
    }
  }

  /** There is one of each at most, unless somebody made it up. */
  rolesNamed(...names: readonly RoleName[]): number[] {
    return names.flatMap((name) => this.#rolesByTemplate.get(roleTemplates[name]) ?? []);
  }

  /** Who has one of these roles for the whole tenant. */
  holders(...names: readonly RoleName[]): ReadonlySet<number> {
    return this.#union(this.rolesNamed(...names));
  }

  /** Who has any role besides these. */
  holdersOfOthers(names: readonly RoleName[]): ReadonlySet<number> {
    const listed = new Set(this.rolesNamed(...names));
    return this.#union(this.roles.filter((role) => !listed.has(role)));
  }

  /** Service principals that were given one of these permissions on an application of the tenant. */
  permitted(...kinds: readonly string[]): ReadonlySet<number> {
    const found = new Set<number>();
    for (const kind of kinds) {
      const edges = this.#estate.edges(kind);
      if (edges.size === 0) continue;
      for (const resource of this.servicePrincipals) {
        for (const holder of edges.sources(resource))
          if (this.#estate.has(holder, 'AZServicePrincipal')) found.add(holder);
      }
    }
    return found;
  }

  /** Groups that can't have roles. If that is not known of one, it is not among them. */
  get ordinaryGroups(): readonly number[] {
    this.#ordinaryGroups ??= this.groups.filter(
      (group) => this.#estate.property(group, 'isassignabletorole') === false,
    );
    return this.#ordinaryGroups;
  }

  /** Direct members of groups that can have roles, whether they do or not. */
  get membersOfRoleGroups(): ReadonlySet<number> {
    this.#membersOfRoleGroups ??= new Set(
      this.groups
        .filter((group) => this.#roleGroups.isOne(group))
        .flatMap((group) => [...this.#estate.sources(group, 'AZMemberOf')]),
    );
    return this.#membersOfRoleGroups;
  }

  #union(roles: readonly number[]): ReadonlySet<number> {
    const all = new Set<number>();
    for (const role of roles) for (const holder of this.#holdersOf(role)) all.add(holder);
    return all;
  }

  #holdersOf(role: number): ReadonlySet<number> {
    let holders = this.#holders.get(role);
    if (holders === undefined) {
      holders = new Set(this.#findHolders(role));
      this.#holders.set(role, holders);
    }
    return holders;
  }

  *#findHolders(role: number): Iterable<number> {
    const scoped = this.#estate.edges(scopedRoleKind);
    for (const holder of this.#estate.sources(role, 'AZHasRole')) {
      if (scoped.has(holder, role)) continue;
      if (isIdentity(this.#estate, holder)) yield holder;
      if (this.#roleGroups.isOne(holder)) yield* this.#roleGroups.holders(holder);
    }
  }
}

export function tenantsOf(estate: Estate): readonly Tenant[] {
  const roleGroups = new RoleGroups(estate);
  return estate.nodesOf('AZTenant').map((node) => new Tenant(estate, node, roleGroups));
}

function templateOf(estate: Estate, role: number): string {
  const template = estate.property(role, 'templateid');
  return typeof template === 'string' ? template.toUpperCase() : '';
}
