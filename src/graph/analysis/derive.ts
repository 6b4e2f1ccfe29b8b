import { certificateRules } from './certificates/rules.ts';
import { type EdgeSet, PairList } from './edge-set.ts';
import type { Estate } from './estate.ts';
import { Facts, type Rule, type RuleSettings } from './facts.ts';
import { adminTo } from './rules/admin-to.ts';
import { azureRules } from './rules/azure/rules.ts';
import { canPsRemote } from './rules/can-ps-remote.ts';
import { canRdp } from './rules/can-rdp.ts';
import { claimSpecialIdentity } from './rules/claim-special-identity.ts';
import { coerceAndRelayNtlmToLdap } from './rules/coerce-and-relay-ntlm-to-ldap.ts';
import { coerceAndRelayNtlmToLdaps } from './rules/coerce-and-relay-ntlm-to-ldaps.ts';
import { coerceAndRelayNtlmToSmb } from './rules/coerce-and-relay-ntlm-to-smb.ts';
import { dcSync } from './rules/dc-sync.ts';
import { executeDcom } from './rules/execute-dcom.ts';
import { hasTrustKeys } from './rules/has-trust-keys.ts';
import { memberOf } from './rules/member-of.ts';
import { owns } from './rules/owns.ts';
import { protectAdminGroups } from './rules/protect-admin-groups.ts';
import { syncLapsPassword } from './rules/sync-laps-password.ts';
import { writeOwner } from './rules/write-owner.ts';

/** Every rule with the kind of edge it makes, in an order in which each finds what it needs. */
export const rules: readonly (readonly [kind: string, rule: Rule])[] = [
  ['MemberOf', memberOf],
  ['ClaimSpecialIdentity', claimSpecialIdentity],
  ['Owns', owns],
  ['WriteOwner', writeOwner],
  ['DCSync', dcSync],
  ['SyncLAPSPassword', syncLapsPassword],
  ['ProtectAdminGroups', protectAdminGroups],
  ['AdminTo', adminTo],
  ['CanPSRemote', canPsRemote],
  ['ExecuteDCOM', executeDcom],
  ['CanRDP', canRdp],
  ['HasTrustKeys', hasTrustKeys],
  ['CoerceAndRelayNTLMToSMB', coerceAndRelayNtlmToSmb],
  ['CoerceAndRelayNTLMToLDAP', coerceAndRelayNtlmToLdap],
  ['CoerceAndRelayNTLMToLDAPS', coerceAndRelayNtlmToLdaps],
  ...certificateRules,
  ...azureRules,
];

/** Works out all that follows. The estate has it afterwards; the answer is what was not collected already. */
export function derive(estate: Estate, settings: RuleSettings): Map<string, EdgeSet> {
  const steps = deriveByRule(estate, settings);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same, one rule at a time: after each it tells which part of them is done. */
export function* deriveByRule(
  estate: Estate,
  settings: RuleSettings,
): Generator<number, Map<string, EdgeSet>> {
  const facts = new Facts(estate, settings);
  const derived = new Map<string, EdgeSet>();
  for (const [index, [kind, rule]] of rules.entries()) {
    const collected = estate.edges(kind);
    const pairs = new PairList();
    rule(facts, (start, end) => {
      if (!collected.has(start, end)) pairs.add(start, end);
    });
    derived.set(kind, pairs.toEdgeSet(estate.size));
    estate.add(kind, pairs);
    yield (index + 1) / rules.length;
  }
  return derived;
}
