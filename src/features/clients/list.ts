import type { Reader } from '../../db/client.ts';
import type { List } from '../../http/list.ts';
import { deletedAtColumn } from '../../http/list.ts';
import { type ClientRow, clientSelect } from './registry/index.ts';

/** A collector with what its jobs tell of it. */
export interface CollectorRow extends ClientRow {
  readonly completed_job_count: number;
  /** How many ended badly since the last one that did not. */
  readonly failed_in_a_row: number;
}

/** An index on jobs answers each of these for one collector. */
const runningJob = '(select j.id from jobs j where j.client_id = c.id and j.status = 1)';
const finishedJobs =
  '(select cast(count(*) as bigint) from jobs j where j.client_id = c.id and j.status not in (0, 1))';

/** Abandoned, timed out, failed or invalid, since one that was neither of these ended. */
const failedInARow = `(select cast(count(*) as bigint) from jobs j where j.client_id = c.id
  and (j.status in (-1, 4, 5) or j.abandoned_at is not null)
  and j.start_time > coalesce((select max(g.start_time) from jobs g
    where g.client_id = c.id and g.status in (2, 6, 7, 8) and g.abandoned_at is null), 0))`;

export const collectorList: List = {
  select: `${clientSelect}, ${finishedJobs} as completed_job_count, ${failedInARow} as failed_in_a_row`,
  from: 'clients c',
  key: 'id',
  defaultSort: ['name'],
  defaultLimit: 100,
  growth: 'few rows',
  columns: {
    id: { type: 'uuid', sql: 'c.id' },
    name: { type: 'text', sql: 'c.name', neverNull: true },
    type: { type: 'text', sql: 'c.type', neverNull: true },
    ip_address: { type: 'text', sql: 'c.ip_address', neverNull: true },
    hostname: { type: 'text', sql: 'c.hostname', neverNull: true },
    configured_user: { type: 'text', sql: 'c.configured_user', neverNull: true },
    user_sid: { type: 'text', sql: 'c.user_sid' },
    version: { type: 'text', sql: 'c.version', neverNull: true },
    domain_controller: { type: 'text', sql: 'c.domain_controller' },
    last_checkin: { type: 'time', sql: 'c.last_checkin' },
    current_job_id: { type: 'integer', sql: runningJob },
    completed_job_count: { type: 'integer', sql: finishedJobs, neverNull: true },
    failed_in_a_row: { type: 'integer', sql: failedInARow, neverNull: true },
    created_at: { type: 'time', sql: 'c.created_at', neverNull: true },
    updated_at: { type: 'time', sql: 'c.updated_at', neverNull: true },
    deleted_at: deletedAtColumn,
  },
};

/** How many collectors there are whose latest jobs ended badly. */
export async function countFailing(db: Reader): Promise<number> {
  const row = await db.one<{ failing: number }>(
    `select cast(count(*) as bigint) as failing from clients c where ${failedInARow} > 0`,
  );
  return row?.failing ?? 0;
}
