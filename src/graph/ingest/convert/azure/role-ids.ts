/** Ids that Microsoft gives to roles, the same in every tenant. In upper case, as ids are stored and compared. */

export const microsoftGraph = '00000003-0000-0000-C000-000000000000';

/** Application roles of Microsoft Graph, and the edge that says who has them. */
export const appRoleEdges: ReadonlyMap<string, string> = new Map([
  ['1BFEFB4E-E0B5-418B-A88F-73C46D2CC8E9', 'AZMGApplication_ReadWrite_All'],
  ['06B708A9-E830-4DB3-A914-8E69DA51D44F', 'AZMGAppRoleAssignment_ReadWrite_All'],
  ['19DBC75E-C2E2-444C-A770-EC69D8559FC7', 'AZMGDirectory_ReadWrite_All'],
  ['62A82D76-70EA-41E2-9197-370581804D09', 'AZMGGroup_ReadWrite_All'],
  ['DBAAE8CF-10B5-4B86-A4A1-F871C94C6695', 'AZMGGroupMember_ReadWrite_All'],
  ['9E3F62CF-CA93-4989-B6CE-BF83C28F9FE8', 'AZMGRoleManagement_ReadWrite_Directory'],
  ['89C8469C-83AD-45F7-8FF2-6E3D4285709E', 'AZMGServicePrincipalEndpoint_ReadWrite_All'],
]);

/** Templates of the directory's roles. */
export const roleTemplates = {
  globalAdministrator: '62E90394-69F5-4237-9190-012177145E10',
  privilegedRoleAdministrator: 'E8611AB8-C189-46E8-94E1-60213AB1F814',
  privilegedAuthenticationAdministrator: '7BE44C8A-ADAF-4E2A-84D6-AB2649E08A13',
  partnerTier2Support: 'E00E864A-17C5-4A4B-9C06-F5B95A8D5BD8',
  partnerTier1Support: '4BA39CA4-527C-499A-B93D-D9B492C50246',
  helpdeskAdministrator: '729827E3-9C14-49F7-BB1B-9608F156BBB8',
  authenticationAdministrator: 'C4E39BD9-1100-46D3-8C65-FB160DA0071F',
  userAdministrator: 'FE930BE7-5E62-47DB-91AF-98C3A49A38B1',
  passwordAdministrator: '966707D0-3269-4727-9BE2-8C3A10F19B9D',
  applicationAdministrator: '9B895D92-2CD3-44C7-9D02-A6AC2D5EA5C3',
  cloudApplicationAdministrator: '158C047A-C907-4556-B7EF-446551A6B5F7',
  hybridIdentityAdministrator: '8AC3FC64-6ECA-42EA-9E69-59F4C7B60EB2',
  directorySynchronizationAccounts: 'D29B2B05-8046-44BA-8758-1E26182FCF32',
  groupsAdministrator: 'FDD7A751-B60B-444A-984C-02652FE8FA1C',
  directoryWriters: '9360FEB5-F418-4BAA-8175-E2A00BAC4301',
  identityGovernanceAdministrator: '45D8D3C5-C802-45C6-B32A-1D70B5E1E86E',
  intuneAdministrator: '3A2C62DB-5318-420D-8D74-23AFFEE5D9D5',
  knowledgeAdministrator: 'B5A8DCF3-09D5-43A9-A639-8E29EF291470',
  knowledgeManager: '744EC460-397E-42AD-A462-8B3F9747A02C',
  reportsReader: '4A5D8F65-41DA-4DE4-8968-E035B65339CF',
  messageCenterReader: '790C1FB9-7F7D-4F88-86A1-EF1F95C05C1B',
  guestInviter: '95E79109-95C0-4D8E-AEE3-D01ACCF2D47B',
  directoryReaders: '88D8E3E3-8F55-4A1E-953A-9B9898B8876B',
  usageSummaryReportsReader: '75934031-6C7E-415A-99D7-48DBD49E875E',
  securityAdministrator: '194AE4CB-B126-40B2-BD5B-6091B380977D',
} as const;

/** Roles of resources. */
export const resourceRoles = {
  owner: '8E3AF657-A8FF-443C-A75C-2FE8C4BCB635',
  contributor: 'B24988AC-6180-42A0-AB88-20F7382DD24C',
  userAccessAdministrator: '18D7D88D-D35E-4FB5-A5C3-7773C20A72D9',
  vmContributor: '9980E02C-C2BE-4D73-94E8-173B1DC7CF3C',
  vmAdministratorLogin: '1C0163C0-47E6-4577-8991-EA5C82E286E4',
  avereContributor: '4F8FAB4F-1852-4A58-A46A-8EAF358AF14A',
  keyVaultContributor: 'F25E0FA2-A7C8-4377-A976-54943A77A395',
  websiteContributor: 'DE139F84-1756-47AE-9BE6-808FBBE84772',
  automationContributor: 'F353D9BD-D4A6-484E-A77A-8050B599B867',
  logicAppContributor: '87A39D53-FC1B-424A-814C-F7E04687DC9E',
  aksContributor: 'ED7F3FBD-7B88-4DD4-9017-9ADB7CE333F8',
} as const;
