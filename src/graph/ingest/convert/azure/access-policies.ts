import { model } from '../members.ts';
import { type AzureItem, type ItemReader, type ItemReaders, part } from './item.ts';

const policyModel = model('objectId', 'permissions');
const permissionsModel = model('certificates', 'keys', 'secrets');
const edges = [
  ['certificates', 'AZGetCertificates'],
  ['keys', 'AZGetKeys'],
  ['secrets', 'AZGetSecrets'],
] as const;

/** What somebody may read of a vault; said in an item of its own or by the vault. */
export function stateAccessPolicy(item: AzureItem, vaultId: string, policy: object, path: string): void {
  const { objectId, permissions } = policyModel(policy);
  const start = { kind: 'AZBase', id: item.id(objectId, `${path}.objectId`) };
  const lists = part(item, permissions, `${path}.permissions`, permissionsModel);
  for (const [member, edge] of edges) {
    const granted = item.draft.list(lists[member], `${path}.permissions.${member}`);
    if (granted.some(isGet)) item.edge(start, edge, { kind: 'AZKeyVault', id: vaultId });
  }
}

function isGet(permission: unknown): boolean {
  return typeof permission === 'string' && permission.toLowerCase() === 'get';
}

const itemModel = model('keyVaultId', 'objectId');

const accessPolicy: ItemReader = (item, data) => {
  const { keyVaultId, objectId } = itemModel(data);
  const vaultId = item.needed(keyVaultId, 'data.keyVaultId');
  if (vaultId === undefined || item.needed(objectId, 'data.objectId') === undefined) return;
  stateAccessPolicy(item, vaultId, data, 'data');
};

export const accessPolicyReaders: ItemReaders = [['AZKeyVaultAccessPolicy', accessPolicy]];
