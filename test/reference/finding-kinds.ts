/** Kinds of edges and of findings, written down a second time. */
const words = (text: string) => text.trim().split(/\s+/);

const directorySteps = words(`
  Owns GenericAll GenericWrite WriteOwner WriteDacl MemberOf ForceChangePassword AllExtendedRights AddMember HasSession
  GPLink AllowedToDelegate CoerceToTGT AllowedToAct AdminTo CanPSRemote CanRDP ExecuteDCOM HasSIDHistory AddSelf DCSync
  ReadLAPSPassword ReadGMSAPassword DumpSMSAPassword SQLAdmin AddAllowedToAct WriteSPN AddKeyCredentialLink
  SyncLAPSPassword WriteAccountRestrictions WriteGPLink GoldenCert ADCSESC1 ADCSESC3 ADCSESC4 ADCSESC6a ADCSESC6b
  ADCSESC9a ADCSESC9b ADCSESC10a ADCSESC10b ADCSESC13 SyncedToADUser CoerceAndRelayNTLMToSMB CoerceAndRelayNTLMToADCS
  WriteOwnerLimitedRights OwnsLimitedRights ClaimSpecialIdentity CoerceAndRelayNTLMToLDAP CoerceAndRelayNTLMToLDAPS
  ContainsIdentity PropagatesACEsTo GPOAppliesTo CanApplyGPO HasTrustKeys WriteAltSecurityIdentities
  WritePublicInformation ManageCA ManageCertificates Contains DCFor SameForestTrust SpoofSIDHistory
  AbuseTGTDelegation`);

const azureSteps = words(`
  AZAvereContributor AZContributor AZGetCertificates AZGetKeys AZGetSecrets AZHasRole AZMemberOf AZOwner AZRunsAs
  AZVMContributor AZAutomationContributor AZKeyVaultContributor AZVMAdminLogin AZAddMembers AZAddSecret AZExecuteCommand
  AZGlobalAdmin AZPrivilegedAuthAdmin AZGrant AZGrantSelf AZPrivilegedRoleAdmin AZResetPassword AZUserAccessAdministrator
  AZOwns AZCloudAppAdmin AZAppAdmin AZAddOwner AZManagedIdentity AZAKSContributor AZNodeResourceGroup AZWebsiteContributor
  AZLogicAppContributor AZMGAddMember AZMGAddOwner AZMGAddSecret AZMGGrantAppRoles AZMGGrantRole SyncedToEntraUser
  AZRoleEligible AZRoleApprover AZContains AZAuthenticatesTo`);

/** Edges that an attacker moves along. */
export const traversable: ReadonlySet<string> = new Set([...directorySteps, ...azureSteps]);

/** `Name=Kind` where the two differ. */
const tierZero = words(`
  ADCSESC1 ADCSESC3 ADCSESC4 ADCSESC6a ADCSESC6b ADCSESC9a ADCSESC9b ADCSESC10a ADCSESC10b ADCSESC13 AddAllowedToAct
  AddKeyCredentialLink AddMember AddSelf Admins=AdminTo AllExtendedRights AllowedToAct AllowedToDelegate
  CoerceAndRelayNTLMToADCS CoerceAndRelayNTLMToLDAP CoerceAndRelayNTLMToLDAPS CoerceAndRelayNTLMToSMB CoerceToTGT
  DCOM=ExecuteDCOM DumpSMSA=DumpSMSAPassword ForceChangePassword GenericAll GenericWrite GoldenCert HasSIDHistory
  Logins=HasSession ManageCA ManageCertificates Owns OwnsLimitedRights PSRemote=CanPSRemote RDP=CanRDP
  ReadGMSA=ReadGMSAPassword ReadLAPS=ReadLAPSPassword SQLAdmin SyncedToADUser SyncLAPSPassword WriteAccountRestrictions
  WriteDACL=WriteDacl WriteGPLink WriteOwner WriteOwnerLimitedRights WriteSPN`);

const largeGroups = words(`
  AddAllowedToAct AddKeyCredentialLink AddMember AddSelf Admins=AdminTo AllExtendedRights CoerceAndRelayNTLMToADCS
  CoerceAndRelayNTLMToLDAP CoerceAndRelayNTLMToLDAPS CoerceAndRelayNTLMToSMB DCOM=ExecuteDCOM ForceChangePassword
  GenericAll GenericWrite ManageCA ManageCertificates Owns OwnsLimitedRights PSRemote=CanPSRemote RDP=CanRDP
  ReadGMSA=ReadGMSAPassword ReadLAPS=ReadLAPSPassword SQLAdmin SyncLAPSPassword WriteAccountRestrictions WriteDacl
  WriteGPLink WriteOwner WriteOwnerLimitedRights WriteSPN`);

/** Without the AZ that most kinds begin with. */
const azure = words(`
  AddMembers AddOwner AddSecret AKSContributor AppAdmin AutomationContributor AvereContributor CloudAppAdmin Contributor
  ExecuteCommand GetCerts=AZGetCertificates GetKeys GetSecrets KeyVaultContributor LogicAppContributor MGAddMember
  MGAddOwner MGAddSecret MGGrantAppRoles MGGrantRole Owner Owns ResetPassword SyncedToEntraUser=SyncedToEntraUser
  UserAccessAdministrator VMAdminLogin VMContributor WebsiteContributor`);

export interface FindingKind {
  readonly id: string;
  readonly category: 'zone' | 'large-default-group' | 'list';
  readonly kind: string | undefined;
}

function named(category: FindingKind['category'], beginning: string, prefix = '') {
  return (entry: string): FindingKind => {
    const [name, kind] = entry.split('=');
    return { id: `${beginning}${name}`, category, kind: kind ?? `${prefix}${name}` };
  };
}

export const findingKinds: readonly FindingKind[] = [
  { id: 'Kerberoasting', category: 'list', kind: undefined },
  { id: 'ASREPRoasting', category: 'list', kind: undefined },
  { id: 'T0MarkSensitive', category: 'list', kind: undefined },
  { id: 'AzureT0RoleActivationNoMFA', category: 'list', kind: undefined },
  { id: 'NonT0DCSyncers', category: 'zone', kind: 'DCSync' },
  { id: 'AzureNonT0ManagedIdentityAssignment', category: 'zone', kind: 'AZManagedIdentity' },
  ...tierZero.map(named('zone', 'T0')),
  ...azure.map(named('zone', 'AzureT0', 'AZ')),
  ...largeGroups.map(named('large-default-group', 'LargeDefaultGroups')),
];
