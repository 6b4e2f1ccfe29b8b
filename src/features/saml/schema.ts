import Type, { type Static } from 'typebox';
import { NullInt32, nullInt32, Struct, timestampMembers, timestamps } from '../../http/schemas.ts';
import type { SamlProviderRow } from './store.ts';

export const SamlProvider = Struct(
  {
    id: Type.Integer(),
    ...timestampMembers,
    name: Type.String(),
    display_name: Type.String(),
    idp_issuer_uri: Type.String(),
    idp_sso_uri: Type.String(),
    principal_attribute_mappings: Type.Array(Type.String()),
    sp_issuer_uri: Type.String(),
    sp_sso_uri: Type.String(),
    sp_metadata_uri: Type.String(),
    sp_acs_uri: Type.String(),
    sso_provider_id: NullInt32,
  },
  { title: 'SamlProvider' },
);

/** gap 2.1: the service provider's addresses come from the configured public URL. */
export function toView(row: SamlProviderRow, publicUrl: string): Static<typeof SamlProvider> {
  const base = `${publicUrl}/api/v2/sso/${encodeURIComponent(row.slug)}`;
  return {
    id: row.id,
    ...timestamps(row),
    name: row.name,
    display_name: row.display_name,
    idp_issuer_uri: row.idp_issuer_uri,
    idp_sso_uri: row.idp_sso_uri,
    principal_attribute_mappings: JSON.parse(row.principal_attribute_mappings),
    sp_issuer_uri: base,
    sp_sso_uri: `${base}/login`,
    sp_metadata_uri: `${base}/metadata`,
    sp_acs_uri: `${base}/callback`,
    sso_provider_id: nullInt32(row.sso_provider_id),
  };
}
