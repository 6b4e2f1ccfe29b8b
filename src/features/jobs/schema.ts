import Type, { type Static } from 'typebox';
import {
  contractDeletedAt,
  inContract,
  NullInt32,
  NullString,
  nullInt32,
  nullString,
} from '../../http/contract-schemas.ts';
import {
  DateTime,
  dateTime,
  Nullable,
  NullableString,
  Struct,
  timestampMembers,
  timestamps,
  Uuid,
} from '../../http/schemas.ts';
import { Arrived, arrivedOf } from './arrived.ts';
import type { Scope } from './scope.ts';
import { isOver, jobStatus, nothingArrived } from './states.ts';
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
const ContractDomainResult = Struct(
  { ...DomainResult.properties, ...contractDeletedAt },
  { title: 'ContractDomainResult' },
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

/** A job as the contract shows it where a task is canceled. */
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
    domain_results: Type.Array(ContractDomainResult),
  },
  { title: 'Task' },
);

/** A job as the contract shows it where it ends: the message is camel case, exactly as the contract writes it. */
export const Job = Struct(
  {
    id: Type.Integer(),
    ...timestampMembers,
    ...contractDeletedAt,
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
    domain_results: Type.Array(ContractDomainResult),
  },
  { title: 'Job' },
);

const status = Type.Integer({
  description:
    '-1 invalid, 0 ready, 1 running, 2 complete, 3 canceled, 4 timed out, 5 failed, 6 ingesting, 7 analyzing, 8 partially complete',
});

/** A job as all other operations show it. Without `hydrate_ous` or `hydrate_domains` its scope is object ids alone. */
export const JobDisplay = Struct(
  {
    ...Task.properties,
    event_id: Nullable(Type.Integer()),
    status,
    arrived: Arrived,
    domain_controller: NullableString,
    ous: Type.Union([Type.Array(TaskOu), Type.Array(Type.String())]),
    domains: Type.Union([Type.Array(TaskDomain), Type.Array(Type.String())]),
    domain_results: Type.Array(DomainResult),
  },
  { title: 'JobDisplay' },
);

/** A job as its collector sees it, with all that is known of it (gap 1.8). */
export const LiveJob = Struct(
  {
    id: Type.Integer(),
    ...timestampMembers,
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
    log_path: NullableString,
    ...flags,
    domain_controller: NullableString,
    ous: Type.Array(Type.String()),
    domains: Type.Array(Type.String()),
    domain_results: Type.Array(DomainResult),
  },
  { title: 'LiveJob' },
);

export function toLiveView(job: JobRow, results: DomainResultRow[]): Static<typeof LiveJob> {
  return {
    id: job.id,
    ...timestamps(job),
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

export function toDisplayView(
  job: JobRow,
  results: DomainResultRow[],
  scope: Pick<Static<typeof JobDisplay>, 'ous' | 'domains'>,
): Static<typeof JobDisplay> {
  return {
    id: job.id,
    client_id: job.client_id,
    client_name: job.client_name,
    event_id: job.event_id,
    execution_time: dateTime(job.execution_time),
    start_time: dateTime(job.start_time),
    end_time: dateTime(job.end_time),
    status: job.status,
    status_message: messageOf(job),
    arrived: arrivedOf(job),
    ...flagsOf(job),
    domain_controller: job.domain_controller,
    ous: scope.ous,
    domains: scope.domains,
    domain_results: results.map(toResultView),
  };
}

export function toTaskView(job: JobRow, results: DomainResultRow[], scope: Scope): Static<typeof Task> {
  const { status: _status, arrived: _arrived, ...display } = toDisplayView(job, results, scope);
  return {
    ...display,
    status_message: job.status_message,
    event_id: nullInt32(job.event_id),
    domain_controller: job.domain_controller ?? '',
    ous: scope.ous,
    domains: scope.domains,
    domain_results: display.domain_results.map(inContract),
  };
}

export function toJobView(job: JobRow, results: DomainResultRow[]): Static<typeof Job> {
  const { status: _status, status_message, execution_time: _due, ...view } = toLiveView(job, results);
  return {
    ...inContract(view),
    event_id: nullInt32(job.event_id),
    statusMessage: status_message,
    log_path: nullString(job.log_path),
    domain_controller: nullString(job.domain_controller),
    domain_results: view.domain_results.map(inContract),
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

/** What a job says of itself, and that it brought nothing if so. The eight operations tell it as it was sent. */
export function messageOf({ status, status_message, last_ingest }: JobRow): string {
  const isEmpty = isOver(status) && status !== jobStatus.canceled && last_ingest === null;
  if (!isEmpty || status_message.endsWith(nothingArrived)) return status_message;
  return `${status_message.replace(/\.$/, '')}. ${nothingArrived}`;
}
