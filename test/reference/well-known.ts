import { collectedDomains } from './domains.ts';
import { type Graph, isTrue, type Node, type Pair, text } from './graph.ts';

const specialIdentities = [
  'S-1-5-2',
  'S-1-5-15',
  'S-1-5-65-1',
  'S-1-18-1',
  'S-1-18-4',
  'S-1-18-5',
  'S-1-5-64-10',
  'S-1-5-64-14',
];

/** Domain Users and Domain Computers are in Authenticated Users, and those in Everyone, as is Guest. */
export function wellKnownMemberships(graph: Graph): Pair[] {
  return collectedDomains(graph).flatMap((domain) => {
    const sid = domain.objectId;
    const name = fullName(domain);
    return existing(graph, [
      [`${sid}-513`, `${name}-S-1-5-11`],
      [`${sid}-515`, `${name}-S-1-5-11`],
      [`${name}-S-1-5-11`, `${name}-S-1-1-0`],
      [`${sid}-501`, `${name}-S-1-1-0`],
    ]);
  });
}

/** Everyone claims the special identities, and Guest where it is enabled. */
export function claimSpecialIdentity(graph: Graph): Pair[] {
  return collectedDomains(graph).flatMap((domain) => {
    const name = fullName(domain);
    const guest = graph.find(`${domain.objectId}-501`);
    return existing(graph, [
      ...specialIdentities.map((id): [string, string] => [`${name}-S-1-1-0`, `${name}-${id}`]),
      ...(guest && isTrue(guest, 'enabled')
        ? ([[`${name}-S-1-1-0`, guest.objectId]] as [string, string][])
        : []),
    ]);
  });
}

function fullName(domain: Node): string | undefined {
  return text(domain, 'name')?.toUpperCase();
}

function existing(graph: Graph, ids: readonly (readonly [string, string])[]): Pair[] {
  return ids.flatMap(([start, end]) => {
    const [from, to] = [graph.find(start), graph.find(end)];
    return from && to ? [[from, to] as const] : [];
  });
}
