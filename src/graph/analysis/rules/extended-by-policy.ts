import { listOf } from '../certificates/thumbprints.ts';
import type { Estate } from '../estate.ts';
import type { Rule } from '../facts.ts';

/** From a template to each policy of its domain that its certificates carry. */
export const extendedByPolicy: Rule = ({ estate }, add) => {
  const policies = new Map<unknown, number[]>();
  for (const policy of estate.nodesOf('IssuancePolicy')) {
    const oid = oidOf(estate, policy);
    if (oid !== undefined) policies.set(oid, [...(policies.get(oid) ?? []), policy]);
  }
  for (const template of estate.nodesOf('CertTemplate')) {
    const domain = estate.environment(template);
    if (domain === undefined) continue;
    for (const oid of listOf(estate, template, 'certificatepolicy'))
      for (const policy of policies.get(oid) ?? [])
        if (estate.environment(policy) === domain) add(template, policy);
  }
};

/** Older collectors call it `oid`; what a newer one said since is newer. */
function oidOf(estate: Estate, policy: number): string | undefined {
  return ['certtemplateoid', 'oid']
    .map((name) => estate.property(policy, name))
    .find((oid): oid is string => typeof oid === 'string' && oid !== '');
}
