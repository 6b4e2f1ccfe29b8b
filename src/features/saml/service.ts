import type { Caller, Origin } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { recordAudit } from '../audit/index.ts';
import { endSessionsOfProvider } from '../auth/index.ts';
import {
  detachFromProvider,
  keepAnAdministrator,
  lockAdministrators,
  readRoleViews,
  toUserView,
} from '../users/index.ts';
import { deleteSamlProvider, findSamlProvider } from './store.ts';

/** gap 2.3: the provider goes, its users stay and are signed out; the answer lists them as they are then. */
export function removeSamlProvider(deps: Deps, db: Db, caller: Caller, origin: Origin, id: number) {
  return db.transaction(async (db) => {
    await lockAdministrators(db);
    const provider = await findSamlProvider(db, id);
    if (provider === undefined) throw notFound(id);
    // gap 2.4
    if (caller.kind === 'user' && caller.ssoProviderId === provider.sso_provider_id) {
      throw new AppError(
        'conflict',
        `SAML provider ${id} is the one you sign in with: another administrator must delete it`,
      );
    }
    const now = deps.clock();
    await endSessionsOfProvider(db, provider.sso_provider_id, now);
    const users = await detachFromProvider(db, provider.sso_provider_id, now);
    if (!(await deleteSamlProvider(db, provider))) throw notFound(id);
    await keepAnAdministrator(db, `deleting SAML provider ${id}`);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'DeleteSAMLProvider',
      fields: {
        provider: { id: provider.id, name: provider.name, sso_provider_id: provider.sso_provider_id },
        users: users.map((user) => ({ id: user.id, principal_name: user.principal_name })),
      },
    });
    const roles = await readRoleViews(db);
    return users.map((user) => toUserView(user, roles));
  });
}

function notFound(id: number): AppError {
  return new AppError('not_found', `SAML provider ${id} does not exist`, { context: 'saml_provider_id' });
}
