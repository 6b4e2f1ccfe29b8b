import { spreading } from '../certificates/spread.ts';
import type { Estate } from '../estate.ts';
import type { Rule } from '../facts.ts';

/** A certificate with a policy makes its holder a member of the group that the policy is linked to. */
export const adcsEsc13: Rule = ({ estate, certificates }, add) => {
  const addAll = spreading(add);
  for (const { authority, template } of certificates.offers()) {
    if (!(template.issuesFreely && template.authenticates)) continue;
    const groups = linkedGroups(estate, template.node).filter(
      (group) => estate.has(group, 'Group') && isIn(estate, group, authority.domains),
    );
    if (groups.length === 0) continue;
    const enrollers = certificates.principals.together(
      certificates.mayEnrollAt(authority),
      certificates.mayEnrollIn(template),
    );
    addAll(certificates.ableTo(enrollers, template), groups);
  }
};

function linkedGroups(estate: Estate, template: number): readonly number[] {
  return [...estate.targets(template, 'ExtendedByPolicy')].flatMap((policy) => [
    ...estate.targets(policy, 'OIDGroupLink'),
  ]);
}

/** Whether a way leads up from the group, through what contains it and across its forest, to one of the domains. */
function isIn(estate: Estate, group: number, domains: readonly number[]): boolean {
  const above = new Set([group]);
  // A set gives what is added while it is walked through.
  for (const node of above) {
    if (domains.includes(node)) return true;
    for (const kind of ['Contains', 'SameForestTrust'])
      for (const container of estate.sources(node, kind)) above.add(container);
  }
  return false;
}
