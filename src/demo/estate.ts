import { createHash } from 'node:crypto';
import type { Icon } from '../graph/kinds.ts';
import type { NewEdge, NewNode } from '../graph/store.ts';

/**
 * A made-up company, the same on every run: two Active Directory domains, one cloud tenant, their certificate
 * services and the people who look after them.
 */
export const environments = [
  { id: 'S-1-5-21-2643190041-1319121918-239771340', name: 'CORP.EXAMPLE', kind: 'Domain' },
  { id: 'S-1-5-21-3130019616-2776909439-2417379446', name: 'PLANT.CORP.EXAMPLE', kind: 'Domain' },
  { id: '6C12B0B0-B2CC-4A73-8252-0B94BFCA2145', name: 'CORP CLOUD', kind: 'AZTenant' },
] as const;

const [corp, plant, cloud] = environments;

export const providers = [
  {
    name: 'Entra ID',
    idpIssuerUri: 'https://sts.windows.net/6c12b0b0/',
    idpSsoUri: 'https://login.example/entra/saml2',
  },
  {
    name: 'Okta Workforce',
    idpIssuerUri: 'http://www.okta.com/exk1',
    idpSsoUri: 'https://corp.okta.example/app/sso/saml',
  },
  {
    name: 'ADFS Plant',
    idpIssuerUri: 'http://adfs.plant.example/adfs/services/trust',
    idpSsoUri: 'https://adfs.plant.example/adfs/ls',
  },
];

/** The provider that the printed DELETE takes. */
export const expendableProvider = 'ADFS Plant';

export const people: {
  name: string;
  first: string;
  last: string;
  role: string;
  provider?: string;
  disabled?: boolean;
}[] = [
  { name: 'mira.olsen', first: 'Mira', last: 'Olsen', role: 'Administrator', provider: 'Entra ID' },
  { name: 'jonas.weber', first: 'Jonas', last: 'Weber', role: 'Power User', provider: 'Entra ID' },
  { name: 'aiko.tanaka', first: 'Aiko', last: 'Tanaka', role: 'Auditor', provider: 'Entra ID' },
  { name: 'samuel.okoye', first: 'Samuel', last: 'Okoye', role: 'User', provider: 'Okta Workforce' },
  { name: 'lena.fischer', first: 'Lena', last: 'Fischer', role: 'Read-Only', provider: 'Okta Workforce' },
  {
    name: 'diego.ramos',
    first: 'Diego',
    last: 'Ramos',
    role: 'User',
    provider: 'Okta Workforce',
    disabled: true,
  },
  { name: 'petra.novak', first: 'Petra', last: 'Novak', role: 'Administrator', provider: 'ADFS Plant' },
  { name: 'tom.bakker', first: 'Tom', last: 'Bakker', role: 'User', provider: 'ADFS Plant' },
  { name: 'ines.moreau', first: 'Inès', last: 'Moreau', role: 'Upload-Only', provider: 'ADFS Plant' },
  { name: 'siem-integration', first: 'SIEM', last: 'Integration', role: 'Read-Only' },
];

export const collectors = [
  { name: 'sharphound-hq', type: 'sharphound', hostname: 'COLLECT01.CORP.EXAMPLE', version: 'v2.7.1' },
  { name: 'azurehound-cloud', type: 'azurehound', hostname: 'collect-az', version: 'v2.4.1' },
] as const;

export const customKinds: Readonly<Record<string, Icon>> = {
  BackupVault: { type: 'font-awesome', name: 'vault', color: '#C0A060' },
  BadgeReader: { type: 'font-awesome', name: 'id-badge', color: '#7FB7BE' },
  BuildAgent: { type: 'font-awesome', name: 'robot', color: '#D3F3EE' },
  JumpHost: { type: 'font-awesome', name: 'server', color: '#DACC3E' },
};

/** How many certificate authorities each template is published to. */
export const templates = [
  { name: 'OFFLINE-ROUTER', published: 0 },
  { name: 'CODE-SIGNING', published: 1 },
  { name: 'SMARTCARD-LOGON', published: 2 },
  { name: 'WEB-SERVER', published: 25 },
] as const;

export const organizationalUnits = ['SERVERS', 'WORKSTATIONS', 'TIER0'] as const;

/** The same identifier for the same name, on every run. */
export function guid(name: string): string {
  const hex = createHash('sha256').update(`kennel demo ${name}`).digest('hex').toUpperCase();
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `A${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

const authorityCount = 25;

export function demoGraph(): { nodes: NewNode[]; edges: NewEdge[] } {
  const nodes: NewNode[] = [];
  const edges: NewEdge[] = [];
  for (const { id, name, kind } of environments) {
    nodes.push({
      objectId: id,
      kinds: [kind === 'Domain' ? 'Base' : 'AZBase', kind],
      name,
      properties: { collected: true },
    });
  }
  nodes.push({
    objectId: cloud.id.replace('6C12', '7D23'),
    kinds: ['AZBase', 'AZApp'],
    name: 'PAYROLL@CORP CLOUD',
    properties: { tenantid: cloud.id },
  });
  for (const unit of organizationalUnits) {
    const distinguishedname = `OU=${unit},DC=CORP,DC=EXAMPLE`;
    nodes.push(inCorp(guid(unit), 'OU', unit, { distinguishedname }));
    edges.push({ start: corp.id, kind: 'Contains', end: guid(unit) });
  }
  for (let number = 1; number <= authorityCount; number += 1) {
    const caname = `CORP-ISSUING-${String(number).padStart(2, '0')}`;
    const host = `${corp.id}-${4000 + number}`;
    nodes.push(
      inCorp(guid(caname), 'EnterpriseCA', caname, { caname, dnshostname: `${caname}.CORP.EXAMPLE` }),
    );
    nodes.push(
      inCorp(host, 'Computer', `PKI${number}.CORP.EXAMPLE`, {
        operatingsystem: 'WINDOWS SERVER 2025',
        enabled: true,
      }),
    );
    edges.push({ start: host, kind: 'HostsCAService', end: guid(caname) });
  }
  for (const { name, published } of templates) {
    nodes.push(
      inCorp(guid(name), 'CertTemplate', name, {
        displayname: name.toLowerCase(),
        enrolleesuppliessubject: name === 'WEB-SERVER',
      }),
    );
    for (let number = 1; number <= published; number += 1) {
      const caname = `CORP-ISSUING-${String(number).padStart(2, '0')}`;
      edges.push({ start: guid(name), kind: 'PublishedTo', end: guid(caname), properties: { isacl: false } });
    }
  }
  addStaff(nodes, edges);
  return { nodes, edges };
}

/** Ordinary users and computers, so that the graph is not only certificate services. */
function addStaff(nodes: NewNode[], edges: NewEdge[]): void {
  for (const { id, name: domain } of [corp, plant]) {
    const group = `${id}-513`;
    nodes.push({
      objectId: group,
      kinds: ['Base', 'Group'],
      name: `DOMAIN USERS@${domain}`,
      properties: { domain, domainsid: id },
    });
    for (let number = 1; number <= 150; number += 1) {
      const user = `${id}-${1000 + number}`;
      const computer = `${id}-${2000 + number}`;
      nodes.push({
        objectId: user,
        kinds: ['Base', 'User'],
        name: `USER${number}@${domain}`,
        properties: { domain, domainsid: id, enabled: true },
      });
      nodes.push({
        objectId: computer,
        kinds: ['Base', 'Computer'],
        name: `WS${number}.${domain}`,
        properties: { domain, domainsid: id, enabled: true },
      });
      edges.push(
        { start: user, kind: 'MemberOf', end: group },
        { start: computer, kind: 'HasSession', end: user },
      );
    }
  }
}

function inCorp(objectId: string, kind: string, name: string, properties: Record<string, unknown>): NewNode {
  const suffix = name.endsWith(corp.name) ? '' : `@${corp.name}`;
  return {
    objectId,
    kinds: ['Base', kind],
    name: `${name}${suffix}`,
    properties: { domain: corp.name, domainsid: corp.id, ...properties },
  };
}
