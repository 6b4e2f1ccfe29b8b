import { Draft, nameType } from './draft.ts';
import { isObject, model } from './members.ts';
import { copyProperties, type MutableProperties } from './properties.ts';
import type { Converter } from './statements.ts';

const itemModel = model('kind', 'data');
const objectModel = model(
  'id',
  'appId',
  'name',
  'displayName',
  'userPrincipalName',
  'publisherDomain',
  'tenantId',
  'tenantName',
  'collected',
  'properties',
  'fics',
);
type AzureObject = ReturnType<typeof objectModel>;

const resourceKinds = [
  ...['AZResourceGroup', 'AZKeyVault', 'AZVM', 'AZVMScaleSet', 'AZFunctionApp', 'AZWebApp', 'AZLogicApp'],
  ...['AZAutomationAccount', 'AZManagedCluster', 'AZContainerRegistry'],
] as const;

interface Reading {
  /** The id, not yet in upper case; undefined if the item lacks it. */
  readonly id: (object: AzureObject) => string | undefined;
  readonly name: (object: AzureObject) => string | undefined;
}

const byId = (object: AzureObject) => text(object.id);
const byDisplayName = (object: AzureObject) => text(object.displayName);
const inTenant = (object: AzureObject) => joined(text(object.displayName), text(object.tenantName));

/** The kinds of object that are read. Everything else is a relation or not known yet. */
const readings: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ['AZTenant', { id: (object) => text(object.tenantId), name: byDisplayName }],
  ['AZUser', { id: byId, name: (object) => text(object.userPrincipalName) }],
  ['AZGroup', { id: byId, name: inTenant }],
  ['AZDevice', { id: byId, name: inTenant }],
  ['AZServicePrincipal', { id: byId, name: inTenant }],
  ['AZRole', { id: (object) => joined(text(object.id), text(object.tenantId), true), name: inTenant }],
  [
    'AZApp',
    {
      id: (object) => text(object.appId),
      name: (object) => joined(text(object.displayName), text(object.publisherDomain)),
    },
  ],
  ['AZSubscription', { id: byId, name: byDisplayName }],
  // Its name is told by the tenant's, which this item does not have.
  ['AZManagementGroup', { id: byId, name: () => undefined }],
  ...resourceKinds.map((kind): [string, Reading] => [
    kind,
    { id: byId, name: (object) => text(object.name) },
  ]),
]);

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function joined(left: string | undefined, right: string | undefined, isStrict = false): string | undefined {
  if (left === undefined || (isStrict && right === undefined)) return undefined;
  return right === undefined ? left : `${left}@${right}`;
}

const kindLists = new Map(
  [...readings.keys(), 'AZFederatedIdentityCredential'].map((kind) => [
    kind,
    Object.freeze([kind, 'AZBase']),
  ]),
);

/**
 * An item of an AzureHound batch. Objects become nodes; an item that is not read, or that lacks its id, is
 * counted by its kind and never fails the file.
 */
export const convertAzureItem: Converter = (record, context) => {
  const draft = new Draft(context);
  const item = isObject(record) ? itemModel(record) : undefined;
  const kind = text(item?.kind);
  if (kind === undefined) {
    draft.warn('', 'is not an item with a kind');
    draft.skipped = 'unknown';
    return draft;
  }
  const isCredential = kind === 'AZFederatedIdentityCredential';
  const reading = readings.get(kind);
  if (reading === undefined && !isCredential) {
    // Kinds are counted by name, so an endless one is not kept.
    draft.skipped = kind.length <= 64 ? kind : 'unknown';
    return draft;
  }
  if (!isObject(item?.data)) {
    draft.warn('data', `must be an object, but is ${nameType(item?.data ?? null)}`);
    draft.skipped = kind;
    return draft;
  }
  const object = objectModel(item.data);
  if (reading === undefined) stateCredentials(draft, object);
  else stateObject(draft, kind, object, reading);
  if (draft.nodes.length === 0) draft.skipped = kind;
  return draft;
};

function stateObject(draft: Draft, kind: string, object: AzureObject, reading: Reading): void {
  const id = draft.id(reading.id(object), 'data.id');
  if (id === undefined) {
    draft.warn('data', 'has no id');
    return;
  }
  const properties = presentProperties(draft, {
    name: reading.name(object),
    displayname: text(object.displayName) ?? nestedDisplayName(object),
    tenantid: text(object.tenantId),
  });
  if (kind === 'AZTenant' && object.collected === true) properties.collected = true;
  draft.node({ objectId: id, kinds: kindLists.get(kind) ?? [], properties, collected: true });
}

const nestedModel = model('displayName');

/** Management groups have it one level deeper. */
function nestedDisplayName(object: AzureObject): string | undefined {
  return isObject(object.properties) ? text(nestedModel(object.properties).displayName) : undefined;
}

const ficsModel = model('fic');
const ficModel = model('id', 'name');

/** The credentials of one application come together in one item. */
function stateCredentials(draft: Draft, object: AzureObject): void {
  draft.list(object.fics, 'data.fics').forEach((element, index) => {
    const outer = draft.object(element, `data.fics[${index}]`);
    const inner = outer === undefined ? undefined : ficsModel(outer).fic;
    const credential = draft.object(inner, `data.fics[${index}].fic`);
    if (credential === undefined) return;
    const { id, name } = ficModel(credential);
    const objectId = draft.id(id, `data.fics[${index}].fic.id`);
    if (objectId === undefined) return;
    const kinds = kindLists.get('AZFederatedIdentityCredential') ?? [];
    const properties = presentProperties(draft, {
      name: joined(text(name), text(object.tenantName)),
      tenantid: text(object.tenantId),
    });
    draft.node({ objectId, kinds, properties, collected: false });
  });
}

function presentProperties(
  draft: Draft,
  values: Readonly<Record<string, string | undefined>>,
): MutableProperties {
  const present = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  return copyProperties(draft, present, 'data');
}
