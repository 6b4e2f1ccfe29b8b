import Type, { type Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import { AppError, type Problem } from '../../errors.ts';
import { readPage } from '../../http/list.ts';
import { Document, type Register } from '../../http/operation.ts';
import { DateTimeParameter, Struct } from '../../http/schemas.ts';
import { auditList, exportLines, inPeriod } from './list.ts';
import { AuditLog, type AuditRow, toAuditView } from './schema.ts';

const ndjson = 'application/x-ndjson';

const example: Static<typeof AuditLog> = {
  id: 42,
  created_at: '2026-01-05T08:00:00Z',
  actor_id: '3f9c2a51-7d1e-4b0a-9a57-5f0f5f6b8f10',
  actor_name: 'admin',
  actor_email: 'admin@example.com',
  action: 'UpdateParameter',
  fields: { key: 'analysis.reconciliation', before: { enabled: false }, after: { enabled: true } },
  request_id: '7d0b0f6e-6a53-4c77-b3f3-0a3c1d4a9b11',
  source_ip_address: '192.0.2.10',
  commit_id: '7d0b0f6e-6a53-4c77-b3f3-0a3c1d4a9b11',
  status: 'success',
};

export function registerAudit(register: Register, deps: Pick<Deps, 'db' | 'clock'>): void {
  register({
    id: 'ListAuditLogs',
    method: 'GET',
    url: '/api/v2/audit',
    tag: 'Audit',
    summary: 'List audit logs',
    description: `Who changed what, newest first. With \`Accept: ${ndjson}\` everything that matches is exported, one record per line; \`skip\` and \`limit\` then count only if they are given.`,
    rules: ['`after` is earlier than `before`', '`offset` is another name for `skip`: one of them is given'],
    access: { permission: 'audit_log.Read' },
    query: Type.Object({
      before: Type.Optional(
        DateTimeParameter({ description: 'Only records from before this moment; left out: up to now' }),
      ),
      after: Type.Optional(
        DateTimeParameter({
          description: 'Only records from this moment on; left out: from 365 days before the end',
        }),
      ),
    }),
    list: auditList,
    checkQuery: ({ before, after }): Problem[] =>
      before !== undefined && after !== undefined && after >= before
        ? [{ context: 'after', message: 'after must be earlier than before' }]
        : [],
    answer: Struct({
      count: Type.Integer({ description: 'How many there are on all pages' }),
      limit: Type.Integer(),
      skip: Type.Integer(),
      data: Struct({ logs: Type.Array(AuditLog) }),
    }),
    answerExample: { count: 1, limit: 1000, skip: 0, data: { logs: [example] } },
    documents: { [ndjson]: 'One audit log per line' },
    errors: { bad_request: 'after must be earlier than before' },
    volatile: true,
    handle: async (call) => {
      const { db, list, query } = call;
      const request = inPeriod(list, query, deps.clock());
      if (call.prefers(ndjson)) {
        if (list.given.has('sort_by')) {
          throw new AppError('bad_request', 'an export is always newest first: leave sort_by out', {
            context: 'sort_by',
          });
        }
        // gap 1.5: an export may take longer than a request; the first page is still within its wait.
        return new Document(ndjson, await exportLines(db, deps.db, request), 'audit-log.ndjson');
      }
      const { count, rows } = await readPage<AuditRow>(db, auditList, request);
      return {
        count,
        limit: request.limit ?? rows.length,
        skip: request.skip,
        data: { logs: rows.map(toAuditView) },
      };
    },
  });
}
