import type { Groups } from '../membership.ts';
import { type Authority, readAuthority } from './authority.ts';
import { Forests } from './forests.ts';
import { PrincipalSets, type Principals } from './principals.ts';
import { Template } from './template.ts';
import { Victims } from './victims.ts';

/** A template that somebody can really get a certificate from, one that lets him log on somewhere. */
export interface Offer {
  readonly authority: Authority;
  readonly template: Template;
}

/**
 * What the rules on certificates share. Asked for the first time after TrustedForNTAuth, IssuedSignedBy and
 * EnterpriseCAFor are derived, which the chains consist of.
 */
export class Certificates {
  readonly #groups: Groups;
  readonly forests: Forests;
  readonly principals: PrincipalSets;
  /** All, whether their certificates are worth something or not. */
  readonly authorities: readonly Authority[];
  /** Those that run and whose certificates let one log on. */
  readonly workingAuthorities: readonly Authority[];
  readonly #templates = new Map<number, Template>();
  readonly #domainsWith = new Map<string, readonly number[]>();
  #victims: Victims | undefined;

  constructor(groups: Groups) {
    const { estate } = groups;
    this.#groups = groups;
    this.forests = new Forests(estate);
    this.principals = new PrincipalSets(groups);
    this.authorities = estate
      .nodesOf('EnterpriseCA')
      .map((node) => readAuthority(estate, this.forests, node));
    this.workingAuthorities = this.authorities.filter(
      ({ hosts, domains }) => hosts.length > 0 && domains.length > 0,
    );
  }

  get victims(): Victims {
    this.#victims ??= new Victims(this.#groups.estate, this.#groups.membership);
    return this.#victims;
  }

  /** What working CAs issue. */
  *offers(): Iterable<Offer> {
    for (const authority of this.workingAuthorities)
      for (const node of authority.templates) yield { authority, template: this.template(node) };
  }

  template(node: number): Template {
    let template = this.#templates.get(node);
    if (template === undefined) {
      template = new Template(this.#groups.estate, node);
      this.#templates.set(node, template);
    }
    return template;
  }

  mayEnrollIn(template: Template): Principals {
    return this.principals.holders(template.node, 'Enroll', 'GenericAll', 'AllExtendedRights');
  }

  mayEnrollAt(authority: { readonly node: number }): Principals {
    return this.principals.holders(authority.node, 'Enroll');
  }

  /** Who can get a certificate of the template from the CA. */
  enrollers({ authority, template }: Offer): readonly number[] {
    return this.principals.together(this.mayEnrollIn(template), this.mayEnrollAt(authority));
  }

  /** Those of them that can be named in it. */
  ableTo(nodes: readonly number[], template: Template): readonly number[] {
    return template.excludesUsers ? this.principals.withoutUsers(nodes) : nodes;
  }

  /**
   * Domains of the CA where a domain controller of the forest finds the account by the name in the certificate alone.
   * -1 says that the registry has no value, and then the safe default holds.
   */
  domainsMappingByName(authority: Authority): readonly number[] {
    return this.#domainsWhere(authority, 'certificatemappingmethodsraw', (methods) => {
      return methods !== -1 && (methods & 0x04) !== 0;
    });
  }

  /** Where one does not insist on the security extension; -1, no value in the registry, is the compatible default. */
  domainsBindingWeakly(authority: Authority): readonly number[] {
    return this.#domainsWhere(authority, 'strongcertificatebindingenforcementraw', (enforcement) =>
      [-1, 0, 1].includes(enforcement),
    );
  }

  #domainsWhere(authority: Authority, name: string, suits: (value: number) => boolean): readonly number[] {
    const key = `${authority.node} ${name}`;
    let domains = this.#domainsWith.get(key);
    if (domains === undefined) {
      domains = authority.domains.filter((domain) =>
        this.forests.hasController(domain, (controller) => {
          const value = this.#groups.estate.property(controller, name);
          return typeof value === 'number' && suits(value);
        }),
      );
      this.#domainsWith.set(key, domains);
    }
    return domains;
  }
}
