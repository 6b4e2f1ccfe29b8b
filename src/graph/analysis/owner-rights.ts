import { domainOf } from './domains.ts';
import type { Estate } from './estate.ts';

/**
 * Whether to own the object gives no rights to it: its domain blocks them (BlockOwnerImplicitRights, character 29 of
 * dSHeuristics), which concerns computers and managed service accounts.
 */
export function blocksRightsOfOwner(estate: Estate, target: number): boolean {
  if (!concernsIt(estate, target)) return false;
  const domain = domainOf(estate, target);
  const heuristics = domain === undefined ? undefined : estate.property(domain, 'dsheuristics');
  return typeof heuristics === 'string' && heuristics[28] === '1';
}

function concernsIt(estate: Estate, target: number): boolean {
  return (
    estate.has(target, 'Computer') ||
    estate.property(target, 'gmsa') === true ||
    estate.property(target, 'msa') === true
  );
}
