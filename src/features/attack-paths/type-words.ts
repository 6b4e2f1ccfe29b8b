/** What helps against several kinds of edges. */
const remedies: Readonly<Record<string, string>> = {
  '@right': 'Remove this right from the object, or from where it is inherited.',
  '@template':
    'Take Enroll away from those who do not need it, ask for approval by a manager, or unpublish the template.',
  '@mapping':
    'Enforce strong certificate mapping on domain controllers, and take the right over the victim away.',
  '@relay':
    'Require signing and channel binding on the target, and stop what makes computers authenticate to others.',
  '@role': 'Remove the assignment of the role, or narrow its scope to what is needed.',
  '@approle': 'Take the permission away from the application, or protect it like the zone itself.',
};

/** Kind of edge | what it is called | what the start can do to the [end] | what helps */
const table = `
  DCSync | Replication of passwords | can read the secrets of all accounts of [a domain] | Remove the rights to replicate directory changes.
  AZManagedIdentity | Managed identities | can act as [a service principal], which is its managed identity | Give the resource an identity with fewer rights, or protect it like the zone itself.
  ADCSESC1 | Certificates for anybody (ESC1) | can enrol in a template that lets it name any subject, and so become anybody in [a domain] | @template
  ADCSESC3 | Enrolment agents (ESC3) | can get an enrolment agent certificate and ask for certificates of others in [a domain] | @template
  ADCSESC4 | Control of templates (ESC4) | can change a published template so that it becomes anybody in [a domain] | Remove the rights to write the template.
  ADCSESC6a | Authorities that take any name (ESC6a) | can put any name into a certificate request and so become anybody in [a domain] | Turn off EDITF_ATTRIBUTESUBJECTALTNAME2 on the certificate authority.
  ADCSESC6b | Authorities that take any name, by Schannel (ESC6b) | can put any name into a certificate request and sign in through Schannel as anybody in [a domain] | Turn off EDITF_ATTRIBUTESUBJECTALTNAME2 on the certificate authority.
  ADCSESC9a | No security extension (ESC9a) | can rename an account it controls and get a certificate that stands for somebody else in [a domain] | @mapping
  ADCSESC9b | No security extension, computers (ESC9b) | can rename a computer it controls and get a certificate that stands for another computer in [a domain] | @mapping
  ADCSESC10a | Weak certificate mapping (ESC10a) | can rename an account it controls and sign in through Schannel as somebody else in [a domain] | @mapping
  ADCSESC10b | Weak certificate mapping, computers (ESC10b) | can rename a computer it controls and sign in through Schannel as another computer in [a domain] | @mapping
  ADCSESC13 | Issuance policies linked to groups (ESC13) | can enrol in a template whose issuance policy makes it a member of [a group] | Remove the link between the issuance policy and the group, or the right to enrol.
  AddAllowedToAct | Writing delegation to a computer | can let any account impersonate others on [a computer] | @right
  AddKeyCredentialLink | Shadow credentials | can add a key of its own to [an account] and sign in as it | @right
  AddMember | Adding members to groups | can add members to [a group] | @right
  AddSelf | Joining groups | can add itself to [a group] | @right
  AdminTo | Local administrators | is a local administrator of [a computer] | Remove it from the local administrators. Let accounts of the zone do this work instead.
  AllExtendedRights | All extended rights | has all extended rights over [an object], resetting passwords among them | @right
  AllowedToAct | Delegation to a computer | may impersonate others on [a computer] | Remove it from those that are allowed to act on behalf of others there.
  AllowedToDelegate | Constrained delegation | may sign in to services of [a computer] as somebody else | Remove the delegation, or mark the privileged accounts as not to be delegated.
  CoerceAndRelayNTLMToADCS | Relay to certificate enrolment | can make [a computer] authenticate, relay that to web enrolment and get a certificate of it | Turn off web enrolment over HTTP, and require channel binding.
  CoerceAndRelayNTLMToLDAP | Relay to LDAP | can make [a computer] authenticate, and relay that to a domain controller over LDAP | @relay
  CoerceAndRelayNTLMToLDAPS | Relay to LDAPS | can make [a computer] authenticate, and relay that to a domain controller over LDAPS | @relay
  CoerceAndRelayNTLMToSMB | Relay to SMB | can make another computer authenticate, and relay that to [a computer] over SMB | @relay
  CoerceToTGT | Unconstrained delegation | can collect tickets of whoever signs in to it, and so take over [a domain] | Replace unconstrained by constrained delegation, and protect privileged accounts from delegation.
  ExecuteDCOM | Remote calls by DCOM | may start programs on [a computer] by DCOM | Remove it from the Distributed COM Users. Let accounts of the zone do this work instead.
  DumpSMSAPassword | Standalone managed service accounts | has the password of [a service account] in its memory | Use the service account on computers of its zone only.
  ForceChangePassword | Resetting passwords | can reset the password of [a user] | @right
  GenericAll | Full control | has full control of [an object] | @right
  GenericWrite | Writing all properties | can write nearly every property of [an object] | @right
  GoldenCert | Hosts of certificate authorities | holds the key of a certificate authority and can make certificates of anybody in [a domain] | Protect the host of the authority like the zone itself, and keep its key in hardware.
  HasSIDHistory | SID history | has the rights of [another object] by its SID history | Clear the SID history.
  HasSession | Sessions | has a session of [a user], whose credentials can be taken from its memory | Do not sign in there with accounts of the zone; use workstations of their own for them.
  ManageCA | Managing certificate authorities | can change the configuration of [a certificate authority] | Remove the right to manage the authority.
  ManageCertificates | Approving certificates | can approve requests that wait at [a certificate authority] | Remove the right to issue and manage certificates.
  Owns | Owners | owns [an object] and can grant itself every right over it | Make an account of the zone the owner.
  OwnsLimitedRights | Owners with limited rights | owns [an object] and has the rights that are left to owners | Make an account of the zone the owner.
  CanPSRemote | PowerShell remoting | may open PowerShell sessions on [a computer] | Remove it from the Remote Management Users. Let accounts of the zone do this work instead.
  CanRDP | Remote desktop | may sign in to [a computer] by remote desktop | Remove it from the Remote Desktop Users. Let accounts of the zone do this work instead.
  ReadGMSAPassword | Passwords of group managed accounts | can read the password of [a service account] | Remove it from those who may retrieve the password.
  ReadLAPSPassword | Passwords of local administrators | can read the password of the local administrator of [a computer] | Remove the right to read it.
  SQLAdmin | Administrators of databases | is an administrator of the database server on [a computer] | Take the role of the server away from it.
  SyncedToADUser | Accounts synchronised from Entra | is synchronised with [a user], so that whoever controls it controls that one | Do not synchronise privileged accounts.
  SyncLAPSPassword | Synchronising passwords of local administrators | can replicate the password of the local administrator of [a computer] | Remove the rights to replicate filtered attributes.
  WriteAccountRestrictions | Writing account restrictions | can let any account impersonate others on [a computer] | @right
  WriteDacl | Writing permissions | can grant itself every right over [an object] | @right
  WriteGPLink | Linking group policies | can link a group policy to [a domain or organisational unit] | @right
  WriteOwner | Taking ownership | can make itself the owner of [an object] | @right
  WriteOwnerLimitedRights | Taking ownership with limited rights | can make itself the owner of [an object] and has the rights that are left to owners | @right
  WriteSPN | Writing service names | can give [a user] a service name and then guess its password offline | @right
  AZAddMembers | Adding members to Entra groups | can add members to [a group] | Remove the role or the ownership that allows it, or make the group assignable to roles.
  AZAddOwner | Adding owners | can make anybody an owner of [an application] | @role
  AZAddSecret | Adding secrets to applications | can add a secret to [an application] and sign in as it | @role
  AZAKSContributor | Kubernetes contributors | can run commands in [a cluster] and act as its identity | @role
  AZAppAdmin | Application administrators | can add a secret to [an application] and sign in as it | @role
  AZAutomationContributor | Automation contributors | can run scripts in [an automation account] and act as its identity | @role
  AZAvereContributor | Avere contributors | can run commands on [a virtual machine] | @role
  AZCloudAppAdmin | Cloud application administrators | can add a secret to [an application] and sign in as it | @role
  AZContributor | Contributors | can change nearly everything about [a resource] | @role
  AZExecuteCommand | Commands through Intune | can run scripts on [a device] | @role
  AZGetCertificates | Reading certificates of vaults | can read the certificates in [a key vault] | Remove the access policy, or the role on the vault.
  AZGetKeys | Reading keys of vaults | can read the keys in [a key vault] | Remove the access policy, or the role on the vault.
  AZGetSecrets | Reading secrets of vaults | can read the secrets in [a key vault] | Remove the access policy, or the role on the vault.
  AZKeyVaultContributor | Key vault contributors | can give itself access to everything in [a key vault] | @role
  AZLogicAppContributor | Logic app contributors | can change the workflow of [a logic app] and act as its identity | @role
  AZMGAddMember | Adding members by Microsoft Graph | can add members to [a group] by a permission of Microsoft Graph | @approle
  AZMGAddOwner | Adding owners by Microsoft Graph | can make anybody an owner of [an object] by a permission of Microsoft Graph | @approle
  AZMGAddSecret | Adding secrets by Microsoft Graph | can add a secret to [an application] by a permission of Microsoft Graph | @approle
  AZMGGrantAppRoles | Granting permissions by Microsoft Graph | can grant any permission in [a tenant] to any application | @approle
  AZMGGrantRole | Granting roles by Microsoft Graph | can grant [a role] to anybody by a permission of Microsoft Graph | @approle
  AZOwner | Owners of resources | has every right over [a resource] | @role
  AZOwns | Owners of Entra objects | owns [an object] and can change it | Remove it from the owners.
  AZResetPassword | Resetting passwords in Entra | can reset the password of [a user] | @role
  SyncedToEntraUser | Accounts synchronised to Entra | is synchronised with [a user], so that whoever controls it controls that one | Do not synchronise privileged accounts.
  AZUserAccessAdministrator | User access administrators | can grant itself every right over [a resource] | @role
  AZVMAdminLogin | Administrators of virtual machines | may sign in to [a virtual machine] as an administrator | @role
  AZVMContributor | Virtual machine contributors | can run commands on [a virtual machine] | @role
  AZWebsiteContributor | Website contributors | can change the code of [a web app] and act as its identity | @role
`;

export interface KindWords {
  readonly title: string;
  /** What goes on behind the name of the start; the end is in brackets. */
  readonly does: string;
  readonly remediation: string;
}

/** By kind of edge. */
export const kindWords: ReadonlyMap<string, KindWords> = new Map(
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [kind = '', title = '', does = '', remedy = ''] = line.trim().split(' | ');
      return [kind, { title, does, remediation: remedies[remedy] ?? remedy }];
    }),
);
