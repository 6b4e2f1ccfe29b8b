import { makeAuthorities, makeLogonStores, makeRoots, makeTemplates } from './certificates.ts';
import { makeComputers } from './computers.ts';
import { corp, type DemoDomain, plant } from './domain.ts';
import { makeGroups } from './groups.ts';
import { makeContainers, makeDomain, makePolicies, makeUnits } from './structure.ts';
import { makeTenant } from './tenant.ts';
import { makeUsers } from './users.ts';

/** What a collector puts into one file. */
export interface CollectedObjects {
  readonly type: string;
  readonly data: readonly object[];
}

/** Everything that a collector can be asked to look at. */
const methods = 521_215;
const formatVersion = 6;

/** By the type of their file. */
export function objectsOf(domain: DemoDomain, day: number, at: number): Readonly<Record<string, object[]>> {
  const isRoot = domain === corp;
  return {
    domains: [makeDomain(domain, day)],
    ous: makeUnits(domain),
    containers: makeContainers(domain),
    gpos: makePolicies(domain),
    groups: makeGroups(domain, day),
    users: makeUsers(domain, day),
    computers: makeComputers(domain, day, at),
    certtemplates: isRoot ? makeTemplates(day) : [],
    rootcas: isRoot ? makeRoots() : [],
    ntauthstores: isRoot ? makeLogonStores(day) : [],
    enterprisecas: makeAuthorities(domain, day),
  };
}

/** All that collectors find on a day: what changed is told by what they say now, and by what they no longer say. */
export function collectionOf(day: number, at: number): CollectedObjects[] {
  const [root, child] = [objectsOf(corp, day, at), objectsOf(plant, day, at)];
  return [
    ...Object.entries(root).map(([type, objects]) => ({ type, data: [...objects, ...(child[type] ?? [])] })),
    { type: 'azure', data: makeTenant(day) },
  ];
}

/** The file as a collector writes it, from objects that are written already. */
export function fileOf(type: string, objects: readonly string[]): string {
  const meta = {
    methods: type === 'azure' ? 0 : methods,
    type,
    count: objects.length,
    version: formatVersion,
  };
  return `{"data":[${objects.join(',')}],"meta":${JSON.stringify(meta)}}`;
}
