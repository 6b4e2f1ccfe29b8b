import type { Counts, Domain } from './domain.ts';
import { Random } from './random.ts';

const names = ['CORP', 'EMEA', 'PARTNER', 'LAB', 'APAC', 'FACTORY', 'HISTORY', 'AMERICAS'];
/** What remains after the first domain is shared out in the same way. */
const firstShare = 0.6;

export const mostDomains = names.length;

/** The domains of an estate of so many objects: the first two are one forest, the others forests of their own. */
export function planDomains(objects: number, domains: number, seed: number, generation = 0): Domain[] {
  const planned: Domain[] = [];
  let left = objects;
  for (let index = 0; index < domains; index += 1) {
    const size = index === domains - 1 ? left : Math.floor(left * firstShare);
    left -= size;
    const isForestRoot = index !== 1;
    const root = planned[0];
    const short = names[index] ?? `DOMAIN${index}`;
    const name = isForestRoot || root === undefined ? `${short}.EXAMPLE` : `${short}.${root.name}`;
    const random = new Random(seed, index, 1);
    const part = () => 100_000_000 + random.below(4_000_000_000);
    const sid = `S-1-5-21-${part()}-${part()}-${part()}`;
    planned.push({
      index,
      seed,
      generation,
      name,
      short,
      sid,
      dn: name
        .split('.')
        .map((label) => `DC=${label}`)
        .join(','),
      forest: isForestRoot || root === undefined ? { sid, name } : root,
      isForestRoot,
      counts: countsFor(size, isForestRoot),
    });
  }
  return planned;
}

/** Groups that are there before anyone makes one; see groups.ts. */
export const wellKnownGroups = 16;

function countsFor(size: number, isForestRoot: boolean): Counts {
  const templates = isForestRoot ? Math.min(40, Math.ceil(size / 100) + 4) : 0;
  const authorities = isForestRoot ? Math.min(4, 1 + Math.floor(size / 10_000)) : 0;
  const policies = isForestRoot ? 3 : 0;
  const ous = Math.max(3, Math.floor(size * 0.02));
  const containers = Math.max(8, Math.floor(size * 0.03));
  const gpos = Math.max(2, Math.floor(size * 0.003));
  // Every authority has a root and an intermediate entry; then the domain itself and the store of what it trusts.
  const fixed = templates + authorities * 3 + policies + ous + containers + gpos + (isForestRoot ? 2 : 1);
  const rest = Math.max(size - fixed - wellKnownGroups, 12);
  const groups = Math.max(4, Math.floor(rest * 0.16));
  const computers = Math.max(4, Math.floor(rest * 0.27));
  const users = Math.max(4, rest - groups - computers);
  return { users, computers, groups, ous, containers, gpos, templates, authorities, policies };
}
