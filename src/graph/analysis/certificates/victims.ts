import { BitSet } from '../bits.ts';
import type { Estate } from '../estate.ts';
import { everyoneIn, type Membership } from '../membership.ts';
import { isPerson, type Principals } from './principals.ts';

/** Whose accounts an attack may use. */
export type VictimKind = 'anybody' | 'not people' | 'computers';

/** Accounts that may enroll, for attacks by somebody who controls such an account. */
export class Victims {
  readonly #estate: Estate;
  readonly #membership: Membership;
  readonly #controllers = new Map<string, readonly number[]>();
  readonly #attackers = new Map<string, readonly number[]>();
  #everyone: ReadonlySet<number> | undefined;
  #groups: BitSet | undefined;
  #people: BitSet | undefined;
  #computers: BitSet | undefined;

  constructor(estate: Estate, membership: Membership) {
    this.#estate = estate;
    this.#membership = membership;
  }

  /**
   * Accounts with both rights, groups opened. Where everybody holds one of them, the other decides, although what is
   * known of everybody may lack somebody who holds it.
   */
  of(template: Principals, authority: Principals): BitSet {
    const [forTemplate, forAuthority] = [this.#accounts(template), this.#accounts(authority)];
    const [openTemplate, openAuthority] = [this.#isOpen(template), this.#isOpen(authority)];
    if (openTemplate && openAuthority) forTemplate.addAll(forAuthority);
    else if (openTemplate) return forAuthority;
    else if (!openAuthority) forTemplate.keepOnly(forAuthority);
    return forTemplate;
  }

  /** Who holds one of these rights on a victim. */
  attackers(
    template: Principals,
    authority: Principals,
    kind: VictimKind,
    rights: readonly string[],
  ): readonly number[] {
    const key = `${template.id} ${authority.id} ${kind} ${rights.join(' ')}`;
    let attackers = this.#attackers.get(key);
    if (attackers === undefined) {
      const victims = this.of(template, authority);
      if (kind === 'computers') victims.keepOnly(this.computers);
      if (kind === 'not people') victims.deleteAll(this.#everyPerson);
      attackers = this.#controlling(victims, rights);
      this.#attackers.set(key, attackers);
    }
    return attackers;
  }

  get computers(): BitSet {
    this.#computers ??= BitSet.of(this.#estate.size, this.#estate.nodesOf('Computer'));
    return this.#computers;
  }

  #isOpen({ nodes }: Principals): boolean {
    this.#everyone ??= new Set(everyoneIn(this.#estate));
    const everyone = this.#everyone;
    return nodes.some((node) => everyone.has(node));
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

  /** From the attackers' side: one that controls thousands of accounts is found by the first of them that counts. */
  #controlling(victims: BitSet, rights: readonly string[]): readonly number[] {
    const found = new Set<number>();
    if (victims.size === 0) return [];
    for (const right of rights) {
      const edges = this.#estate.edges(right);
      for (const controller of this.#holding(right))
        if (!found.has(controller) && edges.targets(controller).some((target) => victims.has(target)))
          found.add(controller);
    }
    return [...found];
  }

  #holding(right: string): readonly number[] {
    let holders = this.#controllers.get(right);
    if (holders === undefined) {
      const starts = new Set<number>();
      this.#estate.edges(right).each((start) => starts.add(start));
      holders = [...starts].filter((node) =>
        ['Group', 'User', 'Computer'].some((kind) => this.#estate.has(node, kind)),
      );
      this.#controllers.set(right, holders);
    }
    return holders;
  }

  get #everyGroup(): BitSet {
    this.#groups ??= BitSet.of(this.#estate.size, [
      ...this.#estate.nodesOf('Group'),
      ...this.#estate.nodesOf('ADLocalGroup'),
    ]);
    return this.#groups;
  }

  get #everyPerson(): BitSet {
    this.#people ??= BitSet.of(
      this.#estate.size,
      this.#estate.nodesOf('User').filter((node) => isPerson(this.#estate, node)),
    );
    return this.#people;
  }
}
