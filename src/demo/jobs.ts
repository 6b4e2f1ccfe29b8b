import type { Transaction } from '../db/client.ts';
import {
  insertDomainResults,
  insertJob,
  type JobStatus,
  jobStatus,
  type NewJob,
  statusWords,
} from '../features/jobs/index.ts';
import { day, hour } from '../values/time.ts';
import { collectors } from './company.ts';
import { objectsOf } from './estate/collection.ts';
import { corp, type DemoDomain, plant } from './estate/domain.ts';
import { unitId } from './estate/places.ts';
import { historyDays } from './estate/story.ts';

/** The units that a job to come is limited to. */
const scope = (['Administration', 'Servers', 'Workstations'] as const).map((name) => unitId(corp, name));

/** A history in every state; the one running job belongs to the first collector. */
const history: { collector: number; status: JobStatus; hoursAgo: number; message?: string }[] = [
  { collector: 0, status: jobStatus.complete, hoursAgo: 170, message: 'Collection completed successfully' },
  {
    collector: 0,
    status: jobStatus.partiallyComplete,
    hoursAgo: 146,
    message: 'Partially complete: 1 of 9 files failed',
  },
  {
    collector: 0,
    status: jobStatus.failed,
    hoursAgo: 122,
    message: 'LDAP bind failed: the account is locked',
  },
  {
    collector: 1,
    status: jobStatus.timedOut,
    hoursAgo: 98,
    message: 'Timed out: not heard of for 20 minutes',
  },
  { collector: 1, status: jobStatus.invalid, hoursAgo: 74, message: 'No file was valid' },
  { collector: 0, status: jobStatus.canceled, hoursAgo: 50, message: 'Canceled by mira.olsen' },
  { collector: 1, status: jobStatus.complete, hoursAgo: 26, message: 'Collection completed successfully' },
  { collector: 1, status: jobStatus.ingesting, hoursAgo: 3 },
  { collector: 1, status: jobStatus.analyzing, hoursAgo: 2 },
  { collector: 0, status: jobStatus.running, hoursAgo: 1 },
  { collector: 0, status: jobStatus.ready, hoursAgo: 0 },
  { collector: 1, status: jobStatus.ready, hoursAgo: -6 },
];

/** The number of the first job that is still to be started. */
export async function fillJobs(
  db: Transaction,
  collectorIds: Readonly<Record<string, string>>,
  now: number,
): Promise<number> {
  let readyTaskId = 0;
  for (const { collector, status, hoursAgo, message } of history) {
    const { name } = collectors[collector] ?? collectors[0];
    const job = demoJob({ id: collectorIds[name] ?? '', name }, status, now - hoursAgo * hour, message);
    const id = await insertJob(db, job);
    if (job.reported_status !== null)
      await insertDomainResults(db, id, domainResults(collector, hoursAgo, now), job.end_time ?? now);
    if (status === jobStatus.ready && readyTaskId === 0) readyTaskId = id;
  }
  return readyTaskId;
}

export function demoJob(
  client: { id: string; name: string },
  status: JobStatus,
  at: number,
  message?: string,
): NewJob {
  const isStarted = status !== jobStatus.ready;
  const isEnded = isStarted && status !== jobStatus.running;
  const wasReported = new Set<JobStatus>([
    jobStatus.complete,
    jobStatus.partiallyComplete,
    jobStatus.ingesting,
    jobStatus.analyzing,
    jobStatus.invalid,
  ]);
  return {
    client_id: client.id,
    client_name: client.name,
    event_id: null,
    event_title: '',
    status,
    status_message: message ?? statusWords[status],
    reported_status:
      status === jobStatus.failed ? jobStatus.failed : wasReported.has(status) ? jobStatus.complete : null,
    execution_time: at,
    start_time: isStarted ? at + 5_000 : null,
    end_time: isEnded ? at + 25 * 60_000 : null,
    last_ingest: wasReported.has(status) ? at + 24 * 60_000 : null,
    log_path: null,
    session_collection: 1,
    local_group_collection: 1,
    ad_structure_collection: 1,
    cert_services_collection: 1,
    ca_registry_collection: 0,
    dc_registry_collection: 0,
    all_trusted_domains: 0,
    domain_controller: null,
    ous: JSON.stringify(status === jobStatus.ready ? scope : []),
    domains: JSON.stringify(status === jobStatus.ready ? [] : [corp.sid]),
    created_at: at - hour,
    updated_at: at,
  };
}

/** What a collector of Active Directory counts; the cloud has no domains. */
function domainResults(collector: number, hoursAgo: number, now: number) {
  if (collector !== 0) return [];
  const dayNumber = Math.min(historyDays, Math.floor(historyDays - (hoursAgo * hour) / day));
  return [corp, plant].map((domain) => countsOf(domain, dayNumber, now));
}

function countsOf(domain: DemoDomain, dayNumber: number, now: number) {
  const objects = objectsOf(domain, dayNumber, now);
  const count = (type: string) => objects[type]?.length ?? 0;
  return {
    domain_name: domain.name,
    success: true,
    message: '',
    user_count: count('users'),
    group_count: count('groups'),
    computer_count: count('computers'),
    gpo_count: count('gpos'),
    ou_count: count('ous'),
    container_count: count('containers'),
    aiaca_count: 0,
    rootca_count: count('rootcas'),
    enterpriseca_count: count('enterprisecas'),
    ntauthstore_count: count('ntauthstores'),
    certtemplate_count: count('certtemplates'),
    deleted_count: 0,
  };
}
