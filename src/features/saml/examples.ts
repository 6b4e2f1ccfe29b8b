import type { Static } from 'typebox';
import { inContract, nullInt32 } from '../../http/contract-schemas.ts';
import { sqlTime } from '../../http/schemas.ts';
import type { ContractSamlProvider, SamlProvider, SsoProvider } from './schema.ts';
import { defaultAttributeMappings } from './store.ts';

const record = {
  created_at: '2026-01-05T08:00:00Z',
  updated_at: '2026-01-05T08:00:00Z',
  deleted_at: sqlTime(null),
};
const base = 'https://kennel.example.org/api/v2/sso/corp-idp';

/** For the API document. */
export const samlExample: Static<typeof SamlProvider> = {
  id: 1,
  ...record,
  name: 'corp-idp',
  display_name: 'corp-idp',
  idp_issuer_uri: 'https://idp.example.org/metadata',
  idp_sso_uri: 'https://idp.example.org/sso',
  principal_attribute_mappings: defaultAttributeMappings,
  sp_issuer_uri: base,
  sp_sso_uri: `${base}/login`,
  sp_metadata_uri: `${base}/metadata`,
  sp_acs_uri: `${base}/callback`,
  sso_provider_id: 1,
};

export const contractSamlExample: Static<typeof ContractSamlProvider> = {
  ...inContract(samlExample),
  sso_provider_id: nullInt32(1),
};

export const ssoExample: Static<typeof SsoProvider> = {
  id: 1,
  ...record,
  name: 'corp-idp',
  type: 'SAML',
  slug: 'corp-idp',
  details: samlExample,
  config: { auto_provision: { enabled: true, default_role_id: 3, role_provision: false } },
  declared_in: null,
  login_uri: `${base}/login`,
  callback_uri: `${base}/callback`,
};
