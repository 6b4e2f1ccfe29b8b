import type { Rule } from '../facts.ts';
import { adcsEsc1 } from '../rules/adcs-esc1.ts';
import { adcsEsc3 } from '../rules/adcs-esc3.ts';
import { adcsEsc4 } from '../rules/adcs-esc4.ts';
import { adcsEsc6a } from '../rules/adcs-esc6a.ts';
import { adcsEsc6b } from '../rules/adcs-esc6b.ts';
import { adcsEsc9a } from '../rules/adcs-esc9a.ts';
import { adcsEsc9b } from '../rules/adcs-esc9b.ts';
import { adcsEsc10a } from '../rules/adcs-esc10a.ts';
import { adcsEsc10b } from '../rules/adcs-esc10b.ts';
import { adcsEsc13 } from '../rules/adcs-esc13.ts';
import { coerceAndRelayNtlmToAdcs } from '../rules/coerce-and-relay-ntlm-to-adcs.ts';
import { enrollOnBehalfOf } from '../rules/enroll-on-behalf-of.ts';
import { enterpriseCAFor } from '../rules/enterprise-ca-for.ts';
import { extendedByPolicy } from '../rules/extended-by-policy.ts';
import { goldenCert } from '../rules/golden-cert.ts';
import { issuedSignedBy } from '../rules/issued-signed-by.ts';
import { trustedForNTAuth } from '../rules/trusted-for-nt-auth.ts';

/** In an order in which each finds what it needs: the first three make the chains that the others ask for. */
export const certificateRules: readonly (readonly [kind: string, rule: Rule])[] = [
  ['TrustedForNTAuth', trustedForNTAuth],
  ['IssuedSignedBy', issuedSignedBy],
  ['EnterpriseCAFor', enterpriseCAFor],
  ['ExtendedByPolicy', extendedByPolicy],
  ['EnrollOnBehalfOf', enrollOnBehalfOf],
  ['GoldenCert', goldenCert],
  ['ADCSESC1', adcsEsc1],
  ['ADCSESC3', adcsEsc3],
  ['ADCSESC4', adcsEsc4],
  ['ADCSESC6a', adcsEsc6a],
  ['ADCSESC6b', adcsEsc6b],
  ['ADCSESC9a', adcsEsc9a],
  ['ADCSESC9b', adcsEsc9b],
  ['ADCSESC10a', adcsEsc10a],
  ['ADCSESC10b', adcsEsc10b],
  ['ADCSESC13', adcsEsc13],
  ['CoerceAndRelayNTLMToADCS', coerceAndRelayNtlmToAdcs],
];
