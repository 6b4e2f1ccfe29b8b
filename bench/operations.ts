import type { Reader } from '../src/db/client.ts';
import type { Deps } from '../src/deps.ts';
import { listPublished, templateSide } from '../src/features/cert-templates/store.ts';
import { findCustomNode } from '../src/features/custom-nodes/store.ts';
import { readPosture } from '../src/features/posture/store.ts';
import { listSamlProviders } from '../src/features/saml/store.ts';
import { environmentId, lastDay, templateId } from './estate.ts';

export interface BenchRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: string;
}

export interface BenchOperation {
  readonly name: string;
  readonly isRead: boolean;
  /** The nth request of a measurement; a write that can happen only once takes another target each time. */
  readonly request: (n: number) => BenchRequest;
  /** Makes `count` targets for such a write and tells where they begin. */
  readonly prepare?: (deps: Deps, count: number) => Promise<(n: number) => BenchRequest>;
  /** The store's part of a read, for the bare server that runs the same SQL. */
  readonly read?: (db: Reader) => Promise<unknown>;
}

const start = lastDay - 30 * 86_400_000;
const environments = [environmentId(1), environmentId(2), environmentId(3)];
const range = `start=${new Date(start).toISOString()}&end=${new Date(lastDay).toISOString()}`;
const get = (path: string) => () => ({ method: 'GET', path }) as const;

export const operations: readonly BenchOperation[] = [
  { name: 'GET saml', isRead: true, request: get('/api/v2/saml'), read: listSamlProviders },
  {
    name: 'GET published-to-cas',
    isRead: true,
    request: get(`/api/v2/certtemplates/${templateId}/published-to-cas`),
    read: (db) => listPublished(db, templateSide, templateId),
  },
  {
    name: 'GET posture-history',
    isRead: true,
    request: get(
      `/api/v2/posture-history/exposure?${range}&${environments.map((id) => `environments=${id}`).join('&')}`,
    ),
    read: (db) => readPosture(db, { dataType: 'exposure', tags: [1], environments, start, end: lastDay }),
  },
  {
    name: 'GET custom-node',
    isRead: true,
    request: get('/api/v2/custom-nodes/BenchKind'),
    read: (db) => findCustomNode(db, 'BenchKind'),
  },
  {
    name: 'PUT config',
    isRead: false,
    request: () => ({
      method: 'PUT',
      path: '/api/v2/config',
      body: '{"key":"analysis.reconciliation","value":{"enabled":true}}',
    }),
  },
  {
    name: 'DELETE saml provider',
    isRead: false,
    request: () => ({ method: 'DELETE', path: '/api/v2/saml/providers/2147483647' }),
    prepare: async (deps, count) => {
      const first = await deps.db.transaction(async (db) => {
        const { next } = (await db.one<{ next: number }>(
          'select coalesce(max(id), 0) + 1000001 as next from sso_providers',
        )) ?? { next: 1 };
        const ids = Array.from({ length: count }, (_, n) => next + n);
        await db.bulk(
          'sso_providers',
          ['id', 'name', 'slug', 'type', 'created_at', 'updated_at'],
          ids.map((id) => [id, `p${id}`, `p${id}`, 'SAML', 0, 0]),
        );
        await db.bulk(
          'saml_providers',
          [
            'id',
            'sso_provider_id',
            'name',
            'display_name',
            'idp_issuer_uri',
            'idp_sso_uri',
            'principal_attribute_mappings',
            'created_at',
            'updated_at',
          ],
          ids.map((id) => [id, id, `p${id}`, `p${id}`, 'https://x', 'https://x', '[]', 0, 0]),
        );
        return next;
      });
      return (n) => ({ method: 'DELETE', path: `/api/v2/saml/providers/${first + n}` });
    },
  },
  {
    name: 'PUT task cancel',
    isRead: false,
    request: () => ({ method: 'PUT', path: '/api/v2/tasks/1/cancel' }),
    prepare: async (deps, count) => {
      const first = await insertJobs(deps, count, 0);
      return (n) => ({ method: 'PUT', path: `/api/v2/tasks/${first + n}/cancel` });
    },
  },
  {
    name: 'POST jobs/end',
    isRead: false,
    request: () => ({ method: 'POST', path: '/api/v2/jobs/end', body: '{"status":"COMPLETE","job_id":1}' }),
    prepare: async (deps, count) => {
      const first = await insertJobs(deps, count, 1);
      return (n) => ({
        method: 'POST',
        path: '/api/v2/jobs/end',
        body: `{"status":"COMPLETE","job_id":${first + n}}`,
      });
    },
  },
];

/** Jobs in one state, each of a collector of its own. */
async function insertJobs(deps: Deps, count: number, status: number): Promise<number> {
  return deps.db.transaction(async (db) => {
    const { next } = (await db.one<{ next: number }>(
      'select coalesce(max(id), 0) + 1000001 as next from jobs',
    )) ?? { next: 1 };
    const flags = [
      'session',
      'local_group',
      'ad_structure',
      'cert_services',
      'ca_registry',
      'dc_registry',
    ].map((name) => `${name}_collection`);
    await db.bulk(
      'jobs',
      [
        'id',
        'client_id',
        'client_name',
        'event_title',
        'status',
        'status_message',
        'execution_time',
        ...flags,
        'all_trusted_domains',
        'ous',
        'domains',
        'created_at',
        'updated_at',
      ],
      Array.from({ length: count }, (_, n) => [
        next + n,
        `00000000-0000-4000-8000-${String(next + n).padStart(12, '0')}`,
        'bench',
        '',
        status,
        '',
        0,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        '[]',
        '[]',
        0,
        0,
      ]),
    );
    return next;
  });
}
