import type { Reader } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { findSamlProvider, findSsoProvider, type SamlProviderRow } from './store.ts';

/** A provider has two ids: one among SAML providers, one among all SSO providers. */
export interface ProviderKey {
  readonly kind: 'SAML' | 'SSO';
  readonly id: number;
}

/** How messages name it: as the caller did. */
export function nameOfKey({ kind, id }: ProviderKey): string {
  return `${kind} provider ${id}`;
}

export function providerNotFound(key: ProviderKey): AppError {
  return new AppError('not_found', `${nameOfKey(key)} does not exist`, {
    context: key.kind === 'SAML' ? 'saml_provider_id' : 'sso_provider_id',
  });
}

export async function getProvider(db: Reader, key: ProviderKey): Promise<SamlProviderRow> {
  const find = key.kind === 'SAML' ? findSamlProvider : findSsoProvider;
  const row = await find(db, key.id);
  if (row === undefined) throw providerNotFound(key);
  return row;
}

/** Why the API must leave a provider alone: a file says what it is, and would say so again at the next start. */
export function declaredReason({ name, declared_in }: SamlProviderRow): string | undefined {
  if (declared_in === null) return undefined;
  return `SSO provider "${name}" is declared in the file ${declared_in}: change it there and start the server again`;
}
