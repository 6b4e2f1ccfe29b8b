-- What analysis found out, run by run. Numerator and denominator are kept, so that several environments
-- combine exactly.

create table asset_group_tags (
  id integer primary key,
  name text not null unique,
  created_at bigint not null
);

create table analysis_runs (
  id identity,
  started_at bigint not null,
  finished_at bigint not null unique
);

create table posture_points (
  run_id bigint not null references analysis_runs (id),
  data_type text not null,
  tag_id integer not null,
  -- upper case
  environment_id text not null,
  numerator bigint not null,
  denominator bigint not null,
  primary key (run_id, data_type, tag_id, environment_id)
);
