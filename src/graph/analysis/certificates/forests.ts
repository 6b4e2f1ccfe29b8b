import type { Estate } from '../estate.ts';

/** Which domains are of one forest, and their domain controllers. */
export class Forests {
  readonly #estate: Estate;
  readonly #domains = new Map<number, readonly number[]>();

  constructor(estate: Estate) {
    this.#estate = estate;
  }

  /** The domain itself and all that it trusts, or is trusted by, inside its forest. */
  domains(domain: number): readonly number[] {
    let domains = this.#domains.get(domain);
    if (domains === undefined) {
      domains = this.#reached(domain);
      for (const member of domains) this.#domains.set(member, domains);
    }
    return domains;
  }

  hasController(domain: number, suits: (controller: number) => boolean): boolean {
    return this.domains(domain).some((member) => this.#estate.sources(member, 'DCFor').some(suits));
  }

  #reached(domain: number): readonly number[] {
    const trusts = this.#estate.edges('SameForestTrust');
    const reached = new Set([domain]);
    // A set gives what is added while it is walked through.
    for (const member of reached) {
      for (const other of trusts.targets(member)) reached.add(other);
      for (const other of trusts.sources(member)) reached.add(other);
    }
    return [...reached];
  }
}
