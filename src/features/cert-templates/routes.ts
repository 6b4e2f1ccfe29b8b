import Type from 'typebox';
import { AppError } from '../../errors.ts';
import type { Register } from '../../http/operation.ts';
import { quoted } from '../../http/parameters.ts';
import { Int32Parameter, Struct } from '../../http/schemas.ts';
import type { KindIcons } from '../custom-nodes/index.ts';
import { NodeGraph, NodeList, toGraphView, toListEntries } from './schema.ts';
import { entryOrder, sortProblems } from './sorting.ts';
import { findPublishedTemplate, listPublishedTo } from './store.ts';

export function registerCertTemplates(register: Register, icons: KindIcons): void {
  register({
    id: 'ListCertTemplatePublishedToCAs',
    method: 'GET',
    url: '/api/v2/certtemplates/{object_id}/published-to-cas',
    tag: 'Certificate templates',
    summary: 'Get enterprise certificate authorities that a certificate template is published to',
    access: { permission: 'graphdb.Read' },
    path: Struct({ object_id: Type.String({ description: 'The unique object identifier of the entity' }) }),
    query: Struct({
      skip: Type.Optional(
        Int32Parameter({ minimum: 0, default: 0, description: 'Entries to skip; for type=list' }),
      ),
      limit: Type.Optional(
        Int32Parameter({ minimum: 0, default: 10, description: 'Maximum entries; for type=list' }),
      ),
      type: Type.Optional(Type.Enum(['list', 'graph'], { default: 'list', description: 'Return data kind' })),
      sort_by: Type.Optional(
        Type.Array(Type.String(), {
          description: 'name, objectID or label; a leading hyphen descends; may be repeated',
        }),
      ),
    }),
    answer: Type.Union([NodeList, NodeGraph]),
    answerExample: {
      count: 1,
      skip: 0,
      limit: 10,
      data: [
        {
          objectID: '6D1C0B6C-7E0B-4B0D-8C0B-2C4E3A0B9C11',
          name: 'CORP-CA@CORP.EXAMPLE',
          label: 'EnterpriseCA',
          kinds: ['Base', 'EnterpriseCA'],
        },
      ],
    },
    errors: {
      bad_request: 'the specified column cannot be sorted: size',
      not_found: 'there is no certificate template with the object id "X"',
    },
    checkQuery: ({ sort_by: sortBy = [] }) => sortProblems(sortBy),
    handle: async ({ graph, path, query }) => {
      const known = await icons.all();
      if (query.type === 'graph') {
        const found = await findPublishedTemplate(graph, path.object_id);
        if (found === undefined) throw noSuchTemplate(path.object_id);
        return toGraphView(found, known);
      }
      const authorities = await listPublishedTo(graph, path.object_id);
      if (authorities === undefined) throw noSuchTemplate(path.object_id);
      const { skip = 0, limit = 10 } = query;
      const entries = toListEntries(authorities, known).sort(entryOrder(query.sort_by ?? []));
      return { count: entries.length, skip, limit, data: entries.slice(skip, skip + limit) };
    },
  });
}

function noSuchTemplate(objectId: string): AppError {
  return new AppError(
    'not_found',
    `there is no certificate template with the object id ${quoted(objectId)}`,
    {
      context: 'object_id',
    },
  );
}
