import type { Estate } from '../estate.ts';

export const ekus = {
  anyPurpose: '2.5.29.37.0',
  clientAuthentication: '1.3.6.1.5.5.7.3.2',
  certificateRequestAgent: '1.3.6.1.4.1.311.20.2.1',
} as const;

/** What a template says of itself. What it does not say is neither true nor false, so that no rule finds it fit. */
export class Template {
  readonly node: number;
  readonly #estate: Estate;

  constructor(estate: Estate, node: number) {
    this.#estate = estate;
    this.node = node;
  }

  get needsApproval(): boolean | undefined {
    return this.#flag('requiresmanagerapproval');
  }

  get enrolleeSuppliesSubject(): boolean | undefined {
    return this.#flag('enrolleesuppliessubject');
  }

  get schemaVersion(): number | undefined {
    return this.#number('schemaversion');
  }

  get signatures(): number | undefined {
    return this.#number('authorizedsignatures');
  }

  /** Templates of the first version know no signatures: what they say of them has no effect. */
  get needsNoSignature(): boolean {
    const { schemaVersion, signatures } = this;
    return schemaVersion !== undefined && signatures !== undefined && !(schemaVersion > 1 && signatures > 0);
  }

  /** Whoever may enroll gets the certificate at once. */
  get issuesFreely(): boolean {
    return this.needsApproval === false && this.needsNoSignature;
  }

  get authenticates(): boolean {
    return this.#flag('authenticationenabled') === true;
  }

  /** Older collectors say only what the certificate is good for. */
  get authenticatesBySchannel(): boolean {
    const said = this.#flag('schannelauthenticationenabled');
    if (said !== undefined) return said;
    return this.isFor(ekus.clientAuthentication, ekus.anyPurpose);
  }

  get omitsSecurityExtension(): boolean {
    return this.#flag('nosecurityextension') === true;
  }

  get namesUserOrService(): boolean {
    const [user, service] = [this.#flag('subjectaltrequireupn'), this.#flag('subjectaltrequirespn')];
    return user !== undefined && service !== undefined && (user || service);
  }

  get namesHost(): boolean {
    return this.#flag('subjectaltrequiredns') === true;
  }

  /** A user has no DNS name, and can't enroll where one is required. */
  get excludesUsers(): boolean {
    return !(
      this.#flag('subjectaltrequiredns') === false && this.#flag('subjectaltrequiredomaindns') === false
    );
  }

  /** For one of these purposes; one that names no purpose is good for all. */
  isFor(...purposes: readonly string[]): boolean {
    const named = this.purposes;
    return named !== undefined && (named.length === 0 || purposes.some((purpose) => named.includes(purpose)));
  }

  get purposes(): readonly unknown[] | undefined {
    return this.#list('effectiveekus');
  }

  get signaturePolicies(): readonly unknown[] {
    return this.#list('applicationpolicies') ?? [];
  }

  #flag(name: string): boolean | undefined {
    const value = this.#estate.property(this.node, name);
    return typeof value === 'boolean' ? value : undefined;
  }

  #number(name: string): number | undefined {
    const value = this.#estate.property(this.node, name);
    return typeof value === 'number' ? value : undefined;
  }

  #list(name: string): readonly unknown[] | undefined {
    const value = this.#estate.property(this.node, name);
    return Array.isArray(value) ? value : undefined;
  }
}
