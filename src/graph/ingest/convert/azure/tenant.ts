import { model } from '../members.ts';
import { filled, type ItemReader, type ItemReaders } from './item.ts';
import { readProperties } from './properties.ts';

const tenantModel = model('tenantId', 'displayName', 'collected');

/** Tenants that were not collected are the ones that this one has to do with. */
const tenant: ItemReader = (item, data) => {
  const members = tenantModel(data);
  const id = item.needed(members.tenantId, 'data.tenantId');
  if (id === undefined) return;
  const others = { name: filled(members.displayName), tenantid: id };
  const properties = readProperties(item, members, { displayname: ['displayName', 'text'] }, others);
  item.node('AZTenant', id, members.collected === true ? { ...properties, collected: true } : properties);
};

export const tenantReaders: ItemReaders = [['AZTenant', tenant]];
