import Type from 'typebox';
import type { Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { LiveAnswer, type Register } from '../../http/operation.ts';
import { Empty, Struct } from '../../http/schemas.ts';
import { isSigning, mustBeCollector } from '../jobs/index.ts';
import { clientExample } from './examples.ts';
import { readClient, readLiveClient } from './read.ts';
import { recordError, recordHost } from './reports.ts';
import { ErrorRequest, HostRequest } from './requests.ts';
import { Client, LiveClient } from './schema.ts';

/** What collectors tell about themselves. */
export function registerReports(register: Register, deps: Deps): void {
  register({
    id: 'UpdateClientInfo',
    method: 'PUT',
    url: '/api/v2/clients/update',
    tag: 'Collectors',
    summary: 'A collector tells where it runs, and is told what it was doing',
    description: 'For collectors only. Member names are taken in any case; what is left out stays as it was.',
    access: { permission: 'clients.Tasking' },
    edition: 'enterprise',
    rateLimited: false,
    body: HostRequest,
    bodyAnyCase: true,
    bodyExample: { address: '192.0.2.7', hostname: 'srv-7', username: '', version: 'v2.2.1', usersid: '' },
    answer: Struct({ data: Client }),
    answerExample: { data: clientExample },
    liveAnswer: Struct({ data: LiveClient }),
    errors: { not_found: 'this operation is for collectors' },
    handle: async ({ db, caller, body }) => {
      const collector = mustBeCollector(caller);
      // Read with the change: nothing may fail after its commit.
      if (isSigning(collector)) {
        const read = (db: Reader) => readLiveClient(db, collector.id);
        return new LiveAnswer({ data: await recordHost(deps, db, collector, body, read) });
      }
      return {
        data: await recordHost(deps, db, collector, body, (db) => readClient(db, collector.id)),
      };
    },
  });

  register({
    id: 'ListAvailableManagement',
    method: 'GET',
    url: '/api/v2/clients/management/available',
    tag: 'Collectors',
    summary: 'What the calling collector is to do for its administrators: nothing, ever',
    description:
      'For collectors only. Newer collectors ask for it beside their jobs, and take an empty list for what it is.',
    access: { permission: 'clients.Tasking' },
    edition: 'enterprise',
    rateLimited: false,
    answer: Struct({ data: Type.Array(Type.Object({}, { maxProperties: 0 }), { maxItems: 0 }) }),
    answerExample: { data: [] },
    errors: { not_found: 'this operation is for collectors' },
    handle: async ({ caller }) => {
      mustBeCollector(caller);
      return { data: [] };
    },
  });

  register({
    id: 'LogClientError',
    method: 'POST',
    url: '/api/v2/clients/error',
    tag: 'Collectors',
    summary: 'A collector reports an error',
    description:
      'For collectors only. The error is logged, and the latest hundred are kept for the logs of the jobs.',
    access: { permission: 'clients.Tasking' },
    edition: 'enterprise',
    rateLimited: false,
    body: ErrorRequest,
    bodyAnyCase: true,
    bodyExample: { task_error: 'no domain controller answers', additional: { domain: 'CORP.EXAMPLE' } },
    status: 202,
    answer: Empty,
    errors: { not_found: 'this operation is for collectors' },
    handle: ({ db, caller, origin, body }) => recordError(deps, db, mustBeCollector(caller), origin, body),
  });
}
