import { Random } from '../../../bench/generator/random.ts';
import type { AzureData, AzureItem } from '../azure-wire.ts';

export interface TenantSize {
  readonly users: number;
  readonly groups: number;
  readonly apps: number;
  readonly devices: number;
  readonly subscriptions: number;
}

export const defaultSize: TenantSize = { users: 12, groups: 6, apps: 5, devices: 4, subscriptions: 2 };

const things = [
  ...['tenant', 'user', 'group', 'app', 'appObject', 'principal', 'device', 'credential', 'subscription'],
  ...['identity', 'identityClient', 'other'],
] as const;
type Thing = (typeof things)[number];

/** A tenant that is being made up. Ids depend on nothing but the seed, so anything can refer to anything. */
export class TenantSketch {
  readonly items: AzureItem[] = [];
  readonly size: TenantSize;
  readonly random: Random;
  readonly tenantId: string;
  readonly tenantName = 'Contoso Ltd';
  readonly #seed: number;

  constructor(seed: number, size: TenantSize) {
    this.#seed = seed;
    this.size = size;
    this.random = new Random(seed, 8);
    this.tenantId = this.id('tenant', 0);
  }

  /** As Microsoft writes ids: in lower case. */
  id(thing: Thing, number: number): string {
    const hex = new Random(this.#seed, 77, things.indexOf(thing), number).hex(32).toLowerCase();
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20),
    ].join('-');
  }

  put(kind: string, data: AzureData): void {
    this.items.push({ kind, data });
  }

  /** The members that say where an object of the directory belongs. */
  get home(): { readonly tenantId: string; readonly tenantName: string } {
    return { tenantId: this.tenantId, tenantName: this.tenantName };
  }

  /** A few different numbers below `end`. */
  some(most: number, end: number): number[] {
    const found = new Set<number>();
    const wanted = Math.min(this.random.below(most + 1), end);
    for (let tries = 0; found.size < wanted && tries < 50; tries += 1) found.add(this.random.below(end));
    return [...found];
  }

  /** Somebody who can have a role: mostly a user. */
  principal(): string {
    const { users, groups, apps } = this.size;
    const kind = this.random.below(6);
    if (kind === 0 && groups > 0) return this.id('group', this.random.below(groups));
    if (kind === 1 && apps > 0) return this.id('principal', this.random.below(apps));
    return this.id('user', this.random.below(Math.max(users, 1)));
  }

  subscription(number: number): string {
    return `/subscriptions/${this.id('subscription', number)}`;
  }

  /** There are two in each subscription. */
  resourceGroup(number: number): string {
    return `${this.subscription(number >> 1)}/resourceGroups/Rg-${number}`;
  }

  resource(type: string, number: number): string {
    return `${this.resourceGroup(number)}/providers/${type}/Thing-${number}`;
  }

  managementGroup(number: number): string {
    return `/providers/Microsoft.Management/managementGroups/Mg-${number}`;
  }
}
