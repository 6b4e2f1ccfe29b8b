import type { Caller, Origin } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { recordAudit } from '../audit/index.ts';
import { endSessionsOfProvider } from '../auth/index.ts';
import {
  countAbleAdministrators,
  detachFromProvider,
  keepAnAdministrator,
  listUsersOfProvider,
  lockAdministrators,
  readRoleViews,
  toUserView,
} from '../users/index.ts';
import { declaredReason, getProvider, nameOfKey, type ProviderKey, providerNotFound } from './lookup.ts';
import { deleteSamlProvider, lockProviders, type SamlProviderRow } from './store.ts';

/** gap 2.3: the provider goes, its users stay and are signed out; the answer lists them as they are then. */
export function removeProvider(deps: Deps, db: Db, caller: Caller, origin: Origin, key: ProviderKey) {
  return db.transaction(async (db) => {
    await lockAdministrators(db);
    await lockProviders(db);
    const provider = await getProvider(db, key);
    const refusal = refusalOf(provider, key, caller);
    if (refusal !== undefined) throw new AppError('conflict', refusal);
    const now = deps.clock();
    await endSessionsOfProvider(db, provider.sso_provider_id, now);
    const users = await detachFromProvider(db, provider.sso_provider_id, now);
    if (!(await deleteSamlProvider(db, provider))) throw providerNotFound(key);
    await keepAnAdministrator(db, `deleting ${nameOfKey(key)}`);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'DeleteSAMLProvider',
      fields: {
        provider: {
          id: provider.id,
          name: provider.name,
          sso_provider_id: provider.sso_provider_id,
          idp_issuer_uri: provider.idp_issuer_uri,
          idp_sso_uri: provider.idp_sso_uri,
        },
        users: users.map((user) => ({ id: user.id, principal_name: user.principal_name })),
      },
    });
    const roles = await readRoleViews(db);
    return users.map((user) => toUserView(user, roles));
  });
}

/** gap 2.5: whom a deletion would change, as they are now, and why it would be refused, if so. */
export function previewRemoval(db: Db, caller: Caller, key: ProviderKey) {
  return db.snapshot(async (db) => {
    const provider = await getProvider(db, key);
    const users = await listUsersOfProvider(db, provider.sso_provider_id);
    const roles = await readRoleViews(db);
    const able = await countAbleAdministrators(db, provider.sso_provider_id);
    const last = able > 0 ? null : `deleting ${nameOfKey(key)} would leave no administrator able to sign in`;
    return {
      affected_user: users.map((user) => toUserView(user, roles)),
      refused: refusalOf(provider, key, caller) ?? last,
    };
  });
}

/** gap 2.4: what needs no look at the other users. */
function refusalOf(provider: SamlProviderRow, key: ProviderKey, caller: Caller): string | undefined {
  if (caller.kind === 'user' && caller.ssoProviderId === provider.sso_provider_id)
    return `${nameOfKey(key)} is the one you sign in with: another administrator must delete it`;
  return declaredReason(provider);
}
