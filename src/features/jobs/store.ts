import type { Reader, Transaction, Value } from '../../db/client.ts';
import type { JobStatus } from './states.ts';

/** What a job collects. */
export const collectionFlags = [
  'session_collection',
  'local_group_collection',
  'ad_structure_collection',
  'cert_services_collection',
  'ca_registry_collection',
  'dc_registry_collection',
  'all_trusted_domains',
] as const;
export type CollectionFlag = (typeof collectionFlags)[number];

export const domainResultCounts = [
  'user_count',
  'group_count',
  'computer_count',
  'gpo_count',
  'ou_count',
  'container_count',
  'aiaca_count',
  'rootca_count',
  'enterpriseca_count',
  'ntauthstore_count',
  'certtemplate_count',
  'deleted_count',
] as const;
export type DomainResultCount = (typeof domainResultCounts)[number];

export interface JobRow extends Readonly<Record<CollectionFlag, number>> {
  readonly id: number;
  readonly client_id: string;
  readonly client_name: string;
  readonly event_id: number | null;
  readonly event_title: string;
  readonly status: JobStatus;
  readonly status_message: string;
  readonly reported_status: number | null;
  readonly execution_time: number;
  readonly start_time: number | null;
  readonly end_time: number | null;
  readonly last_ingest: number | null;
  readonly log_path: string | null;
  /** Its collector went on without ending it. */
  readonly abandoned_at: number | null;
  /** What it brought, as JSON. */
  readonly arrived: string;
  readonly domain_controller: string | null;
  /** JSON arrays of object ids. */
  readonly ous: string;
  readonly domains: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface NewDomainResult extends Readonly<Record<DomainResultCount, number>> {
  readonly domain_name: string;
  readonly success: boolean;
  readonly message: string;
}

export interface DomainResultRow extends Readonly<Record<DomainResultCount, number>> {
  readonly id: number;
  readonly job_id: number;
  readonly domain_name: string;
  readonly success: number;
  readonly message: string;
  readonly created_at: number;
  readonly updated_at: number;
}

const newJobColumns = [
  'client_id',
  'client_name',
  'event_id',
  'event_title',
  'status',
  'status_message',
  'reported_status',
  'execution_time',
  'start_time',
  'end_time',
  'last_ingest',
  'log_path',
  ...collectionFlags,
  'domain_controller',
  'ous',
  'domains',
  'created_at',
  'updated_at',
] as const;
const jobColumns = [...newJobColumns, 'abandoned_at', 'arrived'] as const;
const columns = `id, ${jobColumns.join(', ')}`;
/** For statements that call the table `j`. */
export const jobSelect = ['id', ...jobColumns].map((column) => `j.${column}`).join(', ');

export function findJob(db: Reader, id: number | bigint): Promise<JobRow | undefined> {
  return db.one<JobRow>(`select ${columns} from jobs where id = $1`, [id]);
}

/** The job as it is now; nobody else can change it until the transaction ends. */
export function lockJob(db: Transaction, id: number | bigint): Promise<JobRow | undefined> {
  // An update that changes nothing locks the row on both stores and reads its newest version.
  return db.one<JobRow>(`update jobs set updated_at = updated_at where id = $1 returning ${columns}`, [id]);
}

export function lockRunningJobOf(db: Transaction, clientId: string): Promise<JobRow | undefined> {
  return db.one<JobRow>(
    `update jobs set updated_at = updated_at where client_id = $1 and status = 1 returning ${columns}`,
    [clientId],
  );
}

/** The job of a schedule that no collector has taken yet; it stays that way until the transaction ends. */
export function lockReadyJobOfEvent(db: Transaction, eventId: number): Promise<{ id: number } | undefined> {
  return db.one<{ id: number }>(
    'update jobs set updated_at = updated_at where event_id = $1 and status = 0 returning id',
    [eventId],
  );
}

export function findRunningJobOf(db: Reader, clientId: string): Promise<JobRow | undefined> {
  return db.one<JobRow>(`select ${columns} from jobs where client_id = $1 and status = 1`, [clientId]);
}

export function findLatestStartedJobOf(db: Reader, clientId: string): Promise<JobRow | undefined> {
  return db.one<JobRow>(
    `select ${columns} from jobs where client_id = $1 and start_time is not null order by start_time desc, id desc limit 1`,
    [clientId],
  );
}

export async function hasJobsIn(db: Reader, status: JobStatus): Promise<boolean> {
  return (await db.one('select 1 as found from jobs where status = $1 limit 1', [status])) !== undefined;
}

/** How many were abandoned since then. */
export async function countAbandoned(db: Reader, since: number): Promise<number> {
  const row = await db.one<{ jobs: number }>(
    'select cast(count(*) as bigint) as jobs from jobs where abandoned_at >= $1',
    [since],
  );
  return row?.jobs ?? 0;
}

/** At most two: enough to tell "the one running job" from none and several. */
export async function findRunningJobIds(db: Reader): Promise<number[]> {
  return (await db.query<{ id: number }>('select id from jobs where status = 1 order by id limit 2')).map(
    (row) => row.id,
  );
}

export type NewJob = Omit<JobRow, 'id' | 'abandoned_at' | 'arrived'>;

export async function insertJob(db: Transaction, job: NewJob): Promise<number> {
  const places = newJobColumns.map((_, index) => `$${index + 1}`).join(', ');
  const row = await db.one<{ id: number }>(
    `insert into jobs (${newJobColumns.join(', ')}) values (${places}) returning id`,
    newJobColumns.map((column) => job[column]),
  );
  return row?.id ?? 0;
}

export type JobChange = Partial<
  Pick<JobRow, 'status' | 'status_message' | 'reported_status' | 'start_time' | 'end_time' | 'abandoned_at'>
>;

export async function updateJob(
  db: Transaction,
  job: JobRow,
  change: JobChange,
  now: number,
): Promise<JobRow> {
  const entries = Object.entries({ ...change, updated_at: now }) as [string, Value][];
  const assignments = entries.map(([column], index) => `${column} = $${index + 2}`).join(', ');
  await db.execute(`update jobs set ${assignments} where id = $1`, [
    job.id,
    ...entries.map(([, value]) => value),
  ]);
  return { ...job, ...change, updated_at: now };
}

export function listDomainResults(db: Reader, jobId: number): Promise<DomainResultRow[]> {
  return db.query<DomainResultRow>(
    `select id, job_id, domain_name, success, message, ${domainResultCounts.join(', ')}, created_at, updated_at
     from job_domain_results where job_id = $1 order by id`,
    [jobId],
  );
}

export function listDomainResultsOf(
  db: Reader,
  jobs: { sql: string; params: readonly Value[] },
): Promise<DomainResultRow[]> {
  return db.query<DomainResultRow>(
    `select id, job_id, domain_name, success, message, ${domainResultCounts.join(', ')}, created_at, updated_at
     from job_domain_results where job_id in (${jobs.sql}) order by job_id, id`,
    jobs.params,
  );
}

export async function insertDomainResults(
  db: Transaction,
  jobId: number,
  results: readonly NewDomainResult[],
  now: number,
): Promise<void> {
  await db.bulk(
    'job_domain_results',
    ['job_id', 'domain_name', 'success', 'message', ...domainResultCounts, 'created_at', 'updated_at'],
    results.map((result) => [
      jobId,
      result.domain_name,
      result.success ? 1 : 0,
      result.message,
      ...domainResultCounts.map((count) => result[count]),
      now,
      now,
    ]),
  );
}
