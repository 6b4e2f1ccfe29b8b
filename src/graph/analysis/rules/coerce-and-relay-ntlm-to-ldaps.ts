import { relayToDirectory } from '../relay-to-directory.ts';

export const coerceAndRelayNtlmToLdaps = relayToDirectory({
  unchecked: 'ldapsepa',
  available: 'ldapsavailable',
});
