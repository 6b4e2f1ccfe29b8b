import { isObject, model } from '../members.ts';
import { type AzureItem, type End, filled, part } from './item.ts';

const identityModel = model('principalId', 'userAssignedIdentities');
const userIdentityModel = model('principalId', 'clientId');

/** The service principals that the resource can act as. */
export function stateIdentities(
  item: AzureItem,
  start: End,
  { identity }: Readonly<Record<string, unknown>>,
): void {
  const path = 'data.identity';
  const { principalId, userAssignedIdentities } = part(item, identity, path, identityModel);
  const state = (value: unknown, at: string) => {
    const end = { kind: 'AZServicePrincipal', id: item.id(value, `${path}${at}.principalId`) };
    item.edge(start, 'AZManagedIdentity', end);
  };
  state(principalId, '');
  const identities = item.draft.object(userAssignedIdentities, `${path}.userAssignedIdentities`) ?? {};
  for (const value of Object.values(identities)) {
    if (!isObject(value)) continue;
    const { clientId, principalId } = userIdentityModel(value);
    if (filled(clientId) !== undefined) state(principalId, '.userAssignedIdentities');
  }
}
