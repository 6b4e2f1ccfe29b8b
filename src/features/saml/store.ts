import type { Reader, Transaction } from '../../db/client.ts';
import { deletedAtColumn, type List } from '../../http/list.ts';
import { slugOf } from './names.ts';

export interface SamlProviderRow {
  readonly id: number;
  readonly sso_provider_id: number;
  readonly name: string;
  readonly display_name: string;
  readonly slug: string;
  readonly type: string;
  readonly idp_issuer_uri: string;
  readonly idp_sso_uri: string;
  /** A JSON array. */
  readonly principal_attribute_mappings: string;
  /** A JSON array of DER in base64. */
  readonly certificates: string | null;
  readonly auto_provision: number;
  readonly default_role_id: number | null;
  readonly role_provision: number;
  readonly declared_in: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The attributes in which identity providers send a user's e-mail address, unless told otherwise (gap 2.1). */
export const defaultAttributeMappings = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
];

/** Everything but the metadata, which is long. */
const columns = `
  s.id, s.sso_provider_id, s.name, s.display_name, p.slug, p.type, s.idp_issuer_uri, s.idp_sso_uri,
  s.principal_attribute_mappings, s.certificates, p.auto_provision, p.default_role_id, p.role_provision,
  p.declared_in, s.created_at, s.updated_at`;
const tables = 'saml_providers s join sso_providers p on p.id = s.sso_provider_id';
const selectProviders = `select ${columns} from ${tables}`;

/** What callers can ask of the list of SSO providers. */
export const ssoProviderList: List = {
  columns: {
    id: { type: 'integer', sql: 'p.id' },
    name: { type: 'text', sql: 'p.name' },
    slug: { type: 'text', sql: 'p.slug' },
    type: { type: 'text', sql: 'p.type' },
    created_at: { type: 'time', sql: 's.created_at' },
    updated_at: { type: 'time', sql: 's.updated_at' },
    // Nothing is kept after its deletion.
    deleted_at: deletedAtColumn,
  },
  select: columns,
  from: tables,
  key: 'id',
  growth: 'few rows',
};

export function listSamlProviders(db: Reader): Promise<SamlProviderRow[]> {
  return db.query<SamlProviderRow>(`${selectProviders} order by s.id`);
}

export function findSamlProvider(db: Reader, id: number): Promise<SamlProviderRow | undefined> {
  return db.one<SamlProviderRow>(`${selectProviders} where s.id = $1`, [id]);
}

export function findSsoProvider(db: Reader, id: number): Promise<SamlProviderRow | undefined> {
  return db.one<SamlProviderRow>(`${selectProviders} where p.id = $1`, [id]);
}

export function findProviderBySlug(db: Reader, slug: string): Promise<SamlProviderRow | undefined> {
  return db.one<SamlProviderRow>(`${selectProviders} where p.slug = $1`, [slug]);
}

export function listDeclaredProviders(db: Reader): Promise<SamlProviderRow[]> {
  return db.query<SamlProviderRow>(`${selectProviders} where p.declared_in is not null order by s.id`);
}

/** The metadata as it was given; providers from before this was kept have none. */
export async function findMetadataXml(db: Reader, id: number): Promise<string | undefined> {
  const row = await db.one<{ metadata_xml: string | null }>(
    'select metadata_xml from saml_providers where id = $1',
    [id],
  );
  return row?.metadata_xml ?? undefined;
}

/** The name of the provider, of any type, that has this name or slug. */
export async function findNameInUse(
  db: Reader,
  name: string,
  slug: string,
  exceptSsoProviderId: number,
): Promise<string | undefined> {
  const row = await db.one<{ name: string }>(
    'select name from sso_providers where (name = $1 or slug = $2) and id <> $3 order by id limit 1',
    [name, slug, exceptSsoProviderId],
  );
  return row?.name;
}

/** So that two changes can't take one name, and a change never meets half of another. */
export function lockProviders(db: Transaction): Promise<void> {
  return db.lock('sso providers');
}

export interface AutoProvision {
  readonly enabled: boolean;
  readonly defaultRoleId: number | null;
  readonly roleProvision: boolean;
}

export const noAutoProvision: AutoProvision = { enabled: false, defaultRoleId: null, roleProvision: false };

/** All of a provider that can be changed. */
export interface ProviderContent {
  readonly name: string;
  readonly idpIssuerUri: string;
  readonly idpSsoUri: string;
  readonly metadataXml: string | null;
  readonly certificates: readonly string[] | null;
  readonly autoProvision: AutoProvision;
  readonly declaredIn: string | null;
}

export interface NewSamlProvider extends Partial<ProviderContent> {
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
  const { enabled, defaultRoleId, roleProvision } = provider.autoProvision ?? noAutoProvision;
  const sso = await db.one<{ id: number }>(
    `insert into sso_providers (name, slug, type, auto_provision, default_role_id, role_provision, declared_in,
       created_at, updated_at)
     values ($1, $2, 'SAML', $3, $4, $5, $6, $7, $7) returning id`,
    [
      provider.name,
      slugOf(provider.name),
      Number(enabled),
      defaultRoleId,
      Number(roleProvision),
      provider.declaredIn ?? null,
      now,
    ],
  );
  const ssoProviderId = sso?.id ?? 0;
  const saml = await db.one<{ id: number }>(
    `insert into saml_providers (sso_provider_id, name, display_name, idp_issuer_uri, idp_sso_uri,
       principal_attribute_mappings, metadata_xml, certificates, created_at, updated_at)
     values ($1, $2, $2, $3, $4, $5, $6, $7, $8, $8) returning id`,
    [
      ssoProviderId,
      provider.name,
      provider.idpIssuerUri,
      provider.idpSsoUri,
      JSON.stringify(provider.attributeMappings ?? defaultAttributeMappings),
      provider.metadataXml ?? null,
      provider.certificates == null ? null : JSON.stringify(provider.certificates),
      now,
    ],
  );
  return { id: saml?.id ?? 0, ssoProviderId };
}

export async function updateSamlProvider(
  db: Transaction,
  row: SamlProviderRow,
  content: ProviderContent,
  now: number,
): Promise<void> {
  const { enabled, defaultRoleId, roleProvision } = content.autoProvision;
  await db.execute(
    `update sso_providers set name = $2, slug = $3, auto_provision = $4, default_role_id = $5,
       role_provision = $6, declared_in = $7, updated_at = $8
     where id = $1`,
    [
      row.sso_provider_id,
      content.name,
      slugOf(content.name),
      Number(enabled),
      defaultRoleId,
      Number(roleProvision),
      content.declaredIn,
      now,
    ],
  );
  await db.execute(
    `update saml_providers set name = $2, display_name = $2, idp_issuer_uri = $3, idp_sso_uri = $4,
       metadata_xml = $5, certificates = $6, updated_at = $7
     where id = $1`,
    [
      row.id,
      content.name,
      content.idpIssuerUri,
      content.idpSsoUri,
      content.metadataXml,
      content.certificates === null ? null : JSON.stringify(content.certificates),
      now,
    ],
  );
}

/** Deletes both rows of a provider; false when it is not there any more. */
export async function deleteSamlProvider(db: Transaction, provider: SamlProviderRow): Promise<boolean> {
  const deleted = await db.execute('delete from saml_providers where id = $1', [provider.id]);
  await db.execute('delete from sso_providers where id = $1', [provider.sso_provider_id]);
  return deleted === 1;
}
