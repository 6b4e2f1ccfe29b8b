-- What posture-stats answers: one row for each run, environment and tag.

create table posture_stats (
  id identity,
  run_id bigint not null references analysis_runs (id),
  -- that of the run
  finished_at bigint not null,
  tag_id integer not null,
  -- upper case
  environment_id text not null,
  -- how many of the principals of the environment can reach the zone
  exposed bigint not null,
  principals bigint not null,
  assets bigint not null,
  critical_findings bigint not null
);
create index posture_stats_run on posture_stats (run_id);
create index posture_stats_finished on posture_stats (finished_at, id);
create index posture_stats_environment on posture_stats (environment_id, finished_at);

-- Which run was in force at a moment.
create index analyses_published on analyses (published_at);

create index zone_spells_environment on zone_spells (environment_id, tag_id);
