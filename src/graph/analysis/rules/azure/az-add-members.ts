import type { Rule } from '../../facts.ts';

export const azAddMembers: Rule = ({ estate, tenants }, add) => {
  for (const tenant of tenants) {
    const own = new Set([...tenant.users, ...tenant.servicePrincipals]);
    const canAct = (node: number) => own.has(node) && !estate.has(node, 'AZGroup');
    const toAll = tenant.holders('globalAdministrator', 'privilegedRoleAdministrator');
    const toOrdinary = tenant.holders(
      'groupsAdministrator',
      'directoryWriters',
      'identityGovernanceAdministrator',
      'userAdministrator',
      'intuneAdministrator',
      'knowledgeAdministrator',
      'knowledgeManager',
    );
    for (const holder of toAll) if (canAct(holder)) for (const group of tenant.groups) add(holder, group);
    for (const holder of toOrdinary)
      if (canAct(holder) && !toAll.has(holder)) for (const group of tenant.ordinaryGroups) add(holder, group);
  }
};
