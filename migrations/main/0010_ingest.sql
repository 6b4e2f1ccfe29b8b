-- What collectors send, kept as it was sent until it is read.

create table ingest_files (
  id identity,
  job_id bigint not null references jobs (id),
  client_id text not null,
  -- of the bytes as they were sent, in hexadecimal
  sha256 text not null,
  -- gzip, deflate or identity
  encoding text not null,
  content_type text,
  bytes bigint not null,
  unpacked_bytes bigint not null,
  -- names the bytes; null once they are gone: the row stays, so that a repeat is still known
  spool_id text,
  -- waiting: for the reader
  state text not null,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index ingest_files_once on ingest_files (job_id, sha256, encoding);
create unique index ingest_files_spool on ingest_files (spool_id);
create index ingest_files_state on ingest_files (state, id);
create index ingest_files_kept on ingest_files (bytes) where spool_id is not null;

-- The bytes themselves, on PostgreSQL. They come before the row in ingest_files that makes them count.
create table ingest_chunks (
  spool_id text not null,
  part integer not null,
  bytes blob not null,
  created_at bigint not null,
  primary key (spool_id, part)
);
