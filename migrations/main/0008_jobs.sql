-- Jobs can be listed by each of these, and there is one more for every run of every schedule.

create index jobs_event on jobs (event_id, status);
create index jobs_execution on jobs (execution_time);
create index jobs_start on jobs (start_time);
create index jobs_end on jobs (end_time);
create index jobs_last_ingest on jobs (last_ingest);
create index jobs_created on jobs (created_at);
create index jobs_updated on jobs (updated_at);
create index jobs_event_title on jobs (event_title);
create index jobs_log_path on jobs (log_path);
create index jobs_domain_controller on jobs (domain_controller);
create index jobs_session on jobs (session_collection);
create index jobs_local_group on jobs (local_group_collection);
create index jobs_ad_structure on jobs (ad_structure_collection);
create index jobs_cert_services on jobs (cert_services_collection);
create index jobs_ca_registry on jobs (ca_registry_collection);
create index jobs_dc_registry on jobs (dc_registry_collection);
create index jobs_all_trusted on jobs (all_trusted_domains);
