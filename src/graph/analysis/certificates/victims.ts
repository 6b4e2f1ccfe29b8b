import { BitSet } from '../bits.ts';
import type { Estate } from '../estate.ts';
import type { Membership } from '../membership.ts';
import { isPerson, type Principals } from './principals.ts';

/** Accounts that may enroll, for attacks by somebody who controls such an account. */
export class Victims {
  readonly #estate: Estate;
  readonly #membership: Membership;
  #groups: BitSet | undefined;
  #people: BitSet | undefined;
  #computers: BitSet | undefined;

  constructor(estate: Estate, membership: Membership) {
    this.#estate = estate;
    this.#membership = membership;
  }

  /**
   * Accounts with both rights, groups opened. Where one of them restricts nobody the other decides: not all who belong
   * to Authenticated Users or Everyone are known as members.
   */
  of(template: Principals, authority: Principals): BitSet {
    const [forTemplate, forAuthority] = [this.#accounts(template), this.#accounts(authority)];
    if (template.restrictNobody && authority.restrictNobody) forTemplate.addAll(forAuthority);
    else if (template.restrictNobody) return forAuthority;
    else if (!authority.restrictNobody) forTemplate.keepOnly(forAuthority);
    return forTemplate;
  }

  get computers(): BitSet {
    this.#computers ??= BitSet.of(this.#estate.size, this.#estate.nodesOf('Computer'));
    return this.#computers;
  }

  #accounts({ nodes }: Principals): BitSet {
    const accounts = new BitSet(this.#estate.size);
    for (const node of nodes) {
      accounts.add(node);
      this.#membership.addMembersTo(accounts, node);
    }
    accounts.deleteAll(this.#everyGroup);
    return accounts;
  }

  /** Users, groups and computers with one of these rights on a victim. */
  attackers(victims: BitSet, rights: readonly string[]): readonly number[] {
    const found = new BitSet(this.#estate.size);
    for (const right of rights)
      this.#estate.edges(right).each((start, end) => {
        if (victims.has(end)) found.add(start);
      });
    return [...found.toArray()].filter((node) =>
      ['Group', 'User', 'Computer'].some((kind) => this.#estate.has(node, kind)),
    );
  }

  get #everyGroup(): BitSet {
    this.#groups ??= BitSet.of(this.#estate.size, [
      ...this.#estate.nodesOf('Group'),
      ...this.#estate.nodesOf('ADLocalGroup'),
    ]);
    return this.#groups;
  }

  /** Those without a DNS name. */
  get people(): BitSet {
    this.#people ??= BitSet.of(
      this.#estate.size,
      this.#estate.nodesOf('User').filter((node) => isPerson(this.#estate, node)),
    );
    return this.#people;
  }
}
