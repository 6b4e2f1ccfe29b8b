import type { Reader } from '../../db/client.ts';
import { type List, type ListRequest, narrowed, readRows } from '../../http/list.ts';
import { day } from '../../values/time.ts';
import { type AuditRow, toAuditView } from './schema.ts';

export const auditList: List = {
  columns: {
    id: { type: 'integer', sql: 'a.id', neverNull: true },
    created_at: { type: 'time', sql: 'a.created_at', neverNull: true },
    actor_id: { type: 'text', sql: 'a.actor_id', neverNull: true },
    actor_name: { type: 'text', sql: 'a.actor_name', neverNull: true },
    action: { type: 'text', sql: 'a.action', neverNull: true },
    request_id: { type: 'text', sql: 'a.request_id', neverNull: true },
    source_ip_address: { type: 'text', sql: 'a.source_address', neverNull: true },
    status: { type: 'text', sql: 'a.outcome', neverNull: true },
  },
  // Not joined: counting the rows must not have to look at the users.
  select: `a.id, a.created_at, a.actor_id, a.actor_name, a.action, a.outcome, a.fields, a.request_id, a.source_address,
           (select u.email_address from users u where u.id = a.actor_id and a.actor_kind = 'user') as actor_email`,
  from: 'audit_log a',
  key: 'id',
  defaultSort: ['-created_at', '-id'],
  defaultLimit: 1000,
  offset: true,
  growth: 'every column indexed',
};

/** Without `before` it is everything up to now, the records of this very moment included. */
export function inPeriod(
  request: ListRequest,
  { before, after }: { before?: number | undefined; after?: number | undefined },
  now: number,
): ListRequest {
  const from = after ?? (before ?? now) - 365 * day;
  const since = narrowed(request, 'a.created_at >= cast($1 as bigint)', from);
  return before === undefined ? since : narrowed(since, 'a.created_at < cast($1 as bigint)', before);
}

function olderThan(request: ListRequest, last: AuditRow): ListRequest {
  const count = request.params.length;
  return {
    ...request,
    where: `${request.where} and (a.created_at, a.id) < (cast($${count + 1} as bigint), cast($${count + 2} as bigint))`,
    params: [...request.params, last.created_at, last.id],
  };
}

const exportPageSize = 500;

/** One record per line, newest first. Each page is a query of its own that begins behind the one before. */
export async function exportLines(
  first: Reader,
  db: Reader,
  request: ListRequest,
): Promise<AsyncIterable<string>> {
  let left = request.given.has('limit') ? (request.limit ?? 0) : Number.POSITIVE_INFINITY;
  const read = async (db: Reader, behind: ListRequest, skip: number): Promise<AuditRow[]> => {
    const limit = Math.min(exportPageSize, left);
    const rows = await readRows<AuditRow>(db, auditList, { ...behind, skip, limit });
    left = rows.length < exportPageSize ? 0 : left - rows.length;
    return rows;
  };
  // Read before the answer begins, so that a store that is out of reach is still a proper error.
  let rows = await read(first, request, request.skip);
  return (async function* () {
    while (rows.length > 0) {
      yield rows.map((row) => `${JSON.stringify(toAuditView(row))}\n`).join('');
      const last = rows.at(-1);
      if (last === undefined || left === 0) return;
      rows = await read(db, olderThan(request, last), 0);
    }
  })();
}
