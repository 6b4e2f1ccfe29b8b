import type { Transaction } from '../db/client.ts';
import type { Deps } from '../deps.ts';
import { roles } from '../features/auth/index.ts';
import { insertClient } from '../features/clients/index.ts';
import { insertCustomNode } from '../features/custom-nodes/index.ts';
import {
  insertDomainResults,
  insertJob,
  type JobStatus,
  jobStatus,
  type NewJob,
  statusWords,
} from '../features/jobs/index.ts';
import { insertRun } from '../features/posture/index.ts';
import { insertSamlProvider } from '../features/saml/index.ts';
import { insertUser } from '../features/users/index.ts';
import { insertGraph } from '../graph/store.ts';
import {
  collectors,
  customKinds,
  demoGraph,
  environments,
  expendableProvider,
  guid,
  organizationalUnits,
  people,
  providers,
} from './estate.ts';
import { demoRuns } from './posture.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** What the printed commands need to know of the estate. */
export interface FilledEstate {
  readonly expendableProviderId: number;
  readonly readyTaskId: number;
  readonly collectorIds: Readonly<Record<string, string>>;
}

/** Fills an empty store with the demonstration estate, through the same stores that everything else uses. */
export async function fillEstate(deps: Deps): Promise<FilledEstate> {
  const now = deps.clock();
  const { nodes, edges } = demoGraph();
  await deps.graph.transaction((graph) => insertGraph(graph, nodes, edges, now));
  await deps.graph.transaction(async (graph) => {
    for (const run of demoRuns(now)) await insertRun(graph, run, run.points);
  });
  return deps.db.transaction(async (db) => {
    const providerIds = await fillPeople(db, now);
    for (const [kind, icon] of Object.entries(customKinds))
      await insertCustomNode(db, kind, icon, now - 60 * day);
    const collectorIds: Record<string, string> = {};
    for (const collector of collectors) {
      collectorIds[collector.name] = await insertClient(
        db,
        {
          ...collector,
          id: guid(collector.name).toLowerCase(),
          ip_address: '10.20.0.15',
          configured_user: 'svc-collector',
          last_checkin: now,
        },
        now - 89 * day,
      );
    }
    const readyTaskId = await fillJobs(db, collectorIds, now);
    return { expendableProviderId: providerIds.get(expendableProvider) ?? 0, readyTaskId, collectorIds };
  });
}

async function fillPeople(db: Transaction, now: number): Promise<Map<string, number>> {
  const samlIds = new Map<string, number>();
  const ssoIds = new Map<string, number>();
  for (const provider of providers) {
    const { id, ssoProviderId } = await insertSamlProvider(db, provider, now - 80 * day);
    samlIds.set(provider.name, id);
    ssoIds.set(provider.name, ssoProviderId);
  }
  for (const [index, person] of people.entries()) {
    const role = roles.find(({ name }) => name === person.role);
    await insertUser(
      db,
      {
        id: guid(person.name).toLowerCase(),
        principalName: person.name,
        firstName: person.first,
        lastName: person.last,
        emailAddress: `${person.name}@corp.example`,
        roleId: role?.id ?? 0,
        ssoProviderId: person.provider === undefined ? null : (ssoIds.get(person.provider) ?? null),
        isDisabled: person.disabled === true,
        lastLogin: now - (index + 1) * 7 * hour,
      },
      now - 70 * day,
    );
  }
  return samlIds;
}

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

async function fillJobs(db: Transaction, collectorIds: Record<string, string>, now: number): Promise<number> {
  let readyTaskId = 0;
  for (const { collector, status, hoursAgo, message } of history) {
    const { name } = collectors[collector] ?? collectors[0];
    const job = demoJob({ id: collectorIds[name] ?? '', name }, status, now - hoursAgo * hour, message);
    const id = await insertJob(db, job);
    if (job.reported_status !== null)
      await insertDomainResults(db, id, domainResults(collector), job.end_time ?? now);
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
  const [corp] = environments;
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
    ous: JSON.stringify(status === jobStatus.ready ? organizationalUnits.map(guid) : []),
    domains: JSON.stringify(status === jobStatus.ready ? [] : [corp.id]),
    created_at: at - hour,
    updated_at: at,
  };
}

function domainResults(collector: number) {
  const scale = collector === 0 ? 1 : 0.3;
  const count = (number: number) => Math.round(number * scale);
  return [
    {
      domain_name: environments[collector]?.name ?? '',
      success: true,
      message: '',
      user_count: count(4200),
      group_count: count(950),
      computer_count: count(3100),
      gpo_count: count(80),
      ou_count: count(140),
      container_count: count(160),
      aiaca_count: 2,
      rootca_count: 1,
      enterpriseca_count: count(25),
      ntauthstore_count: 1,
      certtemplate_count: count(40),
      deleted_count: count(12),
    },
  ];
}
