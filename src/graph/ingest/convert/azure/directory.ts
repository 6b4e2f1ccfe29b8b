import { isObject, model } from '../members.ts';
import { type AzureItem, elements, type ItemReader, type ItemReaders, joined, part } from './item.ts';
import { type PropertyTable, readProperties } from './properties.ts';

type Read = Readonly<Record<string, unknown>>;

interface Shape {
  readonly kind: string;
  readonly properties: PropertyTable;
  /** Members that no property is read from. */
  readonly more?: readonly string[];
  /** The member with the id; it is `id` unless said otherwise. */
  readonly idMember?: string;
  readonly name: (members: Read) => string | undefined;
  readonly also?: (item: AzureItem, id: string, members: Read) => void;
}

const inTenant = (members: Read) => joined(members.displayName, members.tenantName);

/** An object of the directory, which its tenant contains. */
function directoryObject({
  kind,
  properties,
  more = [],
  idMember = 'id',
  name,
  also,
}: Shape): readonly [kind: string, read: ItemReader] {
  const sources = Object.values(properties).map(([member]) => member);
  const read = model<string>(...new Set([...sources, ...more, idMember, 'tenantId', 'tenantName']));
  return [
    kind,
    (item, data) => {
      const members = read(data);
      const id = item.needed(members[idMember], `data.${idMember}`);
      if (id === undefined) return;
      const tenantId = item.id(members.tenantId, 'data.tenantId');
      const others = { name: name(members), tenantid: tenantId };
      const stored = readProperties(item, members, properties, others);
      item.node(kind, id, { ...stored, ...extrasOf(kind, members) });
      item.edge({ kind: 'AZTenant', id: tenantId }, 'AZContains', { kind, id });
      also?.(item, id, members);
    },
  ];
}

const activityModel = model('lastSuccessfulSignInDateTime');

/** Properties that are there only if the collector could say them. */
function extrasOf(kind: string, members: Read): Readonly<Record<string, string>> {
  if (kind !== 'AZUser' || !isObject(members.signInActivity)) return {};
  const time = activityModel(members.signInActivity).lastSuccessfulSignInDateTime;
  return typeof time === 'string' && time !== '' ? { lastsuccessfulsignindatetime: time } : {};
}

const user = directoryObject({
  kind: 'AZUser',
  more: ['signInActivity'],
  name: (members) => joined(members.userPrincipalName, undefined),
  properties: {
    userprincipalname: ['userPrincipalName', 'text'],
    enabled: ['accountEnabled', 'flag'],
    whencreated: ['createdDateTime', 'date'],
    displayname: ['displayName', 'text'],
    title: ['jobTitle', 'text'],
    pwdlastset: ['lastPasswordChangeDateTime', 'date'],
    email: ['mail', 'text'],
    onpremid: ['onPremisesSecurityIdentifier', 'text'],
    onpremsyncenabled: ['onPremisesSyncEnabled', 'flag'],
    usertype: ['userType', 'text'],
  },
});

const group = directoryObject({
  kind: 'AZGroup',
  name: inTenant,
  properties: {
    displayname: ['displayName', 'text'],
    whencreated: ['createdDateTime', 'date'],
    description: ['description', 'text'],
    isassignabletorole: ['isAssignableToRole', 'flag'],
    onpremid: ['onPremisesSecurityIdentifier', 'text'],
    onpremsyncenabled: ['onPremisesSyncEnabled', 'flag'],
    securityenabled: ['securityEnabled', 'flag'],
    securityidentifier: ['securityIdentifier', 'text'],
  },
});

const device = directoryObject({
  kind: 'AZDevice',
  name: inTenant,
  properties: {
    displayname: ['displayName', 'text'],
    operatingsystem: ['operatingSystem', 'text'],
    deviceid: ['deviceId', 'text'],
    operatingsystemversion: ['operatingSystemVersion', 'text'],
    // The name that queries know it by.
    trustype: ['trustType', 'text'],
  },
});

const app = directoryObject({
  kind: 'AZApp',
  idMember: 'appId',
  name: (members) => joined(members.displayName, members.publisherDomain),
  properties: {
    displayname: ['displayName', 'text'],
    description: ['description', 'text'],
    whencreated: ['createdDateTime', 'date'],
    appid: ['appId', 'text'],
    publisherdomain: ['publisherDomain', 'text'],
    signinaudience: ['signInAudience', 'text'],
  },
});

const servicePrincipal = directoryObject({
  kind: 'AZServicePrincipal',
  more: ['appId'],
  name: inTenant,
  properties: {
    displayname: ['displayName', 'text'],
    enabled: ['accountEnabled', 'flag'],
    description: ['description', 'text'],
    appownerorganizationid: ['appOwnerOrganizationId', 'text'],
    appdescription: ['appDescription', 'text'],
    appdisplayname: ['appDisplayName', 'text'],
    loginurl: ['loginUrl', 'text'],
    serviceprincipaltype: ['servicePrincipalType', 'text'],
  },
  also: (item, id, members) => {
    const appId = item.id(members.appId, 'data.appId');
    if (appId === undefined) return;
    // Most applications that have a principal here belong to other tenants: nothing else tells of them.
    const about = {
      displayname: joined(members.appDisplayName, undefined),
      tenantid: joined(members.appOwnerOrganizationId, undefined),
    };
    item.reference('AZApp', appId, readProperties(item, {}, {}, about));
    item.edge({ kind: 'AZApp', id: appId }, 'AZRunsAs', { kind: 'AZServicePrincipal', id });
  },
});

const tenantModel = model('tenantId', 'displayName', 'collected');

/** Tenants that were not collected are the ones that this one has to do with. */
const tenant: ItemReader = (item, data) => {
  const members = tenantModel(data);
  const id = item.needed(members.tenantId, 'data.tenantId');
  if (id === undefined) return;
  const others = { name: joined(members.displayName, undefined), tenantid: id };
  const properties = readProperties(item, members, { displayname: ['displayName', 'text'] }, others);
  item.node('AZTenant', id, members.collected === true ? { ...properties, collected: true } : properties);
};

const roleModel = model<string>(
  ...['id', 'templateId', 'displayName', 'description', 'isEnabled', 'isBuiltIn', 'tenantId', 'tenantName'],
);
const roleProperties: PropertyTable = {
  displayname: ['displayName', 'text'],
  description: ['description', 'text'],
  enabled: ['isEnabled', 'flag'],
  isbuiltin: ['isBuiltIn', 'flag'],
  templateid: ['templateId', 'text'],
};

/** The same roles are in every tenant, so the tenant belongs to the id. */
const role: ItemReader = (item, data) => {
  const members = roleModel(data);
  const definition = item.needed(members.id, 'data.id');
  if (definition === undefined) return;
  const tenantId = item.needed(members.tenantId, 'data.tenantId');
  if (tenantId === undefined) return;
  const id = `${definition}@${tenantId}`;
  const others = { name: inTenant(members), tenantid: tenantId };
  item.node('AZRole', id, readProperties(item, members, roleProperties, others));
  item.edge({ kind: 'AZTenant', id: tenantId }, 'AZContains', { kind: 'AZRole', id });
};

const credentialsModel = model('tenantId', 'tenantName', 'fics');
const ficsModel = model('appId', 'fic');
const ficModel = model<string>('id', 'name', 'issuer', 'subject', 'audiences', 'description');
const ficProperties: PropertyTable = {
  description: ['description', 'text'],
  issuer: ['issuer', 'text'],
  subject: ['subject', 'text'],
  audiences: ['audiences', 'list'],
};

/** The credentials of one application come together in one item. */
const credentials: ItemReader = (item, data) => {
  const { tenantId, tenantName, fics } = credentialsModel(data);
  const tenantid = item.id(tenantId, 'data.tenantId');
  for (const [{ appId, fic }, index] of elements(item, fics, 'data.fics', ficsModel)) {
    const path = `data.fics[${index}]`;
    const members = part(item, fic, `${path}.fic`, ficModel);
    const id = item.id(members.id, `${path}.fic.id`);
    if (id === undefined) continue;
    const others = { name: joined(members.name, tenantName), tenantid };
    item.reference('AZFederatedIdentityCredential', id, readProperties(item, members, ficProperties, others));
    const target = { kind: 'AZApp', id: item.id(appId, `${path}.appId`) };
    item.edge({ kind: 'AZFederatedIdentityCredential', id }, 'AZAuthenticatesTo', target);
  }
};

export const directoryReaders: ItemReaders = [
  ['AZTenant', tenant],
  user,
  group,
  device,
  app,
  servicePrincipal,
  ['AZRole', role],
  ['AZFederatedIdentityCredential', credentials],
];
