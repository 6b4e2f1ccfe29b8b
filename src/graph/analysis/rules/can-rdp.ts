import { crossProduct } from '../cross-product.ts';
import type { Estate } from '../estate.ts';
import type { Facts, Rule } from '../facts.ts';
import { isLocalGroup } from '../local-groups.ts';

/**
 * To log on to a desktop one must be in Remote Desktop Users and hold the right to log on remotely. Where Citrix is
 * installed, which its local group shows, one must be in that as well.
 */
export const canRdp: Rule = (facts, add) => {
  const { estate, settings } = facts;
  estate.edges('LocalToComputer').each((group, computer) => {
    if (!isLocalGroup(estate, group, 555) || !estate.has(computer, 'Computer')) return;
    let principals = remoteDesktopUsers(facts, group, computer);
    if (settings.citrixRdp && principals.length > 0) {
      const direct = directAccessUsers(estate, computer);
      if (direct !== undefined) principals = crossProduct(facts, [principals, direct]);
    }
    for (const principal of principals) if (principal !== computer) add(principal, computer);
  });
};

function remoteDesktopUsers(facts: Facts, group: number, computer: number): readonly number[] {
  const { estate, membership } = facts;
  const rights = estate.edges('RemoteInteractiveLogonRight');
  if (rights.has(group, computer)) return [...estate.sources(group, 'MemberOfLocalGroup')];
  if (membership.isEmpty(group)) return [];
  const found: number[] = [];
  for (const holder of rights.sources(computer)) {
    if (membership.isMember(holder, group)) found.push(holder);
    else for (const member of membership.commonMembers(holder, group)) found.push(member);
  }
  return found;
}

/** Direct members of the group that Citrix makes; undefined where there is none. */
function directAccessUsers(estate: Estate, computer: number): readonly number[] | undefined {
  const groups = estate.sources(computer, 'LocalToComputer').filter((group) => {
    const name = estate.property(group, 'name');
    return typeof name === 'string' && name.toUpperCase().startsWith('DIRECT ACCESS USERS');
  });
  if (groups.length === 0) return undefined;
  return [...groups].flatMap((group) => [...estate.sources(group, 'MemberOfLocalGroup')]);
}
