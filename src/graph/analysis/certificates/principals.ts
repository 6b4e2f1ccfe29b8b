import { crossProduct } from '../cross-product.ts';
import type { Estate } from '../estate.ts';
import type { Groups } from '../membership.ts';

/** Those who hold a right, as it was granted: groups are not opened. Equal ones are the same object. */
export interface Principals {
  readonly id: number;
  readonly nodes: readonly number[];
  /** Authenticated Users or Everyone are among them, or in a group that is. */
  readonly restrictNobody: boolean;
}

/** Templates are many, but most are open to the same few principals: what follows is worked out once for each lot. */
export class PrincipalSets {
  readonly #groups: Groups;
  readonly #estate: Estate;
  readonly #byRights = new Map<string, Principals>();
  readonly #byNodes = new Map<string, Principals>();
  readonly #together = new Map<string, readonly number[]>();
  readonly #withoutUsers = new Map<readonly number[], readonly number[]>();

  constructor(groups: Groups) {
    this.#groups = groups;
    this.#estate = groups.estate;
  }

  /** Holders of any of these rights on the target. */
  holders(target: number, ...rights: readonly string[]): Principals {
    const key = `${target} ${rights.join(' ')}`;
    let principals = this.#byRights.get(key);
    if (principals === undefined) {
      const nodes = new Set(rights.flatMap((right) => [...this.#estate.sources(target, right)]));
      principals = this.#same([...nodes].sort((one, two) => one - two));
      this.#byRights.set(key, principals);
    }
    return principals;
  }

  /** Who is among all of these at once. */
  together(...sets: readonly Principals[]): readonly number[] {
    if (sets.some(({ nodes }) => nodes.length === 0)) return nobody;
    // Which of them restrict, and what the first of these is, decides; the order of the others does not.
    const restricting = sets.filter(({ restrictNobody }) => !restrictNobody);
    const [first, ...others] = restricting.length === 0 ? sets : restricting;
    const distinct = [...new Set(others)].sort((one, two) => one.id - two.id);
    const key = [first, ...distinct].map((set) => set?.id).join(' ');
    let found = this.#together.get(key);
    if (found === undefined) {
      const asked = first === undefined ? distinct : [first, ...distinct];
      found = crossProduct(
        this.#groups,
        asked.map(({ nodes }) => nodes),
      );
      this.#together.set(key, found);
    }
    return found;
  }

  /** Without people; service accounts that manage their own password have a DNS name as computers do. */
  withoutUsers(nodes: readonly number[]): readonly number[] {
    let others = this.#withoutUsers.get(nodes);
    if (others === undefined) {
      others = nodes.filter((node) => !isPerson(this.#estate, node));
      this.#withoutUsers.set(nodes, others);
    }
    return others;
  }

  #same(nodes: readonly number[]): Principals {
    const key = nodes.join(' ');
    let principals = this.#byNodes.get(key);
    if (principals === undefined) {
      const { membership } = this.#groups;
      const restrictNobody = nodes.some((node) => membership.holdsEveryone(node));
      principals = { id: this.#byNodes.size, nodes, restrictNobody };
      this.#byNodes.set(key, principals);
    }
    return principals;
  }
}

export function isPerson(estate: Estate, node: number): boolean {
  return (
    estate.has(node, 'User') &&
    estate.property(node, 'gmsa') !== true &&
    estate.property(node, 'msa') !== true
  );
}

const nobody: readonly number[] = [];
