import type { Draft } from './draft.ts';
import { isObject, model } from './members.ts';
import type { AdObject } from './object.ts';
import type { MutableProperties } from './properties.ts';

export const registryNames = ['IsWebClientRunning', 'SmbInfo', 'NTLMRegistryData', 'DCRegistryData'] as const;

const boolResult = model('Collected', 'Result');
const valueResult = model('Collected', 'Value');
const smbResult = model('SigningEnabled');
const ntlmResult = model(
  'RestrictSendingNtlmTraffic',
  'RestrictReceivingNTLMTraffic',
  'RequireSecuritySignature',
  'EnableSecuritySignature',
  'NtlmMinClientSec',
  'NtlmMinServerSec',
  'LmCompatibilityLevel',
  'UseMachineId',
  'ClientAllowedNTLMServers',
);
const dcRegistry = model(
  'CertificateMappingMethods',
  'StrongCertificateBindingEnforcement',
  'VulnerableNetlogonSecurityDescriptor',
);

/** The properties that are read from a computer's services and registry rather than from the directory. */
export function stateComputerSettings(computer: AdObject<(typeof registryNames)[number]>): void {
  const { draft, members, properties } = computer;
  const webClient = result(draft, members.IsWebClientRunning, 'IsWebClientRunning');
  if (typeof webClient === 'boolean') properties.webclientrunning = webClient;
  const smb = result(draft, members.SmbInfo, 'SmbInfo');
  if (isObject(smb)) {
    const { SigningEnabled } = smbResult(smb);
    properties.smbsigning = draft.flag(SigningEnabled, 'SmbInfo.Result.SigningEnabled');
  }
  const ntlm = result(draft, members.NTLMRegistryData, 'NTLMRegistryData');
  if (isObject(ntlm)) stateNtlm(ntlm, properties);
  rename(properties, 'ldapenabled', 'ldapavailable');
  rename(properties, 'ldapsenabled', 'ldapsavailable');
  stateDcRegistry(draft, members.DCRegistryData, properties);
}

/** The `Result` of a wrapper, if it was collected. */
function result(draft: Draft, value: unknown, path: string): unknown {
  const object = draft.object(value, path);
  if (object === undefined) return undefined;
  const wrapper = boolResult(object);
  return draft.flag(wrapper.Collected, `${path}.Collected`) ? wrapper.Result : undefined;
}

function rename(properties: MutableProperties, from: string, to: string): void {
  const value = properties[from];
  if (value === undefined) return;
  delete properties[from];
  properties[to] = value;
}

/** A registry value that is not there removes what an earlier collection found. */
function stateNtlm(value: object, properties: MutableProperties): void {
  const ntlm = ntlmResult(value);
  const denyAll = 2;
  const whether = (entry: unknown, test: (n: number) => boolean) =>
    typeof entry === 'number' ? test(entry) : null;
  const number = (entry: unknown) => (typeof entry === 'number' ? entry : null);
  const servers = ntlm.ClientAllowedNTLMServers;
  properties.restrictoutboundntlm = whether(ntlm.RestrictSendingNtlmTraffic, (n) => n === denyAll);
  properties.restrictreceivingntlmtraffic = whether(ntlm.RestrictReceivingNTLMTraffic, (n) => n === denyAll);
  properties.requiresecuritysignature = whether(ntlm.RequireSecuritySignature, (n) => n !== 0);
  properties.enablesecuritysignature = whether(ntlm.EnableSecuritySignature, (n) => n !== 0);
  properties.ntlmminclientsec = number(ntlm.NtlmMinClientSec);
  properties.ntlmminserversec = number(ntlm.NtlmMinServerSec);
  properties.lmcompatibilitylevel = number(ntlm.LmCompatibilityLevel);
  properties.usemachineid = whether(ntlm.UseMachineId, (n) => n !== 0);
  properties.clientallowedntlmservers = Array.isArray(servers)
    ? servers.filter((server) => typeof server === 'string')
    : null;
}

const noValue = -1;
const noValueText = 'Registry value does not exist';
const mappingMethods = [
  [1, '0x01: One-to-one (subject/issuer)'],
  [2, '0x02: Many-to-one (issuer certificate)'],
  [4, '0x04: User principal name (UPN/SAN)'],
  [8, '0x08: Kerberos service-for-user (S4U) certificate'],
  [16, '0x10: Kerberos service-for-user (S4U) explicit certificate'],
] as const;
const bindingModes: ReadonlyMap<number, string> = new Map([
  [noValue, noValueText],
  [0, 'Disabled'],
  [1, 'Compatibility mode'],
  [2, 'Full enforcement mode'],
]);

function stateDcRegistry(draft: Draft, value: unknown, properties: MutableProperties): void {
  const object = draft.object(value, 'DCRegistryData');
  const registry = dcRegistry(object ?? {});
  const mapping = collectedValue(draft, registry.CertificateMappingMethods, 'CertificateMappingMethods');
  if (typeof mapping === 'number') {
    properties.certificatemappingmethodsraw = mapping;
    properties.certificatemappingmethods =
      mapping === noValue
        ? [noValueText]
        : mappingMethods.filter(([bit]) => (mapping & bit) !== 0).map(([, text]) => text);
  }
  const bindingName = 'StrongCertificateBindingEnforcement';
  const binding = collectedValue(draft, registry[bindingName], bindingName);
  if (typeof binding === 'number') {
    properties.strongcertificatebindingenforcementraw = binding;
    const mode = bindingModes.get(binding);
    if (mode !== undefined) properties.strongcertificatebindingenforcement = mode;
  }
  const netlogonName = 'VulnerableNetlogonSecurityDescriptor';
  const netlogon = collectedValue(draft, registry[netlogonName], netlogonName);
  properties.vulnerablenetlogonsecuritydescriptorcollected = netlogon !== undefined;
  if (typeof netlogon === 'string') properties.vulnerablenetlogonsecuritydescriptor = netlogon;
}

/** The `Value` of a wrapper (null if it has none), or undefined if it was not collected. */
export function collectedValue(draft: Draft, value: unknown, path: string): unknown {
  const object = draft.object(value, path);
  if (object === undefined) return undefined;
  const wrapper = valueResult(object);
  return draft.flag(wrapper.Collected, `${path}.Collected`) ? (wrapper.Value ?? null) : undefined;
}
