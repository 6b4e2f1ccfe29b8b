import type { Rule } from '../../facts.ts';
import { toOthers } from './to-others.ts';

export const azMgAddSecret: Rule = ({ tenants }, add) => {
  for (const tenant of tenants) {
    const holders = tenant.permitted(
      'AZMGApplication_ReadWrite_All',
      'AZMGRoleManagement_ReadWrite_Directory',
    );
    toOthers(holders, [tenant.servicePrincipals, tenant.apps], add);
  }
};
