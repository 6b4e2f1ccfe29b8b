import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Register } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';
import type { Intake } from './intake.ts';
import { createReceiver } from './service.ts';

export function registerIngest(register: Register, deps: Deps, intake: Intake): void {
  const receive = createReceiver(deps, intake);

  register({
    id: 'IngestData',
    method: 'POST',
    url: '/api/v2/ingest',
    tag: 'Collection',
    summary: 'Send collected data',
    description:
      'A collector sends a part of what its running job found: one JSON object, compressed with gzip or deflate (Content-Encoding) or not at all. The answer comes once it is safe on disk; it is read later. The same bytes sent again for the same job are kept once.',
    access: { permission: 'graphdb.IngestManage' },
    edition: 'enterprise',
    rateLimited: false,
    streamsBody: true,
    bodyExample: {
      meta: { type: 'azure', version: 0, count: 0 },
      data: [{ kind: 'AZTenant', data: { tenantId: '6c12b0b0-b2cc-4a73-8252-0b94bfca2145' } }],
    },
    status: 202,
    answer: Empty,
    errors: {
      bad_request: 'the body is not valid gzip data',
      not_found: 'this collector has no running job',
      conflict: 'job 7 is canceled already',
      too_large: 'a body may have at most 256 MiB as it is sent (KENNEL_INGEST_MAX_MB)',
      unsupported_media_type: 'the Content-Encoding must be gzip, deflate or identity',
      unavailable: 'the server is receiving 32 bodies already: try again',
    },
    handle: async ({ caller, origin, upload }) => {
      if (caller.kind !== 'client')
        throw new AppError('not_found', 'only a collector has a job to send data for');
      await receive(caller.id, origin.address, upload);
    },
  });
}
