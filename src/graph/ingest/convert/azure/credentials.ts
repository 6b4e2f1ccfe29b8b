import { model } from '../members.ts';
import { elements, type ItemReader, type ItemReaders, joined, part } from './item.ts';
import { type PropertyTable, readProperties } from './properties.ts';

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

export const credentialReaders: ItemReaders = [['AZFederatedIdentityCredential', credentials]];
