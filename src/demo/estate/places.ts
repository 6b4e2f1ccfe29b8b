import { type DemoDomain, guid, type Principal, principal } from './domain.ts';

/** Where things lie in every domain. */
export const unitNames = [
  'Administration',
  'Domain Controllers',
  'Groups',
  'People',
  'Servers',
  'Workstations',
] as const;
export const containerNames = ['Public Key Services', 'Users'] as const;

export type UnitName = (typeof unitNames)[number];

export const unitId = (domain: DemoDomain, name: UnitName) => guid(`OU ${name} in ${domain.name}`);
export const unit = (domain: DemoDomain, name: UnitName): Principal => principal(unitId(domain, name), 'OU');

export const container = (domain: DemoDomain, name: (typeof containerNames)[number]): Principal =>
  principal(guid(`container ${name} in ${domain.name}`), 'Container');
