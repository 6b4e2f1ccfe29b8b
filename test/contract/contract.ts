/**
 * The API contract, written down once more from its text and from nothing else: no schema of the program is
 * used here. A type is a word, a list of one type is an array, a record lists its members exactly.
 */
export type Shape = string | readonly [Shape] | { readonly [member: string]: Shape };

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly type: Shape;
  readonly default?: unknown;
  readonly minimum?: number;
}

export interface ContractOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly edition: 'both' | 'enterprise';
  readonly parameters: readonly Parameter[];
  /** `undefined`: the contract defines no body, or does not show it. */
  readonly body?: Shape;
  readonly answer: Shape;
}

const nullableTime = { time: 'date-time', valid: 'boolean' };
const nullableInt32 = { int32: 'int32', valid: 'boolean' };
const nullableString = { string: 'string', valid: 'boolean' };
const timestamps = { created_at: 'date-time', updated_at: 'date-time', deleted_at: nullableTime };

const samlProvider = {
  id: 'integer',
  ...timestamps,
  name: 'string',
  display_name: 'string',
  idp_issuer_uri: 'string',
  idp_sso_uri: 'string',
  principal_attribute_mappings: ['string'],
  sp_issuer_uri: 'string',
  sp_sso_uri: 'string',
  sp_metadata_uri: 'string',
  sp_acs_uri: 'string',
  sso_provider_id: nullableInt32,
} as const;

const permission = { id: 'integer', ...timestamps, authority: 'string', name: 'string' };

const role = {
  id: 'integer',
  ...timestamps,
  name: 'string',
  description: 'string',
  permissions: [permission],
} as const;

const authSecret = {
  id: 'integer',
  ...timestamps,
  digest_method: 'string',
  expires_at: 'date-time',
  totp_activated: 'boolean',
};

const user = {
  id: 'uuid',
  ...timestamps,
  saml_provider_id: nullableInt32,
  sso_provider_id: nullableInt32,
  AuthSecret: authSecret,
  roles: [role],
  first_name: nullableString,
  last_name: nullableString,
  email_address: nullableString,
  principal_name: 'string',
  last_login: 'date-time',
  is_disabled: 'boolean',
  eula_accepted: 'boolean',
} as const;

const domainResult = {
  id: 'integer',
  ...timestamps,
  job_id: 'integer',
  domain_name: 'string',
  success: 'boolean',
  message: 'string',
  user_count: 'integer',
  group_count: 'integer',
  computer_count: 'integer',
  gpo_count: 'integer',
  ou_count: 'integer',
  container_count: 'integer',
  aiaca_count: 'integer',
  rootca_count: 'integer',
  enterpriseca_count: 'integer',
  ntauthstore_count: 'integer',
  certtemplate_count: 'integer',
  deleted_count: 'integer',
};

const collected = {
  session_collection: 'boolean',
  local_group_collection: 'boolean',
  ad_structure_collection: 'boolean',
  cert_services_collection: 'boolean',
  ca_registry_collection: 'boolean',
  dc_registry_collection: 'boolean',
  all_trusted_domains: 'boolean',
};

const task = {
  id: 'integer',
  client_id: 'uuid',
  client_name: 'string',
  event_id: nullableInt32,
  execution_time: 'date-time',
  start_time: 'date-time',
  end_time: 'date-time',
  status_message: 'string',
  ...collected,
  domain_controller: 'string',
  ous: [
    { objectid: 'string', name: 'string', exists: 'boolean', distinguishedname: 'string', type: 'string' },
  ],
  domains: [{ objectid: 'string', name: 'string', exists: 'boolean', type: 'string' }],
  domain_results: [domainResult],
} as const;

const job = {
  id: 'integer',
  ...timestamps,
  client_id: 'uuid',
  client_name: 'string',
  event_id: nullableInt32,
  statusMessage: 'string',
  start_time: 'date-time',
  end_time: 'date-time',
  log_path: nullableString,
  ...collected,
  domain_controller: nullableString,
  event_title: 'string',
  last_ingest: 'date-time',
  ous: ['string'],
  domains: ['string'],
  domain_results: [domainResult],
} as const;

const nodeListEntry = { objectID: 'string', name: 'string', label: 'string', kinds: ['string'] } as const;
const parameter = { key: 'string', value: 'object' };
const postureDataType = 'findings|exposure|assets|session-completeness|group-completeness|attack-paths';
const customNode = {
  id: 'integer',
  kindName: 'string',
  config: { icon: { type: 'string', name: 'string', color: 'string' } },
};

/** The eight operations, in the contract's order (its parts 4.1 to 4.8). */
export const contract: readonly ContractOperation[] = [
  {
    method: 'GET',
    path: '/api/v2/saml',
    edition: 'both',
    parameters: [],
    answer: { data: { saml_providers: [samlProvider] } },
  },
  {
    method: 'DELETE',
    path: '/api/v2/saml/providers/{saml_provider_id}',
    edition: 'both',
    parameters: [{ name: 'saml_provider_id', in: 'path', required: true, type: 'int32' }],
    answer: { data: { affected_user: [user] } },
  },
  {
    method: 'PUT',
    path: '/api/v2/tasks/{task_id}/cancel',
    edition: 'enterprise',
    parameters: [{ name: 'task_id', in: 'path', required: true, type: 'int64' }],
    answer: { data: task },
  },
  {
    method: 'POST',
    path: '/api/v2/jobs/end',
    edition: 'enterprise',
    parameters: [],
    answer: { data: job },
  },
  {
    method: 'GET',
    path: '/api/v2/certtemplates/{object_id}/published-to-cas',
    edition: 'both',
    parameters: [
      { name: 'object_id', in: 'path', required: true, type: 'string' },
      { name: 'skip', in: 'query', required: false, type: 'integer', default: 0, minimum: 0 },
      { name: 'limit', in: 'query', required: false, type: 'integer', default: 10, minimum: 0 },
      { name: 'type', in: 'query', required: false, type: 'list|graph', default: 'list' },
      { name: 'sort_by', in: 'query', required: false, type: ['string'] },
    ],
    answer: { count: 'integer >= 0', skip: 'integer >= 0', limit: 'integer >= 0', data: [nodeListEntry] },
  },
  {
    method: 'PUT',
    path: '/api/v2/config',
    edition: 'both',
    parameters: [],
    body: parameter,
    answer: { data: parameter },
  },
  {
    method: 'GET',
    path: '/api/v2/posture-history/{data_type}',
    edition: 'enterprise',
    parameters: [
      { name: 'data_type', in: 'path', required: true, type: postureDataType },
      { name: 'environments', in: 'query', required: true, type: ['string'] },
      { name: 'start', in: 'query', required: false, type: 'date-time' },
      { name: 'end', in: 'query', required: false, type: 'date-time' },
      { name: 'asset_group_tag_id', in: 'query', required: false, type: 'integer' },
    ],
    answer: {
      start: 'date-time',
      end: 'date-time',
      environments: ['string'],
      data_type: postureDataType,
      data: [{ date: 'date-time', value: 'integer' }],
    },
  },
  {
    method: 'GET',
    path: '/api/v2/custom-nodes/{kind_name}',
    edition: 'both',
    parameters: [{ name: 'kind_name', in: 'path', required: true, type: 'string' }],
    answer: customNode,
  },
];
