-- Zones: which there are, what selects their nodes, and what analysis found of them.

-- 1 zone, 2 label, 3 owned; only zones are made so far
alter table asset_group_tags add column type integer not null default 1;
-- 1 is Tier Zero; a node that several zones select is in the one with the lowest
alter table asset_group_tags add column position integer;
alter table asset_group_tags add column description text not null default '';
alter table asset_group_tags add column created_by text not null default '';
alter table asset_group_tags add column updated_at bigint not null default 0;
alter table asset_group_tags add column updated_by text not null default '';

-- One row: the last number that a tag was given. Points of a deleted zone keep its number, so none comes again.
create table asset_group_tag_numbers (
  id integer primary key,
  last_used integer not null
);

create table asset_group_selectors (
  id identity,
  tag_id integer not null references asset_group_tags (id),
  name text not null,
  description text not null,
  -- the key of a built-in rule; null where object ids select
  rule text unique,
  allow_disable integer not null,
  -- null while it is enabled
  disabled_at bigint,
  disabled_by text,
  created_at bigint not null,
  created_by text not null,
  updated_at bigint not null,
  updated_by text not null
);
create index asset_group_selectors_tag on asset_group_selectors (tag_id, id);

create table asset_group_seeds (
  selector_id bigint not null references asset_group_selectors (id),
  -- upper case; nothing needs to have this id yet
  object_id text not null,
  primary key (selector_id, object_id)
);

-- The kinds that an analysis gave to the nodes of its zones: a zone may be called differently since.
create table analysis_zones (
  analysis_id bigint not null,
  tag_id integer not null,
  kind text not null,
  primary key (analysis_id, tag_id)
);

-- What lists of members are sorted and filtered by, as of the analysis, so that a page costs what is on it.
alter table node_zones add column object_id text not null default '';
-- the first 200 characters: an index of PostgreSQL does not take every length
alter table node_zones add column name text not null default '';
-- the kind that the node is shown as
alter table node_zones add column kind text not null default '';
-- upper case; '' when it belongs to none
alter table node_zones add column environment text not null default '';
create index node_zones_object on node_zones (analysis_id, tag_id, object_id, node_id);
create index node_zones_name on node_zones (analysis_id, tag_id, name, node_id);
create index node_zones_kind on node_zones (analysis_id, tag_id, kind, node_id);
create index node_zones_environment on node_zones (analysis_id, tag_id, environment, node_id);
