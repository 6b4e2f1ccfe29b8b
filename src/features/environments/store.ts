import type { List } from '../../http/list.ts';

export interface EnvironmentRow {
  readonly id: string;
  readonly name: string;
  readonly type: 'active-directory' | 'azure';
  readonly collected: 0 | 1;
}

/**
 * Kinds and properties are what JSON.stringify makes of flat values: in that text a quote that belongs to a value
 * is escaped, so these texts can only be a kind and a member. Unlike `like`, `replace` knows case on both stores.
 */
const has = (column: string, text: string) => `replace(${column}, '${text}', '') <> ${column}`;
const isDomain = has('l.kinds', '"Domain"');
const isTenant = has('l.kinds', '"AZTenant"');
const type = `case when ${isDomain} then 'active-directory' else 'azure' end`;
const collected = `case when ${has('n.properties', '"collected":true')} then 1 else 0 end`;

export const environmentList: List = {
  columns: {
    id: { type: 'text', sql: 'n.object_id', neverNull: true },
    name: { type: 'text', sql: 'n.name', neverNull: true },
    type: { type: 'text', sql: type, neverNull: true },
    collected: { type: 'boolean', sql: collected, neverNull: true },
  },
  select: `n.object_id as id, n.name, ${type} as type, ${collected} as collected`,
  // By the lists first: SQLite would rather go through all nodes.
  from: `nodes n join kind_lists l on l.id = n.kind_list_id
    and n.kind_list_id in (select l.id from kind_lists l where ${isDomain} or ${isTenant})`,
  key: 'id',
  defaultSort: ['name'],
  // Domains and tenants; their nodes are found through the few lists of kinds that name one.
  growth: 'few rows',
};
