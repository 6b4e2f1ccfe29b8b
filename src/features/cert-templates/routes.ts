import Type, { type Static } from 'typebox';
import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import type { Register } from '../../http/operation.ts';
import { quoted } from '../../http/parameters.ts';
import { BooleanParameter, published as documented, Int32Parameter, Struct } from '../../http/schemas.ts';
import type { KindIcons } from '../custom-nodes/index.ts';
import {
  AuthorityEntity,
  NodeGraph,
  NodeList,
  TemplateEntity,
  toEntityView,
  toGraphView,
  toListEntries,
} from './schema.ts';
import { entryOrder, sortProblems } from './sorting.ts';
import {
  authoritySide,
  type Entity,
  findEntity,
  findPublished,
  listPublished,
  type Side,
  templateSide,
} from './store.ts';

const path = Struct({
  object_id: Type.String({ description: 'The unique object identifier of the entity' }),
});
const listQuery = Struct({
  skip: Type.Optional(
    Int32Parameter({ minimum: 0, default: 0, description: 'Entries to skip; for type=list' }),
  ),
  limit: Type.Optional(
    Int32Parameter({ minimum: 0, default: 10, description: 'Maximum entries; for type=list' }),
  ),
  type: Type.Optional(Type.Enum(['list', 'graph'], { default: 'list', description: 'Return data kind' })),
  sort_by: Type.Optional(
    Type.Array(Type.String(documented({ pattern: '^-?(name|objectID|objectid|label)$' })), {
      description: 'name, objectID or label; a leading hyphen descends; may be repeated',
    }),
  ),
});
const entityQuery = Struct({
  counts: Type.Optional(
    BooleanParameter({ default: true, description: 'Whether to count what is related to it' }),
  ),
});

const templates = 'Certificate templates';
const authorities = 'Enterprise certificate authorities';
const noTemplate = 'there is no certificate template with the object id "X"';
const noAuthority = 'there is no enterprise certificate authority with the object id "X"';
const access = { permission: 'graphdb.Read' } as const;
const unsortable = 'the specified column cannot be sorted: size';

export function registerCertTemplates(register: Register, icons: KindIcons): void {
  register({
    id: 'ListCertTemplatePublishedToCAs',
    method: 'GET',
    url: '/api/v2/certtemplates/{object_id}/published-to-cas',
    tag: templates,
    summary: 'Get enterprise certificate authorities that a certificate template is published to',
    access,
    path,
    query: listQuery,
    answer: Type.Union([NodeList, NodeGraph]),
    answerExample: exampleList('CORP-CA@CORP.EXAMPLE', 'EnterpriseCA'),
    errors: { bad_request: unsortable, not_found: noTemplate },
    checkQuery: ({ sort_by: sortBy = [] }) => sortProblems(sortBy),
    handle: ({ graph, path, query }) => published(icons, graph, templateSide, path.object_id, query),
  });
  register({
    id: 'ListEnterpriseCAPublishedTemplates',
    method: 'GET',
    url: '/api/v2/enterprisecas/{object_id}/published-templates',
    tag: authorities,
    summary: 'Get certificate templates that are published to an enterprise certificate authority',
    access,
    path,
    query: listQuery,
    answer: Type.Union([NodeList, NodeGraph]),
    answerExample: exampleList('WEB@CORP.EXAMPLE', 'CertTemplate'),
    errors: { bad_request: unsortable, not_found: noAuthority },
    checkQuery: ({ sort_by: sortBy = [] }) => sortProblems(sortBy),
    handle: ({ graph, path, query }) => published(icons, graph, authoritySide, path.object_id, query),
  });
  register({
    id: 'GetCertTemplate',
    method: 'GET',
    url: '/api/v2/certtemplates/{object_id}',
    tag: templates,
    summary: 'Get a certificate template',
    access,
    path,
    query: entityQuery,
    answer: TemplateEntity,
    answerExample: { data: { ...exampleEntity('WEB', 'CertTemplate'), published_to_cas: 1 } },
    errors: { not_found: noTemplate },
    handle: async ({ graph, path, query }) => {
      const entity = await getEntity(graph, templateSide, path.object_id);
      const { controllers, published } = entity;
      const counts = query.counts === false ? {} : { controllers, published_to_cas: published };
      return { data: { ...toEntityView(entity), ...counts } };
    },
  });
  register({
    id: 'GetEnterpriseCA',
    method: 'GET',
    url: '/api/v2/enterprisecas/{object_id}',
    tag: authorities,
    summary: 'Get an enterprise certificate authority',
    access,
    path,
    query: entityQuery,
    answer: AuthorityEntity,
    answerExample: { data: { ...exampleEntity('CORP-CA', 'EnterpriseCA'), published_templates: 12 } },
    errors: { not_found: noAuthority },
    handle: async ({ graph, path, query }) => {
      const entity = await getEntity(graph, authoritySide, path.object_id);
      const { controllers, published } = entity;
      const counts = query.counts === false ? {} : { controllers, published_templates: published };
      return { data: { ...toEntityView(entity), ...counts } };
    },
  });
}

async function published(
  icons: KindIcons,
  graph: Db,
  side: Side,
  objectId: string,
  query: Static<typeof listQuery>,
): Promise<Static<typeof NodeList> | Static<typeof NodeGraph>> {
  const known = await icons.all();
  if (query.type === 'graph') {
    const found = await findPublished(graph, side, objectId);
    if (found === undefined) throw noSuchEntity(side, objectId);
    return toGraphView(found, known);
  }
  const others = await listPublished(graph, side, objectId);
  if (others === undefined) throw noSuchEntity(side, objectId);
  const { skip = 0, limit = 10 } = query;
  const entries = toListEntries(others, known).sort(entryOrder(query.sort_by ?? []));
  return { count: entries.length, skip, limit, data: entries.slice(skip, skip + limit) };
}

async function getEntity(graph: Db, side: Side, objectId: string): Promise<Entity> {
  const entity = await findEntity(graph, side, objectId);
  if (entity === undefined) throw noSuchEntity(side, objectId);
  return entity;
}

function noSuchEntity(side: Side, objectId: string): AppError {
  const pattern = side === templateSide ? noTemplate : noAuthority;
  return new AppError(
    'not_found',
    pattern.replace('"X"', () => quoted(objectId)),
    { context: 'object_id' },
  );
}

function exampleList(name: string, label: string) {
  const objectID = '6D1C0B6C-7E0B-4B0D-8C0B-2C4E3A0B9C11';
  return { count: 1, skip: 0, limit: 10, data: [{ objectID, name, label, kinds: ['Base', label] }] };
}

function exampleEntity(name: string, kind: string) {
  const objectid = '6D1C0B6C-7E0B-4B0D-8C0B-2C4E3A0B9C11';
  return { kinds: ['Base', kind], props: { objectid, name: `${name}@CORP.EXAMPLE` }, controllers: 4 };
}
