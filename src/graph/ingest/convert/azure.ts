import { accessPolicyReaders } from './azure/access-policies.ts';
import { appRoleReaders } from './azure/app-roles.ts';
import { credentialReaders } from './azure/credentials.ts';
import { directoryReaders } from './azure/directory.ts';
import { AzureItem, type ItemReader } from './azure/item.ts';
import { relationReaders } from './azure/relations.ts';
import { resourceRoleReaders } from './azure/resource-roles.ts';
import { resourceReaders } from './azure/resources.ts';
import { roleReaders } from './azure/roles.ts';
import { tenantReaders } from './azure/tenant.ts';
import { Draft, nameType, plainId } from './draft.ts';
import { isObject, model } from './members.ts';
import type { Converter } from './statements.ts';

const itemModel = model('kind', 'data');

/** By the kind of item. */
export const azureReaders: ReadonlyMap<string, ItemReader> = new Map([
  ...tenantReaders,
  ...directoryReaders,
  ...credentialReaders,
  ...relationReaders,
  ...roleReaders,
  ...appRoleReaders,
  ...resourceReaders,
  ...resourceRoleReaders,
  ...accessPolicyReaders,
]);

/**
 * An item of AzureHound. One of a kind that is not read is counted by its kind; so is one that can't be read, with
 * a warning that says where and why. Neither fails the file.
 */
export const convertAzureItem: Converter = (record, context) => {
  const draft = new Draft(context);
  const members = isObject(record) ? itemModel(record) : undefined;
  const kind = members?.kind;
  if (typeof kind !== 'string' || kind === '') {
    draft.warn('', 'is not an item with a kind');
    draft.skipped = 'unknown';
    return draft;
  }
  const read = azureReaders.get(kind);
  if (read === undefined) {
    draft.skipped = kindOfItem(record);
    return draft;
  }
  const item = new AzureItem(draft, kind);
  if (isObject(members?.data)) read(item, members.data);
  else item.refuse('data', `must be an object, but is ${nameType(members?.data ?? null)}`);
  return draft;
};

/** What an item says it is; kinds are counted by name, so an endless one is not kept. */
export function kindOfItem(record: unknown): string {
  const kind = isObject(record) ? itemModel(record).kind : undefined;
  return typeof kind === 'string' && kind !== '' && kind.length <= 64 ? kind : 'unknown';
}

/** The member with the id, of kinds whose items are about one object and say nothing of any other. */
const ownIds: ReadonlyMap<unknown, string> = new Map([
  ['AZUser', 'id'],
  ['AZGroup', 'id'],
  ['AZDevice', 'id'],
  ['AZApp', 'appId'],
]);

/**
 * The object that the whole item is about, so that an unchanged one can be recognised. Only the common spelling, and
 * no items that relate objects: several of them are about one object. A service principal tells of its application.
 */
export function ownIdOfItem(record: unknown): string | undefined {
  if (!isObject(record)) return undefined;
  const { kind, data } = record as { readonly kind?: unknown; readonly data?: unknown };
  const member = ownIds.get(kind);
  return member === undefined || !isObject(data) ? undefined : plainId(Reflect.get(data, member));
}
