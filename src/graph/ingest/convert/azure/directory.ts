import { isObject, model } from '../members.ts';
import { type AzureItem, filled, type ItemReader, type ItemReaders, joined } from './item.ts';
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
  /** Properties that are left out when the item does not have them. */
  readonly optional?: (members: Read) => Read;
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
  optional,
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
      const others = { name: name(members), tenantid: tenantId, ...optional?.(members) };
      item.node(kind, id, readProperties(item, members, properties, others));
      item.edge({ kind: 'AZTenant', id: tenantId }, 'AZContains', { kind, id });
      also?.(item, id, members);
    },
  ];
}

const activityModel = model('lastSuccessfulSignInDateTime');

/** The collector can say it only with a permission that many do not give. */
function lastSignIn({ signInActivity }: Read): string | undefined {
  if (!isObject(signInActivity)) return undefined;
  return filled(activityModel(signInActivity).lastSuccessfulSignInDateTime);
}

const user = directoryObject({
  kind: 'AZUser',
  more: ['signInActivity'],
  name: (members) => filled(members.userPrincipalName),
  optional: (members) => ({ lastsuccessfulsignindatetime: lastSignIn(members) }),
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
      displayname: filled(members.appDisplayName),
      tenantid: filled(members.appOwnerOrganizationId),
    };
    item.reference('AZApp', appId, readProperties(item, {}, {}, about));
    item.edge({ kind: 'AZApp', id: appId }, 'AZRunsAs', { kind: 'AZServicePrincipal', id });
  },
});

export const directoryReaders: ItemReaders = [user, group, device, app, servicePrincipal];
