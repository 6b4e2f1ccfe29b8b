import * as appRoles from './app-roles.ts';
import * as azure from './azure.ts';
import * as certificates from './certificates.ts';
import * as domains from './domains.ts';
import * as esc from './esc.ts';
import * as escByVictim from './esc-by-victim.ts';
import type { Graph, Pair } from './graph.ts';
import * as localRights from './local-rights.ts';
import * as ntlm from './ntlm.ts';
import * as ownership from './ownership.ts';
import * as wellKnown from './well-known.ts';

export interface Settings {
  readonly citrixRdp: boolean;
}

/** Every kind of edge that follows from others, in an order in which each finds what it needs. */
export const rules: readonly (readonly [
  kind: string,
  rule: (graph: Graph, settings: Settings) => readonly Pair[],
])[] = [
  ['MemberOf', wellKnown.wellKnownMemberships],
  ['ClaimSpecialIdentity', wellKnown.claimSpecialIdentity],
  ['Owns', ownership.owns],
  ['WriteOwner', ownership.writeOwner],
  ['DCSync', domains.dcSync],
  ['SyncLAPSPassword', domains.syncLapsPassword],
  ['ProtectAdminGroups', domains.protectAdminGroups],
  ['HasTrustKeys', domains.hasTrustKeys],
  ['AdminTo', localRights.adminTo],
  ['CanPSRemote', localRights.canPsRemote],
  ['ExecuteDCOM', localRights.executeDcom],
  ['CanRDP', localRights.canRdp],
  ['TrustedForNTAuth', certificates.trustedForNtAuth],
  ['IssuedSignedBy', certificates.issuedSignedBy],
  ['EnterpriseCAFor', certificates.enterpriseCaFor],
  ['ExtendedByPolicy', certificates.extendedByPolicy],
  ['EnrollOnBehalfOf', certificates.enrollOnBehalfOf],
  ['GoldenCert', certificates.goldenCert],
  ['ADCSESC1', esc.adcsEsc1],
  ['ADCSESC3', esc.adcsEsc3],
  ['ADCSESC4', esc.adcsEsc4],
  ['ADCSESC6a', esc.adcsEsc6a],
  ['ADCSESC6b', esc.adcsEsc6b],
  ['ADCSESC9a', escByVictim.adcsEsc9a],
  ['ADCSESC9b', escByVictim.adcsEsc9b],
  ['ADCSESC10a', escByVictim.adcsEsc10a],
  ['ADCSESC10b', escByVictim.adcsEsc10b],
  ['ADCSESC13', esc.adcsEsc13],
  ['CoerceAndRelayNTLMToSMB', ntlm.coerceAndRelayToSmb],
  ['CoerceAndRelayNTLMToLDAP', ntlm.coerceAndRelayToLdap],
  ['CoerceAndRelayNTLMToLDAPS', ntlm.coerceAndRelayToLdaps],
  ['CoerceAndRelayNTLMToADCS', ntlm.coerceAndRelayToAdcs],
  ['AZResetPassword', azure.azResetPassword],
  ['AZGlobalAdmin', azure.azGlobalAdmin],
  ['AZPrivilegedRoleAdmin', azure.azPrivilegedRoleAdmin],
  ['AZPrivilegedAuthAdmin', azure.azPrivilegedAuthAdmin],
  ['AZAddMembers', azure.azAddMembers],
  ['AZMGAddSecret', appRoles.azMgAddSecret],
  ['AZMGAddOwner', appRoles.azMgAddOwner],
  ['AZMGAddMember', appRoles.azMgAddMember],
  ['AZMGGrantAppRoles', appRoles.azMgGrantAppRoles],
  ['AZMGGrantRole', appRoles.azMgGrantRole],
  ['AZAddSecret', azure.azAddSecret],
  ['AZAddOwner', azure.azAddOwner],
  ['AZExecuteCommand', azure.azExecuteCommand],
  ['SyncedToEntraUser', azure.syncedToEntraUser],
  ['SyncedToADUser', azure.syncedToAdUser],
  ['AZRoleApprover', azure.azRoleApprover],
];

/** All that follows, kind by kind, without what the graph had before. The graph has it afterwards. */
export function derive(graph: Graph, settings: Settings): Map<string, Pair[]> {
  const derived = new Map<string, Pair[]>();
  for (const [kind, rule] of rules) {
    const known = graph.pairs(kind).length;
    graph.add(kind, rule(graph, settings));
    derived.set(kind, graph.pairs(kind).slice(known));
  }
  return derived;
}
