-- Schedules of collectors and the jobs they run. A task and a job are one row.

create table events (
  id identity,
  client_id text not null references clients (id),
  title text not null,
  rrule text not null,
  session_collection integer not null,
  local_group_collection integer not null,
  ad_structure_collection integer not null,
  cert_services_collection integer not null,
  ca_registry_collection integer not null,
  dc_registry_collection integer not null,
  all_trusted_domains integer not null,
  ous text not null,
  domains text not null,
  next_scheduled_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create index events_client on events (client_id);
create index events_due on events (next_scheduled_at);

-- No reference to clients or events: a job outlives both.
create table jobs (
  id identity,
  client_id text not null,
  client_name text not null,
  event_id bigint,
  event_title text not null,
  status integer not null,
  status_message text not null,
  -- how its collector said it ended (2 or 5): ingest and analysis move `status` on from there
  reported_status integer,
  execution_time bigint not null,
  start_time bigint,
  end_time bigint,
  last_ingest bigint,
  log_path text,
  session_collection integer not null,
  local_group_collection integer not null,
  ad_structure_collection integer not null,
  cert_services_collection integer not null,
  ca_registry_collection integer not null,
  dc_registry_collection integer not null,
  all_trusted_domains integer not null,
  domain_controller text,
  ous text not null,
  domains text not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index jobs_client on jobs (client_id, status);
create index jobs_started on jobs (client_id, start_time);
create index jobs_status on jobs (status, execution_time);
-- A collector runs one job at a time.
create unique index jobs_one_running on jobs (client_id) where status = 1;

create table job_domain_results (
  id identity,
  job_id bigint not null references jobs (id),
  domain_name text not null,
  success integer not null,
  message text not null,
  user_count bigint not null,
  group_count bigint not null,
  computer_count bigint not null,
  gpo_count bigint not null,
  ou_count bigint not null,
  container_count bigint not null,
  aiaca_count bigint not null,
  rootca_count bigint not null,
  enterpriseca_count bigint not null,
  ntauthstore_count bigint not null,
  certtemplate_count bigint not null,
  deleted_count bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index job_domain_results_job on job_domain_results (job_id);
