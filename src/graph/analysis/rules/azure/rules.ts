import type { Rule } from '../../facts.ts';
import { azAddMembers } from './az-add-members.ts';
import { azAddOwner } from './az-add-owner.ts';
import { azAddSecret } from './az-add-secret.ts';
import { azExecuteCommand } from './az-execute-command.ts';
import { azGlobalAdmin } from './az-global-admin.ts';
import { azMgAddMember } from './az-mg-add-member.ts';
import { azMgAddOwner } from './az-mg-add-owner.ts';
import { azMgAddSecret } from './az-mg-add-secret.ts';
import { azMgGrantAppRoles } from './az-mg-grant-app-roles.ts';
import { azMgGrantRole } from './az-mg-grant-role.ts';
import { azPrivilegedAuthAdmin } from './az-privileged-auth-admin.ts';
import { azPrivilegedRoleAdmin } from './az-privileged-role-admin.ts';
import { azResetPassword } from './az-reset-password.ts';
import { azRoleApprover } from './az-role-approver.ts';
import { syncedToADUser } from './synced-to-ad-user.ts';
import { syncedToEntraUser } from './synced-to-entra-user.ts';

/** In any order: none of them asks for what another one makes. */
export const azureRules: readonly (readonly [kind: string, rule: Rule])[] = [
  ['AZResetPassword', azResetPassword],
  ['AZGlobalAdmin', azGlobalAdmin],
  ['AZPrivilegedRoleAdmin', azPrivilegedRoleAdmin],
  ['AZPrivilegedAuthAdmin', azPrivilegedAuthAdmin],
  ['AZAddMembers', azAddMembers],
  ['AZMGAddSecret', azMgAddSecret],
  ['AZMGAddOwner', azMgAddOwner],
  ['AZMGAddMember', azMgAddMember],
  ['AZMGGrantAppRoles', azMgGrantAppRoles],
  ['AZMGGrantRole', azMgGrantRole],
  ['AZAddSecret', azAddSecret],
  ['AZAddOwner', azAddOwner],
  ['AZExecuteCommand', azExecuteCommand],
  ['SyncedToEntraUser', syncedToEntraUser],
  ['SyncedToADUser', syncedToADUser],
  ['AZRoleApprover', azRoleApprover],
];
