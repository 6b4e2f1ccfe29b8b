/**
 * Kinds that follow from others and are made anew by every analysis. Edges of these kinds that somebody uploads are
 * not taken at their word: analysis leaves them aside and deletes them.
 */
export const rebuiltKinds: readonly string[] = [
  'Owns',
  'WriteOwner',
  'DCSync',
  'ProtectAdminGroups',
  'SyncLAPSPassword',
  'AdminTo',
  'CanRDP',
  'CanPSRemote',
  'ExecuteDCOM',
  'HasTrustKeys',
  'TrustedForNTAuth',
  'IssuedSignedBy',
  'EnterpriseCAFor',
  'ExtendedByPolicy',
  'EnrollOnBehalfOf',
  'GoldenCert',
  'ADCSESC1',
  'ADCSESC3',
  'ADCSESC4',
  'ADCSESC6a',
  'ADCSESC6b',
  'ADCSESC9a',
  'ADCSESC9b',
  'ADCSESC10a',
  'ADCSESC10b',
  'ADCSESC13',
  'CoerceAndRelayNTLMToSMB',
  'CoerceAndRelayNTLMToLDAP',
  'CoerceAndRelayNTLMToLDAPS',
  'CoerceAndRelayNTLMToADCS',
  'SyncedToADUser',
  'AZResetPassword',
  'AZGlobalAdmin',
  'AZPrivilegedRoleAdmin',
  'AZPrivilegedAuthAdmin',
  'AZAddMembers',
  'AZMGAddSecret',
  'AZMGAddOwner',
  'AZMGAddMember',
  'AZMGGrantAppRoles',
  'AZMGGrantRole',
  'AZAddSecret',
  'AZAddOwner',
  'AZExecuteCommand',
  'SyncedToEntraUser',
  'AZRoleApprover',
  'GPOAppliesTo',
  'CanApplyGPO',
];

/** Kinds that collectors state and analysis completes. */
export const completedKinds: readonly string[] = ['MemberOf', 'ClaimSpecialIdentity'];

/**
 * Stands in memory beside an AZHasRole that holds for a part of the tenant only: a role given for one application,
 * say, is no role that rules over the whole.
 */
export const scopedRoleKind = 'AZHasRole(scoped)';
