/** What a finding is called, and the kind of edge it is about. */
export interface FindingType {
  readonly id: string;
  readonly category: 'zone' | 'large-default-group' | 'list';
  /** The kind of edge; a list finding has none. */
  readonly kind: string | undefined;
}

/** Names that are not the edge's own. */
const names: Readonly<Record<string, string>> = {
  AdminTo: 'Admins',
  ExecuteDCOM: 'DCOM',
  DumpSMSAPassword: 'DumpSMSA',
  HasSession: 'Logins',
  CanPSRemote: 'PSRemote',
  CanRDP: 'RDP',
  ReadGMSAPassword: 'ReadGMSA',
  ReadLAPSPassword: 'ReadLAPS',
};

const zoneKinds = `
  ADCSESC1 ADCSESC3 ADCSESC4 ADCSESC6a ADCSESC6b ADCSESC9a ADCSESC9b ADCSESC10a ADCSESC10b ADCSESC13 AddAllowedToAct
  AddKeyCredentialLink AddMember AddSelf AdminTo AllExtendedRights AllowedToAct AllowedToDelegate
  CoerceAndRelayNTLMToADCS CoerceAndRelayNTLMToLDAP CoerceAndRelayNTLMToLDAPS CoerceAndRelayNTLMToSMB CoerceToTGT
  ExecuteDCOM DumpSMSAPassword ForceChangePassword GenericAll GenericWrite GoldenCert HasSIDHistory HasSession ManageCA
  ManageCertificates Owns OwnsLimitedRights CanPSRemote CanRDP ReadGMSAPassword ReadLAPSPassword SQLAdmin SyncedToADUser
  SyncLAPSPassword WriteAccountRestrictions WriteDacl WriteGPLink WriteOwner WriteOwnerLimitedRights WriteSPN`;

const largeGroupKinds = `
  AddAllowedToAct AddKeyCredentialLink AddMember AddSelf AdminTo AllExtendedRights CoerceAndRelayNTLMToADCS
  CoerceAndRelayNTLMToLDAP CoerceAndRelayNTLMToLDAPS CoerceAndRelayNTLMToSMB ExecuteDCOM ForceChangePassword GenericAll
  GenericWrite ManageCA ManageCertificates Owns OwnsLimitedRights CanPSRemote CanRDP ReadGMSAPassword ReadLAPSPassword
  SQLAdmin SyncLAPSPassword WriteAccountRestrictions WriteDacl WriteGPLink WriteOwner WriteOwnerLimitedRights WriteSPN`;

const azureKinds = `
  AZAddMembers AZAddOwner AZAddSecret AZAKSContributor AZAppAdmin AZAutomationContributor AZAvereContributor
  AZCloudAppAdmin AZContributor AZExecuteCommand AZGetCertificates AZGetKeys AZGetSecrets AZKeyVaultContributor
  AZLogicAppContributor AZMGAddMember AZMGAddOwner AZMGAddSecret AZMGGrantAppRoles AZMGGrantRole AZOwner AZOwns
  AZResetPassword SyncedToEntraUser AZUserAccessAdministrator AZVMAdminLogin AZVMContributor AZWebsiteContributor`;

const words = (text: string) => text.trim().split(/\s+/);

function zoneType(kind: string): FindingType {
  // The one type whose name says what it is rather than what it leads to.
  const id = kind === 'WriteDacl' ? 'T0WriteDACL' : `T0${names[kind] ?? kind}`;
  return { id, category: 'zone', kind };
}

function azureType(kind: string): FindingType {
  const name = kind === 'AZGetCertificates' ? 'GetCerts' : kind.replace(/^AZ/, '');
  return { id: `AzureT0${name}`, category: 'zone', kind };
}

export const findingTypes: readonly FindingType[] = [
  { id: 'Kerberoasting', category: 'list', kind: undefined },
  { id: 'ASREPRoasting', category: 'list', kind: undefined },
  { id: 'T0MarkSensitive', category: 'list', kind: undefined },
  { id: 'AzureT0RoleActivationNoMFA', category: 'list', kind: undefined },
  { id: 'NonT0DCSyncers', category: 'zone', kind: 'DCSync' },
  { id: 'AzureNonT0ManagedIdentityAssignment', category: 'zone', kind: 'AZManagedIdentity' },
  ...words(zoneKinds).map(zoneType),
  ...words(azureKinds).map(azureType),
  ...words(largeGroupKinds).map(
    (kind): FindingType => ({
      id: `LargeDefaultGroups${names[kind] ?? kind}`,
      category: 'large-default-group',
      kind,
    }),
  ),
];

/** By the kind of edge. */
export const zoneTypes: ReadonlyMap<string, string> = byKind('zone');
export const largeGroupTypes: ReadonlyMap<string, string> = byKind('large-default-group');

function byKind(category: FindingType['category']): Map<string, string> {
  return new Map(
    findingTypes.flatMap((type) =>
      type.category === category && type.kind !== undefined ? [[type.kind, type.id] as const] : [],
    ),
  );
}
