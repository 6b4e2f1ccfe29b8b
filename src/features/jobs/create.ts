import type { Origin } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';
import { recordAudit } from '../audit/index.ts';
import type { Collection } from './collection.ts';
import { jobStatus, statusWords } from './states.ts';
import { findJob, insertJob, type JobRow } from './store.ts';

export interface Assignment {
  readonly client: { readonly id: string; readonly name: string; readonly domain_controller: string | null };
  /** Left out for an ad-hoc job. */
  readonly event?: { readonly id: number; readonly title: string };
  /** When the collector may start it. */
  readonly dueAt: number;
  readonly collection: Collection;
}

/** A new job, ready for its collector, with its audit record. */
export async function createJob(
  db: Transaction,
  origin: Origin,
  assignment: Assignment,
  now: number,
): Promise<JobRow> {
  const { client, event, dueAt, collection } = assignment;
  const id = await insertJob(db, {
    client_id: client.id,
    client_name: client.name,
    event_id: event?.id ?? null,
    event_title: event?.title ?? '',
    status: jobStatus.ready,
    status_message: statusWords[jobStatus.ready],
    reported_status: null,
    execution_time: dueAt,
    start_time: null,
    end_time: null,
    last_ingest: null,
    log_path: null,
    domain_controller: client.domain_controller,
    ...collection,
    created_at: now,
    updated_at: now,
  });
  await recordAudit(db, origin, now, {
    action: 'CreateJob',
    fields: {
      job_id: id,
      client: { id: client.id, name: client.name },
      event_id: event?.id ?? null,
      due_at: dueAt,
    },
  });
  const job = await findJob(db, id);
  if (job === undefined) throw new Error('the job is gone');
  return job;
}
