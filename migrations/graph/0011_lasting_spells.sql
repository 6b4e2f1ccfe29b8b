-- What lasted beyond a run is found without going through all that was over before.
create index findings_lasting on findings (environment_id, tag_id, until_analysis);
drop index zone_spells_environment;
create index zone_spells_environment on zone_spells (environment_id, tag_id, until_analysis);
