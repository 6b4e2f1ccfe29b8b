import Type, { type Static, type TSchema } from 'typebox';
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
import { zeroTime } from '../../values/time.ts';
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

/** gap 1.7: outside the eight operations a job also tells its state as a number. */
const status = Type.Integer({
  description:
    '-1 invalid, 0 ready, 1 running, 2 complete, 3 canceled, 4 timed out, 5 failed, 6 ingesting, 7 analyzing, 8 partially complete',
});
export const JobWithStatus = Struct({ ...Job.properties, status }, { title: 'JobWithStatus' });

/** Without `hydrate_ous` or `hydrate_domains` the scope is told by object ids alone. */
export const JobDisplay = Struct(
  {
    ...Task.properties,
    status,
    ous: Type.Union([Type.Array(TaskOu), Type.Array(Type.String())]),
    domains: Type.Union([Type.Array(TaskDomain), Type.Array(Type.String())]),
  },
  { title: 'JobDisplay' },
);

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** gap 1.8: the flat form that deployed collectors read. */
export const LiveJob = Struct(
  {
    id: Type.Integer(),
    created_at: DateTime,
    updated_at: DateTime,
    deleted_at: Struct({ Time: DateTime, Valid: Type.Boolean() }),
    client_id: Uuid,
    client_name: Type.String(),
    event_id: Nullable(Type.Integer()),
    event_title: Type.String(),
    status,
    status_message: Type.String(),
    execution_time: DateTime,
    start_time: DateTime,
    end_time: DateTime,
    last_ingest: DateTime,
    log_path: Nullable(Type.String()),
    ...flags,
    domain_controller: Nullable(Type.String()),
    ous: Type.Array(Type.String()),
    domains: Type.Array(Type.String()),
    domain_results: Type.Array(DomainResult),
  },
  { title: 'LiveJob' },
);

export function toLiveView(job: JobRow, results: DomainResultRow[]): Static<typeof LiveJob> {
  return {
    id: job.id,
    created_at: dateTime(job.created_at),
    updated_at: dateTime(job.updated_at),
    deleted_at: { Time: zeroTime, Valid: false },
    client_id: job.client_id,
    client_name: job.client_name,
    event_id: job.event_id,
    event_title: job.event_title,
    status: job.status,
    status_message: job.status_message,
    execution_time: dateTime(job.execution_time),
    start_time: dateTime(job.start_time),
    end_time: dateTime(job.end_time),
    last_ingest: dateTime(job.last_ingest),
    log_path: job.log_path,
    ...flagsOf(job),
    domain_controller: job.domain_controller,
    ous: JSON.parse(job.ous),
    domains: JSON.parse(job.domains),
    domain_results: results.map(toResultView),
  };
}

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
