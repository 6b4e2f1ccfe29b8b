import { Random } from './random.ts';

/** One domain of the estate. Objects are numbered, and a number says everything about one: nothing is kept. */
export interface Domain {
  readonly index: number;
  readonly seed: number;
  /** Another one has the same objects, and other details about them. */
  readonly generation: number;
  readonly name: string;
  readonly short: string;
  readonly sid: string;
  readonly dn: string;
  /** The domain that holds the forest's certificate services and its enterprise administrators. */
  readonly forest: Pick<Domain, 'sid' | 'name'>;
  readonly isForestRoot: boolean;
  readonly counts: Counts;
}

export interface Counts {
  readonly users: number;
  readonly computers: number;
  readonly groups: number;
  readonly ous: number;
  readonly containers: number;
  readonly gpos: number;
  readonly templates: number;
  readonly authorities: number;
  readonly policies: number;
}

/** The numbers of kinds in what an object's source of random numbers starts from, and in its id. */
export const Kind = {
  User: 1,
  Computer: 2,
  Group: 3,
  OU: 4,
  Container: 5,
  GPO: 6,
  CertTemplate: 7,
  EnterpriseCA: 8,
  RootCA: 9,
  AIACA: 10,
  NTAuthStore: 11,
  IssuancePolicy: 12,
  Domain: 13,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export interface Principal {
  readonly ObjectIdentifier: string;
  readonly ObjectType: string;
}

export const principal = (ObjectIdentifier: string, ObjectType: string): Principal => ({
  ObjectIdentifier,
  ObjectType,
});

export function randomOf(domain: Domain, kind: Kind, number: number): Random {
  return new Random(domain.seed, domain.index, kind, number, domain.generation);
}

export const userSid = ({ sid }: Domain, n: number) => `${sid}-${10_000_000 + n}`;
export const computerSid = ({ sid }: Domain, n: number) => `${sid}-${20_000_000 + n}`;
export const groupSid = ({ sid }: Domain, n: number) => `${sid}-${30_000_000 + n}`;

export const user = (domain: Domain, n: number) => principal(userSid(domain, n), 'User');
export const computer = (domain: Domain, n: number) => principal(computerSid(domain, n), 'Computer');
export const group = (domain: Domain, n: number) => principal(groupSid(domain, n), 'Group');

/** The id of an object that has no SID. */
export function guid(domain: Domain, kind: Kind, number: number): string {
  const text = new Random(domain.seed, domain.index, kind, number, 77).hex(24);
  const tail = (kind * 100_000_000 + number).toString(16).toUpperCase().padStart(8, '0');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(12, 15)}-A${text.slice(15, 18)}-${text.slice(18, 22)}${tail}`;
}

export const ou = (domain: Domain, n: number) => principal(guid(domain, Kind.OU, n), 'OU');
export const container = (domain: Domain, n: number) =>
  principal(guid(domain, Kind.Container, n), 'Container');

/** A group that every domain has, by the end of its SID. */
export const wellKnown = ({ sid }: Pick<Domain, 'sid'>, rid: number) => `${sid}-${rid}`;
/** A group that every domain has under the same SID, so that collectors put the domain in front. */
export const builtIn = ({ name }: Pick<Domain, 'name'>, sid: string) => `${name}-${sid}`;

/** What all objects tell about where they are. */
export function common(domain: Domain, name: string, dn: string): Record<string, unknown> {
  return {
    domain: domain.name,
    name: name.toUpperCase(),
    distinguishedname: `${dn},${domain.dn}`.toUpperCase(),
    domainsid: domain.sid,
  };
}

const firstDay = 1_420_070_400;
const lastDay = 1_767_225_600;

/** A time in the years that the estate has been there, in seconds. */
export function someTime(random: Random): number {
  return firstDay + random.below(lastDay - firstDay);
}

/**
 * Objects that lie in containers lie there in runs, larger ones towards the end, so that both sides of
 * "is contained in" can be told without a table.
 */
export class Runs {
  readonly #count: number;
  readonly #holders: number;

  constructor(count: number, holders: number) {
    this.#count = count;
    this.#holders = holders;
  }

  start(holder: number): number {
    return Math.floor(this.#count * (holder / this.#holders) ** 2);
  }

  holderOf(number: number): number {
    let holder = Math.min(Math.floor(Math.sqrt(number / this.#count) * this.#holders), this.#holders - 1);
    while (holder > 0 && this.start(holder) > number) holder -= 1;
    while (holder < this.#holders - 1 && this.start(holder + 1) <= number) holder += 1;
    return holder;
  }

  *of(holder: number): Generator<number, void, undefined> {
    for (let number = this.start(holder); number < this.start(holder + 1); number += 1) yield number;
  }
}

/** The hash that ties an inherited right to the place where it was granted. */
export function inheritanceHash(domain: Domain, place: number, grant: number): string {
  return new Random(domain.seed, domain.index, 99, place, grant).hex(40).toLowerCase();
}
