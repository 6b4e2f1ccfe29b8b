import { roleTemplates } from '../ingest/convert/azure/role-ids.ts';
import type { Estate } from './estate.ts';

/** A rule that puts nodes into Tier Zero, known by its key. */
export interface DefaultSelector {
  readonly key: string;
  readonly name: string;
  /** Without what these select nothing that is called Tier Zero would be: they can't be disabled. */
  readonly required: boolean;
  readonly select: Select;
}

type Select = (estate: Estate) => Iterable<number>;

/** What is in Tier Zero from the start, by rule. */
export const defaultSelectors: readonly DefaultSelector[] = [
  required('administrators', 'Administrators', withIdEnd('Group', 'S-1-5-32-544')),
  required('backup-operators', 'Backup Operators', withIdEnd('Group', 'S-1-5-32-551')),
  required('domain-admins', 'Domain Admins', withIdEnd('Group', '-512')),
  required('enterprise-admins', 'Enterprise Admins', withIdEnd('Group', '-519')),
  required('schema-admins', 'Schema Admins', withIdEnd('Group', '-518')),
  required('domain-controllers', 'Domain Controllers', withIdEnd('Group', '-516')),
  required('enterprise-key-admins', 'Enterprise Key Admins', withIdEnd('Group', '-527')),
  required('key-admins', 'Key Admins', withIdEnd('Group', '-526')),
  required('enterprise-domain-controllers', 'Enterprise Domain Controllers', withIdEnd('Group', 'S-1-5-9')),
  required('administrator', 'Built-in Administrator', withIdEnd('User', '-500')),
  required('adminsdholder', 'AdminSDHolder', adminSdHolders),
  required('domains', 'Domains', every('Domain')),
  required('az-tenants', 'Azure tenants', every('AZTenant')),
  required('az-global-administrator', 'Global Administrator', azRole(roleTemplates.globalAdministrator)),
  required('az-partner-tier2-support', 'Partner Tier2 Support', azRole(roleTemplates.partnerTier2Support)),
  required(
    'az-privileged-authentication-administrator',
    'Privileged Authentication Administrator',
    azRole(roleTemplates.privilegedAuthenticationAdministrator),
  ),
  required(
    'az-privileged-role-administrator',
    'Privileged Role Administrator',
    azRole(roleTemplates.privilegedRoleAdministrator),
  ),

  optional('account-operators', 'Account Operators', withIdEnd('Group', 'S-1-5-32-548')),
  optional('server-operators', 'Server Operators', withIdEnd('Group', 'S-1-5-32-549')),
  optional('print-operators', 'Print Operators', withIdEnd('Group', 'S-1-5-32-550')),
  optional('cert-publishers', 'Cert Publishers', withIdEnd('Group', '-517')),
  optional('cryptographic-operators', 'Cryptographic Operators', withIdEnd('Group', 'S-1-5-32-569')),
  optional('distributed-com-users', 'Distributed COM Users', withIdEnd('Group', 'S-1-5-32-562')),
  optional('performance-log-users', 'Performance Log Users', withIdEnd('Group', 'S-1-5-32-559')),
  optional(
    'incoming-forest-trust-builders',
    'Incoming Forest Trust Builders',
    withIdEnd('Group', 'S-1-5-32-557'),
  ),
  optional(
    'exchange-trusted-subsystem',
    'Exchange Trusted Subsystem',
    groupsCalled('EXCHANGE TRUSTED SUBSYSTEM@'),
  ),
  optional(
    'exchange-windows-permissions',
    'Exchange Windows Permissions',
    groupsCalled('EXCHANGE WINDOWS PERMISSIONS@'),
  ),
  optional('dnsadmins', 'DnsAdmins', groupsCalled('DNSADMINS@')),
  optional('krbtgt', 'KRBTGT', withIdEnd('User', '-502')),
  optional('rodc-members', 'Members of Read-only Domain Controllers', membersOfReadOnlyControllers),
  optional('rodcs', 'Read-only domain controllers', computersWith('isreadonlydc', true)),
  optional('ca-hosts', 'Hosts of enterprise certificate authorities', authorityHosts),
  optional('azureadssoacc', 'Seamless sign-on account', seamlessSignOnAccounts),
  optional('ntauth-stores', 'NTAuth stores', every('NTAuthStore')),
  optional('root-cas', 'Root certificate authorities', every('RootCA')),
  optional('aia-cas', 'AIA certificate authorities', every('AIACA')),
  optional('enterprise-cas', 'Enterprise certificate authorities', every('EnterpriseCA')),
  optional('cert-templates', 'Certificate templates', every('CertTemplate')),
  optional(
    'az-application-administrator',
    'Application Administrator',
    azRole(roleTemplates.applicationAdministrator),
  ),
  optional(
    'az-knowledge-administrator',
    'Knowledge Administrator',
    azRole(roleTemplates.knowledgeAdministrator),
  ),
  optional('az-intune-administrator', 'Intune Administrator', azRole(roleTemplates.intuneAdministrator)),
  optional(
    'az-security-administrator',
    'Security Administrator',
    azRole(roleTemplates.securityAdministrator),
  ),
];

function required(key: string, name: string, select: Select): DefaultSelector {
  return { key, name, required: true, select };
}

function optional(key: string, name: string, select: Select): DefaultSelector {
  return { key, name, required: false, select };
}

function every(kind: string): Select {
  return (estate) => estate.nodesOf(kind);
}

function withIdEnd(kind: string, end: string): Select {
  return (estate) => estate.nodesOf(kind).filter((node) => estate.objectId(node).endsWith(end));
}

/** A role of a tenant is called `<template>@<tenant>`. */
function azRole(template: string): Select {
  return (estate) =>
    estate.nodesOf('AZRole').filter((node) => estate.objectId(node).startsWith(`${template}@`));
}

function groupsCalled(beginning: string): Select {
  return (estate) =>
    estate.nodesOf('Group').filter((node) => upper(estate.property(node, 'name')).startsWith(beginning));
}

function computersWith(property: string, value: unknown): Select {
  return (estate) => estate.nodesOf('Computer').filter((node) => estate.property(node, property) === value);
}

function seamlessSignOnAccounts(estate: Estate): readonly number[] {
  return estate
    .nodesOf('Computer')
    .filter((node) => upper(estate.property(node, 'samaccountname')) === 'AZUREADSSOACC$');
}

/** The container of that name in the place where the domain looks for it. */
function adminSdHolders(estate: Estate): readonly number[] {
  const places = new Set<string>();
  for (const domain of estate.nodesOf('Domain')) {
    const name = upper(estate.property(domain, 'distinguishedname'));
    if (name !== '') places.add(`CN=ADMINSDHOLDER,CN=SYSTEM,${name}`);
  }
  return estate
    .nodesOf('Container')
    .filter((node) => places.has(upper(estate.property(node, 'distinguishedname'))));
}

/** Computers of the group, also by way of groups in it. */
function* membersOfReadOnlyControllers(estate: Estate): Iterable<number> {
  const memberOf = estate.edges('MemberOf');
  const groups = new Set(withIdEnd('Group', '-521')(estate));
  for (const group of groups) {
    for (const member of memberOf.sources(group)) {
      if (estate.has(member, 'Computer')) yield member;
      // A set that grows is visited to its new end.
      if (estate.has(member, 'Group')) groups.add(member);
    }
  }
}

function* authorityHosts(estate: Estate): Iterable<number> {
  for (const authority of estate.nodesOf('EnterpriseCA')) {
    for (const host of estate.sources(authority, 'HostsCAService')) {
      if (estate.has(host, 'Computer')) yield host;
    }
  }
}

function upper(value: unknown): string {
  return typeof value === 'string' ? value.toUpperCase() : '';
}
