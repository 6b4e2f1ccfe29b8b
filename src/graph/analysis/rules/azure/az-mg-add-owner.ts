import type { Rule } from '../../facts.ts';
import { toOthers } from './to-others.ts';

export const azMgAddOwner: Rule = ({ tenants }, add) => {
  for (const tenant of tenants) {
    const { servicePrincipals, apps, groups, ordinaryGroups } = tenant;
    toOthers(tenant.permitted('AZMGApplication_ReadWrite_All'), [servicePrincipals, apps], add);
    toOthers(
      tenant.permitted('AZMGDirectory_ReadWrite_All', 'AZMGGroup_ReadWrite_All'),
      [ordinaryGroups],
      add,
    );
    toOthers(
      tenant.permitted('AZMGRoleManagement_ReadWrite_Directory'),
      [servicePrincipals, apps, groups],
      add,
    );
    toOthers(tenant.permitted('AZMGServicePrincipalEndpoint_ReadWrite_All'), [servicePrincipals], add);
  }
};
