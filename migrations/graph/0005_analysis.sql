-- What analysis derives from the graph. Every run writes under a number of its own; readers look at the published
-- one only, so they see the results of one run or of the next, never of both.

create table analyses (
  id identity,
  started_at bigint not null,
  -- the last request that this run answers
  request_id bigint not null,
  -- null until it is published
  published_at bigint
);

-- One row: the run that readers see.
create table published_analysis (
  id integer primary key,
  analysis_id bigint not null
);

-- No references to nodes: a node may go while a run is under way, and readers join the nodes anyway. An edge with
-- properties of its own has them in the edge it is derived from (`Owns` in `OwnsRaw`).
create table derived_edges (
  analysis_id bigint not null,
  start_id bigint not null,
  kind_id bigint not null,
  end_id bigint not null,
  primary key (analysis_id, start_id, kind_id, end_id)
);
create index derived_edges_end on derived_edges (analysis_id, end_id, kind_id);

-- The one zone that a node is in.
create table node_zones (
  analysis_id bigint not null,
  node_id bigint not null,
  tag_id integer not null,
  -- how it came in: 1 selected, 2 below something selected, 3 above
  source integer not null,
  primary key (analysis_id, node_id)
);
create index node_zones_tag on node_zones (analysis_id, tag_id, node_id);
