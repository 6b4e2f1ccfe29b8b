-- The graph. Kinds are interned: an edge names its kind by number, a node its whole list of kinds, so that a
-- million nodes repeat no text and "all nodes of kind X" is a lookup by the few lists that contain X.

create table edge_kinds (
  id identity,
  name text not null unique
);

create table kind_lists (
  id identity,
  -- a JSON array in the order in which the kinds were stated: the first known one is the node's label
  kinds text not null unique
);

create table nodes (
  id identity,
  -- upper case
  object_id text not null unique,
  kind_list_id bigint not null references kind_lists (id),
  name text not null,
  -- a JSON object
  properties text not null,
  last_seen bigint not null
);
create index nodes_kind_list on nodes (kind_list_id);

create table edges (
  id identity,
  start_id bigint not null references nodes (id),
  kind_id bigint not null references edge_kinds (id),
  end_id bigint not null references nodes (id),
  properties text not null,
  last_seen bigint not null,
  unique (start_id, kind_id, end_id)
);
create index edges_end on edges (end_id, kind_id);
