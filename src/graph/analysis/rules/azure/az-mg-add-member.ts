import type { Rule } from '../../facts.ts';
import { toOthers } from './to-others.ts';

export const azMgAddMember: Rule = ({ tenants }, add) => {
  for (const tenant of tenants) {
    const toOrdinary = tenant.permitted(
      'AZMGDirectory_ReadWrite_All',
      'AZMGGroup_ReadWrite_All',
      'AZMGGroupMember_ReadWrite_All',
    );
    toOthers(toOrdinary, [tenant.ordinaryGroups], add);
    toOthers(tenant.permitted('AZMGRoleManagement_ReadWrite_Directory'), [tenant.groups], add);
  }
};
