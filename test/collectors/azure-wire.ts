/** How AzureHound puts items on the wire: older releases as Microsoft returns them, newer ones with ids in upper case. */

import type { CollectedObject } from './collector-files.ts';

export type AzureData = CollectedObject;
export interface AzureItem {
  readonly kind: string;
  readonly data: AzureData;
}

export const wireStyles = ['older', 'newer'] as const;
export type WireStyle = (typeof wireStyles)[number];

const upperMembers: ReadonlySet<string> = new Set([
  ...['id', 'tenantId', 'tenantName', 'onPremisesSecurityIdentifier', 'appId', 'groupId', 'principalId'],
  ...['servicePrincipalId', 'roleDefinitionId', 'directoryScopeId', 'resourceId', 'objectId', 'scope'],
  ...['managementGroupId', 'subscriptionId', 'resourceGroupId', 'resourceGroup', 'keyVaultId'],
  ...['virtualMachineId', 'clientId', 'endUserAssignmentUserApprovers', 'endUserAssignmentGroupApprovers'],
]);
/** Kinds whose `displayName` newer releases write in upper case. */
const upperNames: ReadonlySet<string> = new Set([
  ...['AZApp', 'AZDevice', 'AZGroup', 'AZRole', 'AZServicePrincipal', 'AZUser', 'AZTenant'],
  ...['AZSubscription', 'AZManagementGroup'],
]);

/** The item as this style writes it. Members without a value are left out by both. */
export function inStyle({ kind, data }: AzureItem, style: WireStyle): AzureItem {
  return { kind, data: style === 'older' ? lean(data) : (upper(lean(data), kind) as AzureData) };
}

function lean(value: AzureData): AzureData {
  const kept = Object.entries(value).filter(([, member]) => !isEmpty(member));
  return Object.fromEntries(kept.map(([name, member]) => [name, leanValue(member)]));
}

function leanValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leanValue);
  return typeof value === 'object' && value !== null ? lean(value) : value;
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

function upper(value: unknown, kind: string, name = '', outer = ''): unknown {
  if (typeof value === 'string') return isUpper(kind, name, outer) ? value.toUpperCase() : value;
  if (Array.isArray(value)) return value.map((element) => upper(element, kind, name, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, upper(member, kind, key, name)]),
  );
}

function isUpper(kind: string, name: string, outer: string): boolean {
  if (name === 'displayName') return upperNames.has(kind);
  if (name === 'roleDefinitionId' && outer === 'assignees') return false;
  if (name === 'appId' && kind === 'AZAppRoleAssignment') return false;
  // Of the device itself it is another id than the one that it is known by.
  if (name === 'deviceId') return kind === 'AZDeviceOwner';
  return upperMembers.has(name);
}

/** As the command writes a file. */
export function azureFile(items: readonly AzureItem[]): string {
  return JSON.stringify({ data: items, meta: { type: 'azure', version: 5, count: items.length } });
}

/** As the service posts them; every other batch has `meta` first and its items the other way round. */
export function azureBatches(items: readonly AzureItem[], size = 100): string[] {
  const meta = { type: 'azure', version: 0, count: 0 };
  const batches: string[] = [];
  for (let from = 0; from < items.length; from += size) {
    const data = items.slice(from, from + size);
    const turned = data.map(({ kind, data: members }) => ({ data: members, kind }));
    batches.push(JSON.stringify(batches.length % 2 === 0 ? { data, meta } : { meta, data: turned }));
  }
  return batches;
}

/** In another order, the same for the same source of numbers. */
export function shuffled<T>(values: readonly T[], random: { below(end: number): number }): T[] {
  const mixed = [...values];
  for (let end = mixed.length; end > 1; end -= 1) {
    const at = random.below(end);
    const [last, picked] = [mixed[end - 1] as T, mixed[at] as T];
    mixed[end - 1] = picked;
    mixed[at] = last;
  }
  return mixed;
}
