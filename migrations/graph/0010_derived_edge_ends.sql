-- With the start: without it SQLite would rather go through all edges of a run.
drop index derived_edges_end;
create index derived_edges_end on derived_edges (analysis_id, end_id, kind_id, start_id);
