import type { Estate } from '../estate.ts';

/** Groups that can have roles, and who has a role by being in one: direct members, never those of groups in it. */
export class RoleGroups {
  readonly #estate: Estate;
  readonly #holders = new Map<number, readonly number[]>();

  constructor(estate: Estate) {
    this.#estate = estate;
  }

  isOne(node: number): boolean {
    return this.#estate.has(node, 'AZGroup') && this.#estate.property(node, 'isassignabletorole') === true;
  }

  /** Those in the group that can use a role, and the group itself unless all that is in it can't, such as devices. */
  holders(group: number): readonly number[] {
    let holders = this.#holders.get(group);
    if (holders === undefined) {
      const members = [...this.#estate.sources(group, 'AZMemberOf')];
      const identities = members.filter((member) => isIdentity(this.#estate, member));
      const isUseless = identities.length === 0 && members.some((one) => !this.#estate.has(one, 'AZGroup'));
      holders = isUseless ? [] : [group, ...identities];
      this.#holders.set(group, holders);
    }
    return holders;
  }
}

export function isIdentity(estate: Estate, node: number): boolean {
  return estate.has(node, 'AZUser') || estate.has(node, 'AZServicePrincipal');
}
