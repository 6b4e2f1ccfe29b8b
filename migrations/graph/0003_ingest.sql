-- What ingest remembers, so that it can take back what a source no longer says, pass over what has not changed,
-- and apply every file once.

-- when a collector last listed the object itself; what is only referred to has none
alter table nodes add column last_collected bigint;
-- bits of what the collector could read there: 1 sessions, 2 local groups; null when it never tried
alter table nodes add column scanned integer;
-- the record that the node was last written from, and when it was written
alter table nodes add column record_hash text;
alter table nodes add column stated_at bigint not null default 0;
-- the file that last held the record; negative when the record was passed over there as unchanged
alter table nodes add column record_file bigint not null default 0;
-- the node whose record states this one's members; 0 when there are several such records
alter table nodes add column claimed_by bigint;
-- names can be longer than an index takes
create index nodes_name on nodes (substr(name, 1, 200));
create index nodes_last_seen on nodes (last_seen);

-- bits of the fields that state the edge; 0 is something of its own, which no field takes back
alter table edges add column stated_by integer not null default 0;
-- the fields that stated it when it was last seen
alter table edges add column seen_by integer not null default 0;
-- differing properties between being written and being merged, inside one transaction
alter table edges add column pending text;
create index edges_pending on edges (id) where pending is not null;
create index edges_kind_seen on edges (kind_id, last_seen);

-- For the one field whose edges end at neither side in the object that states them.
create table edge_throughs (
  edge_id bigint not null references edges (id) on delete cascade,
  through_id bigint not null references nodes (id) on delete cascade,
  last_seen bigint not null,
  primary key (edge_id, through_id)
);
create index edge_throughs_through on edge_throughs (through_id);

create table applied_files (
  id identity,
  file_id text not null unique,
  applied_at bigint not null,
  -- a JSON array
  results text not null
);

-- Statements on their way into the graph, compressed.
create table staged_chunks (
  stage text not null,
  number integer not null,
  created_at bigint not null,
  body blob not null,
  primary key (stage, number)
);

-- Edges that may have to go when the file is over; empty between transactions.
create table noted_withdrawals (
  id identity,
  edge_id bigint not null,
  fields integer not null,
  -- 0 when the field belongs to an end
  through_id bigint not null
);
