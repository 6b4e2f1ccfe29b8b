import { model } from '../members.ts';
import { type AzureItem, filled, type ItemReader, type ItemReaders } from './item.ts';
import { readProperties } from './properties.ts';
import { appRoleEdges, microsoftGraph } from './role-ids.ts';

const assignmentModel = model(
  ...['appId', 'appRoleId', 'principalId', 'principalType', 'principalDisplayName'],
  ...['resourceId', 'resourceDisplayName', 'tenantId'],
);
const uuidPattern = /^[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}$/;

function neededUuid(item: AzureItem, value: unknown, path: string): string | undefined {
  const id = item.needed(value, path);
  if (id === undefined || uuidPattern.test(id)) return id;
  item.refuse(path, 'must be a UUID');
  return undefined;
}

/** What an application may do by Microsoft Graph. What may be done by other applications is not read. */
const appRoleAssignment: ItemReader = (item, data) => {
  const members = assignmentModel(data);
  const role = neededUuid(item, members.appRoleId, 'data.appRoleId');
  if (role === undefined) return;
  const principal = neededUuid(item, members.principalId, 'data.principalId');
  if (principal === undefined) return;
  if (item.id(members.appId, 'data.appId') !== microsoftGraph) return;
  if (String(members.principalType).toLowerCase() !== 'serviceprincipal') return;
  const resource = item.id(members.resourceId, 'data.resourceId');
  const tenantid = item.id(members.tenantId, 'data.tenantId');
  const refer = (id: string | undefined, name: unknown) => {
    const displayname = filled(name)?.toUpperCase();
    if (id === undefined) return;
    item.reference('AZServicePrincipal', id, readProperties(item, {}, {}, { displayname, tenantid }));
  };
  refer(principal, members.principalDisplayName);
  refer(resource, members.resourceDisplayName);
  const edge = appRoleEdges.get(role);
  if (edge === undefined) return;
  const [start, end] = [principal, resource].map((id) => ({ kind: 'AZServicePrincipal', id }));
  if (start !== undefined && end !== undefined) item.edge(start, edge, end);
};

export const appRoleReaders: ItemReaders = [['AZAppRoleAssignment', appRoleAssignment]];
