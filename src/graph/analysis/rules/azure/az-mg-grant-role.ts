import type { Rule } from '../../facts.ts';
import { toOthers } from './to-others.ts';

export const azMgGrantRole: Rule = ({ tenants }, add) => {
  for (const tenant of tenants)
    toOthers(tenant.permitted('AZMGRoleManagement_ReadWrite_Directory'), [tenant.roles], add);
};
