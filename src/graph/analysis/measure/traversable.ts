/** Kinds along which an attacker can move from the start to the end. */
const activeDirectory = `
  Owns GenericAll GenericWrite WriteOwner WriteDacl MemberOf ForceChangePassword AllExtendedRights AddMember HasSession
  GPLink AllowedToDelegate CoerceToTGT AllowedToAct AdminTo CanPSRemote CanRDP ExecuteDCOM HasSIDHistory AddSelf DCSync
  ReadLAPSPassword ReadGMSAPassword DumpSMSAPassword SQLAdmin AddAllowedToAct WriteSPN AddKeyCredentialLink
  SyncLAPSPassword WriteAccountRestrictions WriteGPLink GoldenCert ADCSESC1 ADCSESC3 ADCSESC4 ADCSESC6a ADCSESC6b
  ADCSESC9a ADCSESC9b ADCSESC10a ADCSESC10b ADCSESC13 SyncedToADUser CoerceAndRelayNTLMToSMB CoerceAndRelayNTLMToADCS
  CoerceAndRelayNTLMToLDAP CoerceAndRelayNTLMToLDAPS WriteOwnerLimitedRights OwnsLimitedRights ClaimSpecialIdentity
  ContainsIdentity PropagatesACEsTo GPOAppliesTo CanApplyGPO HasTrustKeys WriteAltSecurityIdentities
  WritePublicInformation ManageCA ManageCertificates Contains DCFor SameForestTrust SpoofSIDHistory AbuseTGTDelegation`;

const azure = `
  AZAvereContributor AZContributor AZGetCertificates AZGetKeys AZGetSecrets AZHasRole AZMemberOf AZOwner AZRunsAs
  AZVMContributor AZAutomationContributor AZKeyVaultContributor AZVMAdminLogin AZAddMembers AZAddSecret AZExecuteCommand
  AZGlobalAdmin AZPrivilegedAuthAdmin AZGrant AZGrantSelf AZPrivilegedRoleAdmin AZResetPassword AZUserAccessAdministrator
  AZOwns AZCloudAppAdmin AZAppAdmin AZAddOwner AZManagedIdentity AZAKSContributor AZNodeResourceGroup
  AZWebsiteContributor AZLogicAppContributor AZMGAddMember AZMGAddOwner AZMGAddSecret AZMGGrantAppRoles AZMGGrantRole
  SyncedToEntraUser AZRoleEligible AZRoleApprover AZContains AZAuthenticatesTo`;

export const traversableKinds: readonly string[] = `${activeDirectory} ${azure}`.trim().split(/\s+/);
