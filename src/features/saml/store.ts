import type { Reader, Transaction } from '../../db/client.ts';

export interface SamlProviderRow {
  readonly id: number;
  readonly sso_provider_id: number;
  readonly name: string;
  readonly display_name: string;
  readonly slug: string;
  readonly idp_issuer_uri: string;
  readonly idp_sso_uri: string;
  /** A JSON array. */
  readonly principal_attribute_mappings: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The attributes in which identity providers send a user's e-mail address, unless told otherwise (gap 2.1). */
export const defaultAttributeMappings = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
];

const selectProviders = `
  select s.id, s.sso_provider_id, s.name, s.display_name, p.slug, s.idp_issuer_uri, s.idp_sso_uri,
         s.principal_attribute_mappings, s.created_at, s.updated_at
  from saml_providers s join sso_providers p on p.id = s.sso_provider_id`;

export function listSamlProviders(db: Reader): Promise<SamlProviderRow[]> {
  return db.query<SamlProviderRow>(`${selectProviders} order by s.id`);
}

export function findSamlProvider(db: Reader, id: number): Promise<SamlProviderRow | undefined> {
  return db.one<SamlProviderRow>(`${selectProviders} where s.id = $1`, [id]);
}

export interface NewSamlProvider {
  readonly name: string;
  readonly idpIssuerUri: string;
  readonly idpSsoUri: string;
  readonly attributeMappings?: readonly string[];
}

export async function insertSamlProvider(
  db: Transaction,
  provider: NewSamlProvider,
  now: number,
): Promise<{ id: number; ssoProviderId: number }> {
  const slug = provider.name.toLowerCase().replaceAll(' ', '-');
  const sso = await db.one<{ id: number }>(
    `insert into sso_providers (name, slug, type, created_at, updated_at) values ($1, $2, 'SAML', $3, $3) returning id`,
    [provider.name, slug, now],
  );
  const ssoProviderId = sso?.id ?? 0;
  const saml = await db.one<{ id: number }>(
    `insert into saml_providers (sso_provider_id, name, display_name, idp_issuer_uri, idp_sso_uri,
       principal_attribute_mappings, created_at, updated_at)
     values ($1, $2, $2, $3, $4, $5, $6, $6) returning id`,
    [
      ssoProviderId,
      provider.name,
      provider.idpIssuerUri,
      provider.idpSsoUri,
      JSON.stringify(provider.attributeMappings ?? defaultAttributeMappings),
      now,
    ],
  );
  return { id: saml?.id ?? 0, ssoProviderId };
}

/** Deletes both rows of a provider; false when it is not there any more. */
export async function deleteSamlProvider(db: Transaction, provider: SamlProviderRow): Promise<boolean> {
  const deleted = await db.execute('delete from saml_providers where id = $1', [provider.id]);
  await db.execute('delete from sso_providers where id = $1', [provider.sso_provider_id]);
  return deleted === 1;
}
