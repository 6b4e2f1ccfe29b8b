import { createHash } from 'node:crypto';
import type { Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { changesBetween, recordAudit } from '../audit/index.ts';
import { endSessionsOfProvider } from '../auth/index.ts';
import { declaredReason, getProvider } from './lookup.ts';
import type { Metadata } from './metadata.ts';
import { slugOf } from './names.ts';
import {
  type AutoProvision,
  findMetadataXml,
  findNameInUse,
  findSamlProvider,
  insertSamlProvider,
  lockProviders,
  noAutoProvision,
  type ProviderContent,
  type SamlProviderRow,
  updateSamlProvider,
} from './store.ts';

/** What a caller wants a provider to be; what is left out stays as it is. */
export interface ProviderWish {
  readonly name?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly autoProvision: Partial<AutoProvision>;
}

export type NewProvider = ProviderWish & { readonly name: string; readonly metadata: Metadata };
type Changing = Pick<Deps, 'clock' | 'changes'>;

export function createProvider(
  deps: Changing,
  db: Db,
  origin: Origin,
  wish: NewProvider,
): Promise<SamlProviderRow> {
  const content = contentOf(wish, null);
  return db.transaction(async (db) => {
    await lockProviders(db);
    return insertProvider(db, origin, content, deps.clock());
  });
}

/** A provider that changes is not the one its users signed in with: their sessions end. */
export function changeProvider(
  deps: Changing,
  db: Db,
  origin: Origin,
  ssoProviderId: number,
  wish: ProviderWish,
): Promise<SamlProviderRow> {
  return db.transaction(async (db) => {
    await lockProviders(db);
    const row = await getProvider(db, { kind: 'SSO', id: ssoProviderId });
    const refusal = declaredReason(row);
    if (refusal !== undefined) throw new AppError('conflict', refusal);
    const before = await storedContent(db, row);
    const after: ProviderContent = {
      ...before,
      ...(wish.metadata === undefined ? {} : metadataContent(wish.metadata)),
      name: wish.name ?? before.name,
      autoProvision: checkedAutoProvision({ ...before.autoProvision, ...wish.autoProvision }),
    };
    return replaceProvider(deps, db, origin, row, before, after);
  });
}

export function contentOf(wish: NewProvider, declaredIn: string | null): ProviderContent {
  return {
    name: wish.name,
    ...metadataContent(wish.metadata),
    autoProvision: checkedAutoProvision({ ...noAutoProvision, ...wish.autoProvision }),
    declaredIn,
  };
}

export async function insertProvider(
  db: Transaction,
  origin: Origin,
  content: ProviderContent,
  now: number,
): Promise<SamlProviderRow> {
  await requireFreeName(db, content.name, 0);
  const { id, ssoProviderId } = await insertSamlProvider(db, content, now);
  await recordAudit(db, origin, now, {
    action: 'CreateSAMLProvider',
    fields: { provider: { id, sso_provider_id: ssoProviderId, ...auditView(content) } },
  });
  return getRow(db, id);
}

/** Writes what differs, with its audit record; where nothing does, nothing is written. */
export async function replaceProvider(
  deps: Changing,
  db: Transaction,
  origin: Origin,
  row: SamlProviderRow,
  before: ProviderContent,
  after: ProviderContent,
): Promise<SamlProviderRow> {
  const changes = changesBetween(auditView(before), auditView(after));
  const changed = Object.keys(changes);
  if (changed.length === 0) return row;
  await requireFreeName(db, after.name, row.sso_provider_id);
  const now = deps.clock();
  await updateSamlProvider(db, row, after, now);
  if (changed.some((member) => member !== 'declared_in')) {
    await endSessionsOfProvider(db, row.sso_provider_id, now);
    await deps.changes.announce(db);
  }
  await recordAudit(db, origin, now, {
    action: 'UpdateSAMLProvider',
    fields: {
      provider: { id: row.id, name: row.name, sso_provider_id: row.sso_provider_id },
      changes,
    },
  });
  return getRow(db, row.id);
}

export async function storedContent(db: Transaction, row: SamlProviderRow): Promise<ProviderContent> {
  return {
    name: row.name,
    idpIssuerUri: row.idp_issuer_uri,
    idpSsoUri: row.idp_sso_uri,
    metadataXml: (await findMetadataXml(db, row.id)) ?? null,
    certificates: row.certificates === null ? null : JSON.parse(row.certificates),
    autoProvision: {
      enabled: row.auto_provision !== 0,
      defaultRoleId: row.default_role_id,
      roleProvision: row.role_provision !== 0,
    },
    declaredIn: row.declared_in,
  };
}

function metadataContent({ entityId, ssoUrl, certificates, xml }: Metadata) {
  return {
    idpIssuerUri: entityId,
    idpSsoUri: ssoUrl,
    metadataXml: xml,
    certificates: certificates.map(({ base64 }) => base64),
  };
}

function checkedAutoProvision(wanted: AutoProvision): AutoProvision {
  if (!wanted.enabled || wanted.defaultRoleId !== null) return wanted;
  throw new AppError(
    'bad_request',
    'config.auto_provision.default_role_id must be the id of a role where config.auto_provision.enabled is true',
    { context: 'config.auto_provision.default_role_id' },
  );
}

async function requireFreeName(db: Transaction, name: string, exceptSsoProviderId: number): Promise<void> {
  const taken = await findNameInUse(db, name, slugOf(name), exceptSsoProviderId);
  if (taken === undefined) return;
  const same = taken === name ? `"${name}" exists already` : `"${name}" would have the address of "${taken}"`;
  throw new AppError('conflict', `sso provider name must be unique: ${same}`, { context: 'name' });
}

async function getRow(db: Transaction, id: number): Promise<SamlProviderRow> {
  const row = await findSamlProvider(db, id);
  if (row === undefined) throw new Error(`SAML provider ${id} was written and is not there`);
  return row;
}

/** What an audit record shows of a provider: long members as their SHA-256. */
function auditView(content: ProviderContent): Record<string, unknown> {
  const { enabled, defaultRoleId, roleProvision } = content.autoProvision;
  const digest = (value: string | Buffer) => createHash('sha256').update(value).digest('hex');
  return {
    name: content.name,
    slug: slugOf(content.name),
    idp_issuer_uri: content.idpIssuerUri,
    idp_sso_uri: content.idpSsoUri,
    metadata_sha256: content.metadataXml === null ? null : digest(content.metadataXml),
    certificates_sha256: content.certificates?.map((one) => digest(Buffer.from(one, 'base64'))) ?? null,
    auto_provision: { enabled, default_role_id: defaultRoleId, role_provision: roleProvision },
    declared_in: content.declaredIn,
  };
}
