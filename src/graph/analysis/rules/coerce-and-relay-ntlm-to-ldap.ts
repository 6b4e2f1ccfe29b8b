import { relayToDirectory } from '../relay-to-directory.ts';

export const coerceAndRelayNtlmToLdap = relayToDirectory({
  unchecked: 'ldapsigning',
  available: 'ldapavailable',
});
