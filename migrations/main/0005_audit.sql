-- The chain of the audit log: a record gets its place and its MAC a moment after it was written.

alter table audit_log add column position bigint;
alter table audit_log add column mac text;
-- the fingerprint of the secret that the MAC's key comes from
alter table audit_log add column linked_with text;
create unique index audit_log_position on audit_log (position);
create index audit_log_unlinked on audit_log (id) where position is null;

-- Every column that can be filtered by, each with the time that the answer is sorted by.
create index audit_log_actor_id on audit_log (actor_id, created_at);
create index audit_log_actor_name on audit_log (actor_name, created_at);
create index audit_log_action on audit_log (action, created_at);
create index audit_log_outcome on audit_log (outcome, created_at);
create index audit_log_request on audit_log (request_id, created_at);
create index audit_log_address on audit_log (source_address, created_at);

-- Both ends of the chain, sealed: `head` is the last record that was linked, `anchor` the last one that was
-- deleted because of its age.
create table audit_marks (
  name text primary key,
  position bigint not null,
  mac text not null,
  sealed_with text not null,
  seal text not null
);

create index sessions_ended on sessions (ended_at) where ended_at is not null;
