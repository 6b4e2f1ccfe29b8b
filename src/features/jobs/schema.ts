import Type, { type Static } from 'typebox';
import {
  DateTime,
  dateTime,
  NullInt32,
  NullString,
  nullInt32,
  nullString,
  Struct,
  timestampMembers,
  timestamps,
  Uuid,
} from '../../http/schemas.ts';
import type { Scope } from './scope.ts';
import {
  type CollectionFlag,
  collectionFlags,
  type DomainResultCount,
  type DomainResultRow,
  domainResultCounts,
  type JobRow,
} from './store.ts';

function members<Name extends string, Schema>(names: readonly Name[], schema: Schema): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}

export const DomainResult = Struct(
  {
    id: Type.Integer(),
    ...timestampMembers,
    job_id: Type.Integer(),
    domain_name: Type.String(),
    success: Type.Boolean(),
    message: Type.String(),
    ...members(domainResultCounts, Type.Integer()),
  },
  { title: 'DomainResult' },
);

export const TaskOu = Struct({
  objectid: Type.String(),
  name: Type.String(),
  exists: Type.Boolean(),
  distinguishedname: Type.String(),
  type: Type.String(),
});

export const TaskDomain = Struct({
  objectid: Type.String(),
  name: Type.String(),
  exists: Type.Boolean(),
  type: Type.String(),
});

const flags = members(collectionFlags, Type.Boolean());

/** A job as `/tasks` shows it. */
export const Task = Struct(
  {
    id: Type.Integer(),
    client_id: Uuid,
    client_name: Type.String(),
    event_id: NullInt32,
    execution_time: DateTime,
    start_time: DateTime,
    end_time: DateTime,
    status_message: Type.String(),
    ...flags,
    domain_controller: Type.String(),
    ous: Type.Array(TaskOu),
    domains: Type.Array(TaskDomain),
    domain_results: Type.Array(DomainResult),
  },
  { title: 'Task' },
);

/** A job as `/jobs` shows it: the message is camel case, exactly as the contract writes it. */
export const Job = Struct(
  {
    id: Type.Integer(),
    ...timestampMembers,
    client_id: Uuid,
    client_name: Type.String(),
    event_id: NullInt32,
    statusMessage: Type.String(),
    start_time: DateTime,
    end_time: DateTime,
    log_path: NullString,
    ...flags,
    domain_controller: NullString,
    event_title: Type.String(),
    last_ingest: DateTime,
    ous: Type.Array(Type.String()),
    domains: Type.Array(Type.String()),
    domain_results: Type.Array(DomainResult),
  },
  { title: 'Job' },
);

export function toTaskView(job: JobRow, results: DomainResultRow[], scope: Scope): Static<typeof Task> {
  return {
    id: job.id,
    client_id: job.client_id,
    client_name: job.client_name,
    event_id: nullInt32(job.event_id),
    execution_time: dateTime(job.execution_time),
    start_time: dateTime(job.start_time),
    end_time: dateTime(job.end_time),
    status_message: job.status_message,
    ...flagsOf(job),
    domain_controller: job.domain_controller ?? '',
    ous: scope.ous,
    domains: scope.domains,
    domain_results: results.map(toResultView),
  };
}

export function toJobView(job: JobRow, results: DomainResultRow[]): Static<typeof Job> {
  return {
    id: job.id,
    ...timestamps(job),
    client_id: job.client_id,
    client_name: job.client_name,
    event_id: nullInt32(job.event_id),
    statusMessage: job.status_message,
    start_time: dateTime(job.start_time),
    end_time: dateTime(job.end_time),
    log_path: nullString(job.log_path),
    ...flagsOf(job),
    domain_controller: nullString(job.domain_controller),
    event_title: job.event_title,
    last_ingest: dateTime(job.last_ingest),
    ous: JSON.parse(job.ous),
    domains: JSON.parse(job.domains),
    domain_results: results.map(toResultView),
  };
}

function flagsOf(job: JobRow): Record<CollectionFlag, boolean> {
  return Object.fromEntries(collectionFlags.map((flag) => [flag, job[flag] !== 0])) as Record<
    CollectionFlag,
    boolean
  >;
}

function toResultView(row: DomainResultRow): Static<typeof DomainResult> {
  const counts = Object.fromEntries(domainResultCounts.map((name) => [name, row[name]])) as Record<
    DomainResultCount,
    number
  >;
  return {
    id: row.id,
    ...timestamps(row),
    job_id: row.job_id,
    domain_name: row.domain_name,
    success: row.success !== 0,
    message: row.message,
    ...counts,
  };
}
