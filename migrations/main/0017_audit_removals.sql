-- What retention removed from the front of the audit log, sealed: so that it can be told from what was stolen.

create table audit_removals (
  from_position bigint primary key,
  to_position bigint not null,
  -- of the last record that was removed
  mac text not null,
  oldest_at bigint not null,
  newest_at bigint not null,
  removed_at bigint not null,
  -- 0 for what was removed before this was written down
  retention_days integer not null,
  sealed_with text not null,
  seal text not null
);
