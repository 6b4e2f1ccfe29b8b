import Type, { type Static } from 'typebox';
import type { Caller } from '../../caller.ts';
import { contractDeletedAt, inContract, NullInt32, nullInt32 } from '../../http/contract-schemas.ts';
import { Struct, timestampMembers, timestamps } from '../../http/schemas.ts';
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
    sso_provider_id: Type.Integer(),
  },
  { title: 'SamlProvider' },
);

/** As the contract lists providers. */
export const ContractSamlProvider = Struct(
  { ...SamlProvider.properties, ...contractDeletedAt, sso_provider_id: NullInt32 },
  { title: 'ContractSamlProvider' },
);

/** gap 2.1: the service provider's addresses come from the configured public URL. */
export function addressesOf({ slug }: Pick<SamlProviderRow, 'slug'>, publicUrl: string) {
  const base = `${publicUrl}/api/v2/sso/${encodeURIComponent(slug)}`;
  return {
    sp_issuer_uri: base,
    sp_sso_uri: `${base}/login`,
    sp_metadata_uri: `${base}/metadata`,
    sp_acs_uri: `${base}/callback`,
  };
}

export function toView(row: SamlProviderRow, publicUrl: string): Static<typeof SamlProvider> {
  return {
    id: row.id,
    ...timestamps(row),
    name: row.name,
    display_name: row.display_name,
    idp_issuer_uri: row.idp_issuer_uri,
    idp_sso_uri: row.idp_sso_uri,
    principal_attribute_mappings: JSON.parse(row.principal_attribute_mappings),
    ...addressesOf(row, publicUrl),
    sso_provider_id: row.sso_provider_id,
  };
}

export function toContractView(row: SamlProviderRow, publicUrl: string): Static<typeof ContractSamlProvider> {
  return { ...inContract(toView(row, publicUrl)), sso_provider_id: nullInt32(row.sso_provider_id) };
}

const Config = Struct({
  auto_provision: Struct({
    enabled: Type.Boolean(),
    default_role_id: Type.Integer({ description: '0 where there is none' }),
    role_provision: Type.Boolean(),
  }),
});

const forReaders = 'null for callers without the permission auth.ReadProviders';

export const SsoProvider = Struct(
  {
    id: Type.Integer(),
    ...timestampMembers,
    name: Type.String(),
    type: Type.String(),
    slug: Type.String(),
    details: Type.Union([SamlProvider, Type.Null()], { description: forReaders }),
    config: Type.Union([Config, Type.Null()], { description: forReaders }),
    declared_in: Type.Union([Type.String(), Type.Null()], {
      description: `The file on the server that the provider is declared in; ${forReaders}`,
    }),
    login_uri: Type.String(),
    callback_uri: Type.String(),
  },
  { title: 'SsoProvider' },
);

/** Everybody may know how to sign in; the rest is for those who may read providers. */
export function toSsoView(
  row: SamlProviderRow,
  publicUrl: string,
  mayRead: boolean,
): Static<typeof SsoProvider> {
  const { sp_sso_uri, sp_acs_uri } = addressesOf(row, publicUrl);
  const config = {
    auto_provision: {
      enabled: row.auto_provision !== 0,
      default_role_id: row.default_role_id ?? 0,
      role_provision: row.role_provision !== 0,
    },
  };
  return {
    id: row.sso_provider_id,
    ...timestamps(row),
    name: row.name,
    type: row.type,
    slug: row.slug,
    details: mayRead ? toView(row, publicUrl) : null,
    config: mayRead ? config : null,
    declared_in: mayRead ? row.declared_in : null,
    login_uri: sp_sso_uri,
    callback_uri: sp_acs_uri,
  };
}

/** Where a token is up to the caller, an expired password is not refused: it just allows nothing. */
export function mayReadProviders(caller: Caller | undefined): boolean {
  if (caller === undefined || (caller.kind === 'user' && caller.mustChangeSecret)) return false;
  return caller.permissions.has('auth.ReadProviders');
}
