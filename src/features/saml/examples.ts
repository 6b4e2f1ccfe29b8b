import type { Static } from 'typebox';
import { zeroTime } from '../../values/time.ts';
import type { SamlProvider, SsoProvider } from './schema.ts';
import { defaultAttributeMappings } from './store.ts';

const record = {
  created_at: '2026-01-05T08:00:00Z',
  updated_at: '2026-01-05T08:00:00Z',
  deleted_at: { time: zeroTime, valid: false },
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
  sso_provider_id: { int32: 1, valid: true },
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
