import type { Static } from 'typebox';
import { inContract } from '../../http/contract-schemas.ts';
import { sqlTime } from '../../http/schemas.ts';
import { zeroTime } from '../../values/time.ts';
import type { DomainResult, Job, JobDisplay, LiveJob, Task } from './schema.ts';

const record = {
  created_at: '2026-01-05T08:00:00Z',
  updated_at: '2026-01-05T08:12:30Z',
  deleted_at: sqlTime(null),
};

const flags = {
  session_collection: true,
  local_group_collection: true,
  ad_structure_collection: true,
  cert_services_collection: true,
  ca_registry_collection: false,
  dc_registry_collection: false,
  all_trusted_domains: false,
};

const result: Static<typeof DomainResult> = {
  id: 1,
  ...record,
  job_id: 7,
  domain_name: 'CORP.EXAMPLE',
  success: true,
  message: '',
  user_count: 1200,
  group_count: 310,
  computer_count: 640,
  gpo_count: 25,
  ou_count: 48,
  container_count: 60,
  aiaca_count: 1,
  rootca_count: 1,
  enterpriseca_count: 2,
  ntauthstore_count: 1,
  certtemplate_count: 33,
  deleted_count: 0,
};

const client = { client_id: '0b1f8c9e-3a57-4f2b-8a35-57b1f0c2d9aa', client_name: 'collector-1' };

/** For the API document. */
export const taskExample: Static<typeof Task> = {
  id: 7,
  ...client,
  event_id: { int32: 3, valid: true },
  execution_time: '2026-01-05T08:00:00Z',
  start_time: zeroTime,
  end_time: '2026-01-05T08:12:30Z',
  status_message: 'Canceled by admin',
  ...flags,
  domain_controller: '',
  ous: [
    {
      objectid: '2A1D6A4E-0C57-4B2C-9C0E-4E1B6C0F6F10',
      name: 'SERVERS@CORP.EXAMPLE',
      exists: true,
      distinguishedname: 'OU=SERVERS,DC=CORP,DC=EXAMPLE',
      type: 'OU',
    },
  ],
  domains: [{ objectid: 'S-1-5-21-1-2-3', name: 'CORP.EXAMPLE', exists: true, type: 'Domain' }],
  domain_results: [],
};

export const jobExample: Static<typeof Job> = {
  id: 7,
  ...inContract(record),
  ...client,
  event_id: { int32: 0, valid: false },
  statusMessage: 'Collection completed successfully',
  start_time: '2026-01-05T08:00:05Z',
  end_time: '2026-01-05T08:12:30Z',
  log_path: { string: '', valid: false },
  ...flags,
  domain_controller: { string: 'dc01.corp.example', valid: true },
  event_title: '',
  last_ingest: zeroTime,
  ous: [],
  domains: ['S-1-5-21-1-2-3'],
  domain_results: [inContract(result)],
};

export const jobDisplayExample: Static<typeof JobDisplay> = {
  ...taskExample,
  event_id: 3,
  status: 3,
  arrived: {
    batches: 12,
    read_batches: 12,
    failed_batches: 0,
    records: { AZGroup: 310, AZUser: 1200 },
    nodes: 1510,
    edges: 4890,
    unmatched_edges: 0,
    warnings: 2,
  },
  domain_controller: null,
  domain_results: [],
};

const { statusMessage, ...ended } = jobExample;
export const liveJobExample: Static<typeof LiveJob> = {
  ...ended,
  ...record,
  event_id: null,
  status: 2,
  status_message: statusMessage,
  execution_time: '2026-01-05T08:00:00Z',
  log_path: null,
  domain_controller: 'dc01.corp.example',
  domain_results: [result],
};
