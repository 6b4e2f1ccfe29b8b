-- How findings are read.

-- A page of the most severe ones of a run costs what is on it.
create index finding_measures_severity on finding_measures (analysis_id, severity desc, finding_id);
create index findings_target on findings (target_id);

-- How privileged a zone was when the analysis ran, 1 the most: it may have moved since.
alter table analysis_zones add column position integer not null default 0;
