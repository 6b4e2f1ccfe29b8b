import { makeAuthorities, makeLogonStores, makeRoots, makeTemplates } from './certificates.ts';
import { makeComputers } from './computers.ts';
import { corp, type DemoDomain, plant } from './domain.ts';
import { makeGroups } from './groups.ts';
import { makeContainers, makeDomain, makePolicies, makeUnits } from './structure.ts';
import { makeTenant } from './tenant.ts';
import { makeUsers } from './users.ts';

/** A file as a collector writes it. */
export interface CollectedFile {
  readonly name: string;
  readonly objects: number;
  readonly text: string;
}

/** Everything that a collector can be asked to look at. */
const methods = 521_215;
const formatVersion = 6;

/** How many objects of each type a domain has on a day. */
export type Counts = Readonly<Record<string, number>>;

export function objectsOf(domain: DemoDomain, day: number, at: number): Readonly<Record<string, object[]>> {
  const isRoot = domain === corp;
  return {
    domains: [makeDomain(domain, day)],
    ous: makeUnits(domain),
    containers: makeContainers(domain),
    gpos: makePolicies(domain),
    groups: makeGroups(domain, day),
    users: makeUsers(domain, day, at),
    computers: makeComputers(domain, day, at),
    certtemplates: isRoot ? makeTemplates(day) : [],
    rootcas: isRoot ? makeRoots() : [],
    ntauthstores: isRoot ? makeLogonStores(day) : [],
    enterprisecas: makeAuthorities(domain, day),
  };
}

/** All that collectors find on a day: what changed is told by what they say now, and by what they no longer say. */
export function collectionOf(day: number, at: number): CollectedFile[] {
  const files = [corp, plant].flatMap((domain) =>
    Object.entries(objectsOf(domain, day, at))
      .filter(([, data]) => data.length > 0)
      .map(([type, data]) =>
        file(`${domain.short.toLowerCase()}_${type}.json`, data, {
          methods,
          type,
          count: data.length,
          version: formatVersion,
        }),
      ),
  );
  const items = makeTenant(day);
  return [...files, file('cloud.json', items, { type: 'azure', version: 5, count: items.length })];
}

function file(name: string, data: readonly object[], meta: object): CollectedFile {
  return { name, objects: data.length, text: JSON.stringify({ data, meta }) };
}
