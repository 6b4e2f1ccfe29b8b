import Type from 'typebox';
import { readRows } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import { type EnvironmentRow, environmentList } from './store.ts';

const Environment = Struct({
  type: Type.Enum(['active-directory', 'azure']),
  name: Type.String(),
  id: Type.String({ description: 'The SID of a domain, the id of a tenant' }),
  collected: Type.Boolean({ description: 'False for what is only known because others refer to it' }),
});

export function registerEnvironments(register: Register): void {
  register({
    id: 'ListAvailableDomains',
    method: 'GET',
    url: '/api/v2/available-domains',
    tag: 'Graph',
    summary: 'List environments: Active Directory domains and Azure tenants',
    access: { permission: 'graphdb.Read' },
    list: environmentList,
    answer: Struct({ data: Type.Array(Environment) }),
    answerExample: {
      data: [
        {
          type: 'active-directory',
          name: 'CORP.EXAMPLE',
          id: 'S-1-5-21-2643190041-1319121918-239771340',
          collected: true,
        },
      ],
    },
    handle: async ({ graph, list }) => {
      // They are few, unless somebody sent something else.
      const rows = await graph.slowly((graph) => readRows<EnvironmentRow>(graph, environmentList, list));
      return {
        data: rows.map(({ type, name, id, collected }) => ({ type, name, id, collected: collected === 1 })),
      };
    },
  });
}
