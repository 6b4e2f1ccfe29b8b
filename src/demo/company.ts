import type { Icon } from '../graph/kinds.ts';

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
