import { type Tenant, tenantsOf } from './azure/tenant.ts';
import type { BitSet } from './bits.ts';
import { Certificates } from './certificates/certificates.ts';
import type { Estate } from './estate.ts';
import { Membership } from './membership.ts';
import { unprotectedComputers } from './unprotected-computers.ts';

export interface RuleSettings {
  /** `analysis.citrix_rdp_support` */
  readonly citrixRdp: boolean;
}

/** What rules read: the graph, and what several of them need to know of it, worked out once. */
export class Facts {
  readonly estate: Estate;
  readonly settings: RuleSettings;
  #membership: Membership | undefined;
  #unprotectedComputers: BitSet | undefined;
  #certificates: Certificates | undefined;
  #tenants: readonly Tenant[] | undefined;

  constructor(estate: Estate, settings: RuleSettings) {
    this.estate = estate;
    this.settings = settings;
  }

  /** Complete once the well-known groups are linked, which comes before every rule that asks. */
  get membership(): Membership {
    this.#membership ??= new Membership(this.estate);
    return this.#membership;
  }

  /** Not to be changed. */
  get unprotectedComputers(): BitSet {
    this.#unprotectedComputers ??= unprotectedComputers(this);
    return this.#unprotectedComputers;
  }

  /** Complete once the chains of certificates are linked, which comes before every rule that asks. */
  get certificates(): Certificates {
    this.#certificates ??= new Certificates(this);
    return this.#certificates;
  }

  /** All that are in the graph, collected or not. */
  get tenants(): readonly Tenant[] {
    this.#tenants ??= tenantsOf(this.estate);
    return this.#tenants;
  }
}

/** Adds an edge of the rule's kind; saying it twice is the same. */
export type Add = (start: number, end: number) => void;

/** One kind of edge that follows from others. */
export type Rule = (facts: Facts, add: Add) => void;
