import type { Estate } from '../estate.ts';
import type { Rule } from '../facts.ts';

/** A domain's AdminSDHolder hands its permissions on to the objects that it protects. */
export const protectAdminGroups: Rule = ({ estate }, add) => {
  const holders = adminSdHolders(estate);
  if (holders.size === 0) return;
  for (let node = 0; node < estate.size; node++) {
    if (estate.property(node, 'adminsdholderprotected') !== true) continue;
    for (const holder of holders.get(estate.environment(node)) ?? []) add(holder, node);
  }
};

/** By domain. */
function adminSdHolders(estate: Estate): Map<string | undefined, number[]> {
  const names = new Set(
    estate
      .nodesOf('Domain')
      .map((domain) => upperCase(estate.property(domain, 'distinguishedname')))
      .filter((name) => name !== undefined)
      .map((name) => `CN=ADMINSDHOLDER,CN=SYSTEM,${name}`),
  );
  const holders = new Map<string | undefined, number[]>();
  for (const container of estate.nodesOf('Container')) {
    const name = upperCase(estate.property(container, 'distinguishedname'));
    const domain = estate.environment(container);
    if (name === undefined || domain === undefined || !names.has(name)) continue;
    holders.set(domain, [...(holders.get(domain) ?? []), container]);
  }
  return holders;
}

function upperCase(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.toUpperCase() : undefined;
}
