-- Files that people upload, and what became of every file that was read.

create table uploads (
  id identity,
  -- null for what the command line took in; no reference, because an upload outlives its user
  user_id text,
  user_name text not null,
  user_email_address text,
  status integer not null,
  status_message text not null,
  start_time bigint not null,
  end_time bigint,
  last_ingest bigint,
  total_files bigint not null,
  failed_files bigint not null,
  -- archives of which some entries could not be read
  partial_failed_files bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index uploads_user on uploads (user_id);
create index uploads_email on uploads (user_email_address);
create index uploads_status on uploads (status);
create index uploads_message on uploads (status_message);
create index uploads_start on uploads (start_time);
create index uploads_end on uploads (end_time);
create index uploads_last_ingest on uploads (last_ingest);
create index uploads_total on uploads (total_files);
create index uploads_failed on uploads (failed_files);
create index uploads_created on uploads (created_at);
create index uploads_updated on uploads (updated_at);

-- The files of before, with room for those that belong to an upload instead of a job.
create table ingest_files_next (
  id identity,
  -- one of the two
  job_id bigint references jobs (id),
  upload_id bigint references uploads (id),
  client_id text,
  name text not null,
  sha256 text not null,
  -- gzip, deflate or identity
  encoding text not null,
  content_type text,
  bytes bigint not null,
  unpacked_bytes bigint not null,
  -- names the bytes; null once they are gone: the row stays, so that a repeat is still known
  spool_id text,
  -- arrived: of an upload that has not ended; waiting, reading, complete, failed, canceled
  state text not null,
  -- names this reading of the file in the graph's own ledger
  reading_id text not null,
  -- who reads it, and until when that is believed without hearing more
  reader text,
  lease_until bigint,
  -- how often its reader died of it
  crashes integer not null,
  read_bytes bigint not null,
  read_records bigint not null,
  created_at bigint not null,
  updated_at bigint not null
);
insert into ingest_files_next (job_id, client_id, name, sha256, encoding, content_type, bytes, unpacked_bytes, spool_id,
    state, reading_id, crashes, read_bytes, read_records, created_at, updated_at)
  select job_id, client_id, '', sha256, encoding, content_type, bytes, unpacked_bytes, spool_id,
    state, coalesce(spool_id, 'gone ' || id), 0, 0, 0, created_at, updated_at
  from ingest_files order by id;
drop table ingest_files;
alter table ingest_files_next rename to ingest_files;
create unique index ingest_files_once on ingest_files (job_id, sha256, encoding);
create unique index ingest_files_spool on ingest_files (spool_id);
create index ingest_files_state on ingest_files (state, id);
create index ingest_files_job on ingest_files (job_id, state);
create index ingest_files_upload on ingest_files (upload_id, state);
create index ingest_files_kept on ingest_files (state, bytes) where spool_id is not null;

create table ingest_results (
  id identity,
  file_id bigint not null references ingest_files (id),
  file_name text not null,
  -- the archive it was in
  parent_file_name text,
  -- complete or failed
  outcome text not null,
  records bigint not null,
  nodes bigint not null,
  edges bigint not null,
  withdrawn bigint not null,
  -- a JSON object: how many of each kind were not read
  skipped text not null,
  -- JSON arrays of text
  warnings text not null,
  errors text not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index ingest_results_file on ingest_results (file_id, outcome);
