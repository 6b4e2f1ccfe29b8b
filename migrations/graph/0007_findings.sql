-- What runs of analysis found. A row is one spell: from the run that first saw the finding to the one that no longer
-- did. A run writes before it is published, so readers compare both with the number of the published run.

create table findings (
  id identity,
  tag_id integer not null,
  type text not null,
  -- upper case
  environment_id text not null,
  -- object ids; a finding about one principal has that one twice
  source_id text not null,
  target_id text not null,
  since_analysis bigint not null,
  until_analysis bigint,
  -- what was measured last; while the finding is there, finding_measures has it
  exposure_count bigint not null,
  exposure_percent integer not null,
  impact_count bigint not null,
  impact_percent integer not null,
  severity integer not null
);
create index findings_key on findings (source_id, target_id, type, tag_id);
create index findings_since on findings (since_analysis);
create index findings_until on findings (until_analysis);
create index findings_environment on findings (environment_id, tag_id, type);

-- What the run measured for each finding that it saw.
create table finding_measures (
  analysis_id bigint not null,
  finding_id bigint not null,
  exposure_count bigint not null,
  exposure_percent integer not null,
  impact_count bigint not null,
  impact_percent integer not null,
  severity integer not null,
  primary key (analysis_id, finding_id)
);

-- A risk that somebody took on. It belongs to what was found, not to the spell: what comes back is still accepted.
create table accepted_findings (
  tag_id integer not null,
  type text not null,
  source_id text not null,
  target_id text not null,
  accepted_at bigint not null,
  accepted_by text not null,
  -- null: for good
  accepted_until bigint,
  reason text not null,
  primary key (source_id, target_id, type, tag_id)
);

-- Which objects were in a zone, from which run to which.
create table zone_spells (
  id identity,
  tag_id integer not null,
  object_id text not null,
  -- upper case; empty when it belongs to none
  environment_id text not null,
  since_analysis bigint not null,
  until_analysis bigint
);
create index zone_spells_object on zone_spells (object_id, tag_id);
create index zone_spells_since on zone_spells (since_analysis);
create index zone_spells_until on zone_spells (until_analysis);
