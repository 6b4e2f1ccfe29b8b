import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Empty, Struct, UuidParameter } from '../../http/schemas.ts';
import { NewApiToken } from '../api-tokens/index.ts';
import { hydrationMembers } from '../jobs/index.ts';
import { clientExample, displayExample, newTokenExample } from './examples.ts';
import { collectorList } from './list.ts';
import { displaysOf, readCollector, readCollectors } from './read.ts';
import { CreateClientRequest, UpdateClientRequest } from './requests.ts';
import { Client, ClientDisplay, NewClient } from './schema.ts';
import { changeCollector, createCollector, removeCollector, rotateToken } from './service.ts';

const tag = 'Collectors';
export const clientPath = Struct({ client_id: UuidParameter() });
export const notFound = 'client 0b1f8c9e-3a57-4f2b-8a35-57b1f0c2d9aa does not exist';
const nameTaken = 'there is a client called "collector-1" already';
const everything = { hydrate_domains: true, hydrate_ous: true };

/** Which collectors there are, and what they may do. */
export function registerClients(register: Register, deps: Deps): void {
  register({
    id: 'ListClients',
    method: 'GET',
    url: '/api/v2/clients',
    tag,
    summary: 'List collectors',
    access: { permission: 'clients.Read' },
    edition: 'enterprise',
    query: Struct(hydrationMembers),
    list: collectorList,
    answer: Struct({
      count: Type.Integer({ description: 'How many there are on all pages' }),
      limit: Type.Integer(),
      skip: Type.Integer(),
      data: Type.Array(ClientDisplay),
    }),
    answerExample: { count: 1, limit: 100, skip: 0, data: [displayExample] },
    handle: async ({ db, graph, list, query }) => {
      const found = await readCollectors(db, list);
      const data = await displaysOf(db, graph, found, query);
      return { count: found.count, limit: list.limit ?? data.length, skip: list.skip, data };
    },
  });

  register({
    id: 'CreateClient',
    method: 'POST',
    url: '/api/v2/clients',
    tag,
    summary: 'Register a collector; the key of its token is shown only in this answer',
    rules: [
      'The `rrule` of each schedule is an RFC 5545 rule with at least 5 minutes between any two occurrences',
    ],
    access: { permission: 'clients.Manage' },
    edition: 'enterprise',
    body: CreateClientRequest,
    bodyExample: { name: 'collector-1', type: 'azurehound' },
    answer: Struct({ data: NewClient }),
    answerExample: { data: { ...clientExample, token: newTokenExample } },
    errors: { conflict: nameTaken },
    secret: true,
    handle: async ({ db, caller, origin, body }) => ({
      data: await createCollector(deps, db, caller, origin, body),
    }),
  });

  register({
    id: 'GetClient',
    method: 'GET',
    url: '/api/v2/clients/{client_id}',
    tag,
    summary: 'Get a collector',
    access: { permission: 'clients.Read' },
    edition: 'enterprise',
    path: clientPath,
    answer: Struct({ data: ClientDisplay }),
    answerExample: { data: displayExample },
    errors: { not_found: notFound },
    handle: async ({ db, graph, path }) => {
      const found = await readCollector(db, path.client_id);
      const [data] = await displaysOf(db, graph, found, everything);
      if (data === undefined) throw new Error('the client is gone');
      return { data };
    },
  });

  register({
    id: 'UpdateClient',
    method: 'PUT',
    url: '/api/v2/clients/{client_id}',
    tag,
    summary: 'Rename a collector, or give it another domain controller',
    description:
      'Without `domain_controller` that stays as it is. Jobs keep the name that they were made with.',
    access: { permission: 'clients.Manage' },
    edition: 'enterprise',
    path: clientPath,
    body: UpdateClientRequest,
    bodyExample: { name: 'collector-1', domain_controller: 'dc01.corp.example' },
    answer: Struct({ data: Client }),
    answerExample: { data: clientExample },
    errors: { not_found: notFound, conflict: nameTaken },
    handle: async ({ db, origin, path, body }) => ({
      data: await changeCollector(deps, db, origin, path.client_id, body),
    }),
  });

  register({
    id: 'DeleteClient',
    method: 'DELETE',
    url: '/api/v2/clients/{client_id}',
    tag,
    summary: 'Delete a collector, its token and its schedules',
    description: 'Its sessions end, and its ready and running jobs are canceled. Jobs stay.',
    access: { permission: 'clients.Manage' },
    edition: 'enterprise',
    path: clientPath,
    answer: Empty,
    errors: { not_found: notFound },
    handle: ({ db, origin, path }) => removeCollector(deps, db, origin, path.client_id),
  });

  register({
    id: 'ReplaceClientToken',
    method: 'PUT',
    url: '/api/v2/clients/{client_id}/token',
    tag,
    summary: 'Give a collector a new token; its key is shown only in this answer',
    description: 'The old token is refused within a second, and so are sessions that it was used for.',
    access: { permission: 'clients.Manage' },
    edition: 'enterprise',
    path: clientPath,
    answer: Struct({ data: NewApiToken }),
    answerExample: { data: newTokenExample },
    errors: { not_found: notFound },
    secret: true,
    handle: async ({ db, caller, origin, path }) => ({
      data: await rotateToken(deps, db, caller, origin, path.client_id),
    }),
  });
}
